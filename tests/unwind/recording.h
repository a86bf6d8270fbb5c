/**
 * @file Writer of a recording as perf record would have made it, and of a file with the true
 * chains.
 *
 * The truth file is text: "M PID START END OFFSET PATH" for each MMAP2 record, "S TIME" for each
 * sample, in the order of the recording, followed by a line "ADDRESS REACH" for each frame of its
 * true chain. REACH is shadow_frame.reach, or "-" for UINT64_MAX.
 */
#ifndef PD_TESTS_UNWIND_RECORDING_H
#define PD_TESTS_UNWIND_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/unwind/arch.h"
#include "tests/unwind/mappings.h"
#include "tests/unwind/shadow.h"

struct recording;

/** Create both files. Samples hold at most @p slice bytes of stack. */
struct recording *recording_create(
	const struct arch *arch, const char *path, const char *truth, size_t slice);
/** Finish both files and free @p recording. */
void recording_finish(struct recording *recording);

void recording_comm(struct recording *recording, pid_t pid, const char *name);
void recording_fork(struct recording *recording, pid_t pid, pid_t tid);
/** Write MMAP2 records for new mappings of @p pid, except for unnamed memory without code. */
void recording_mappings(struct recording *recording, pid_t pid, const struct mappings *mappings);
/** Write a sample. @p stack holds @p size bytes from the stack pointer upwards. */
void recording_sample(struct recording *recording, pid_t pid, pid_t tid, const struct cpu *cpu,
	const void *stack, size_t size, const struct shadow_chain *truth);

#endif
