/**
 * @file Files that could not be read although they exist, and files of which a limit left out a
 * part. Private to symbolize/, except that the command line creates and reports them.
 *
 * Names are then missing that the files have, so users need to know. A file that does not exist,
 * or is of another build, is not listed here: the search for binaries reports it.
 */
#ifndef PD_SYMBOLIZE_FILE_TROUBLE_H
#define PD_SYMBOLIZE_FILE_TROUBLE_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "base/limit.h"

struct sym_trouble;

/** Create an empty list. Errors: NOMEM. */
struct pd_error *sym_trouble_create(struct sym_trouble **ret) pd_must_check;
/** @p trouble may be NULL. */
void sym_trouble_destroy(struct sym_trouble *trouble);

/**
 * Add that reading @p path failed with the errno @p error. Does nothing if @p trouble is NULL, or
 * if this is known. Without memory it is not listed, which is reported. Thread-safe.
 */
void sym_trouble_add(struct sym_trouble *trouble, const char *path, int error);

/** Add that the limits @p set were reached for @p path. Otherwise like sym_trouble_add(). */
void sym_trouble_add_limits(
	struct sym_trouble *trouble, const char *path, const struct base_limit_set *set);

/** Add that the limit @p limit was reached for @p path. Otherwise like sym_trouble_add(). */
void sym_trouble_add_limit(struct sym_trouble *trouble, const char *path, enum base_limit_id limit);

/** Add the limits that were reached in the innermost scope of this thread: see base/limit.h. */
void sym_trouble_note_limits(struct sym_trouble *trouble, const char *path);

/** Whether nothing was added. @p trouble may be NULL. Thread-safe. */
bool sym_trouble_is_empty(struct sym_trouble *trouble);

/** Move all of it to @p diag, sorted by path. @p trouble may be NULL. */
void sym_trouble_report(struct sym_trouble *trouble, struct pd_diag *diag);

#endif
