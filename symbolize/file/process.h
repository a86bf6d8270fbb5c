/**
 * @file A process of this machine that may be the recorded one. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_PROCESS_H
#define PD_SYMBOLIZE_FILE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/error.h>

struct sym_process {
	/** The recorded process still exists. The members below are set only then. */
	bool is_alive;
	uid_t uid;
	/** Process id within its own namespace. */
	uint32_t own_pid;
};

/**
 * Find out whether the process @p pid existed before @p ended_at, the end of the recording in
 * seconds since 1970 (0: not known), and still exists. Process ids are reused: one that started
 * after the recording is another process. Errors: no memory.
 */
struct pd_error *sym_process_read(
	uint32_t pid, int64_t ended_at, struct sym_process *ret) pd_must_check;

#endif
