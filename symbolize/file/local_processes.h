/**
 * @file Processes of this machine: whether one is the recorded one, and root directories other than
 * that of pdconv, such as those of containers.
 */
#ifndef PD_SYMBOLIZE_FILE_LOCAL_PROCESSES_H
#define PD_SYMBOLIZE_FILE_LOCAL_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/error.h>

/** Process that may be the recorded one. */
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
 * after the recording is another process. Errors: NOMEM.
 */
struct pd_error *sym_process_read(
	uint32_t pid, int64_t ended_at, struct sym_process *ret) pd_must_check;

/** List of root directories, which is made when it is needed. Thread-safe. */
struct sym_process_roots;

/** Errors: NOMEM. */
struct pd_error *sym_process_roots_create(struct sym_process_roots **ret) pd_must_check;
/** @p roots may be NULL. */
void sym_process_roots_destroy(struct sym_process_roots *roots);

/**
 * Return one process for each root directory and mount namespace that is not pdconv's own:
 * /proc/PID/root leads there. /proc is read on the first call. Borrowed. @p roots may be NULL.
 */
const uint32_t *sym_process_roots_pids(struct sym_process_roots *roots, size_t *n_ret);

/** Hash of the present root directories and mount namespaces. Returns false: no memory. */
bool sym_process_roots_hash(uint64_t *ret);

#endif
