/**
 * @file Root directories of processes of this machine that are not pdconv's own, such as those of
 * containers.
 */
#ifndef PD_SYMBOLIZE_FILE_ROOTS_H
#define PD_SYMBOLIZE_FILE_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

/** List of root directories, which is made when it is needed. Thread-safe. */
struct sym_roots;

/** Errors: no memory. */
struct pd_error *sym_roots_create(struct sym_roots **ret) pd_must_check;
/** @p roots may be NULL. */
void sym_roots_destroy(struct sym_roots *roots);

/**
 * Return one process for each root directory and mount namespace that is not pdconv's own:
 * /proc/PID/root leads there. /proc is read on the first call. Borrowed. @p roots may be NULL.
 */
const uint32_t *sym_roots_pids(struct sym_roots *roots, size_t *n_ret);

/** Hash of the present root directories and mount namespaces. Returns false: no memory. */
bool sym_roots_hash(uint64_t *ret);

#endif
