/**
 * @file What was seen becomes a recording, as perf record would have made it, and a file of truths.
 *
 * The file of truths is text: "M PID START END OFFSET PATH" for each MMAP2 record, "S TIME" for
 * each sample, in the order of the recording, and below it "ADDRESS REACH", a line for each frame
 * of its true chain; REACH is shadow_frame.reach, or "-" where nothing reaches.
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

/** A sample's stack is @p slice bytes at most. */
struct recording *recording_create(
	const struct arch *arch, const char *path, const char *truth, size_t slice);
/** Finish both files, and free. */
void recording_finish(struct recording *recording);

void recording_comm(struct recording *recording, pid_t pid, const char *name);
void recording_fork(struct recording *recording, pid_t pid, pid_t tid);
/** What is mapped in @p pid now and was not told; no memory without name and code. */
void recording_mappings(struct recording *recording, pid_t pid, const struct mappings *mappings);
/** @p stack: @p size bytes from the stack pointer up. */
void recording_sample(struct recording *recording, pid_t pid, pid_t tid, const struct cpu *cpu,
	const void *stack, size_t size, const struct shadow_chain *truth);

#endif
