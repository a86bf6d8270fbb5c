/**
 * @file Finish: what follows the last record of a pass.
 */
#ifndef PD_RESOLVE_FINISH_H
#define PD_RESOLVE_FINISH_H

#include "resolve/pass.h"

/**
 * Add facts that a stream may contain anywhere, after all samples were added. Errors: NOMEM;
 * FORMAT if the recording has no events; those of filters.
 */
struct pd_error *resolve_finish(struct resolve_pass *pass) pd_must_check;

/**
 * Name the frames as requested, add ledgers, waits and intervals, apply filters that look at names,
 * and list files. Errors: NOMEM; USAGE, something requested is not in the recording; those of files
 * that the caller asked for.
 */
struct pd_error *resolve_finish_names(struct resolve_pass *pass) pd_must_check;

/** Check the files that were mapped. One that shrank has given wrong names and frames. */
struct pd_error *resolve_check_files(const struct resolve_pass *pass) pd_must_check;

#endif
