/**
 * @file Records about the recording as a whole, which a stream has instead of sections.
 */
#ifndef PD_PARSE_META_H
#define PD_PARSE_META_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

/** Whether @p rec is a record that parse_meta_apply() applies. */
bool parse_meta_is(const struct pd_file *file, const struct pd_record *rec);

/**
 * Apply the events, ids, features or build ids in @p rec to @p file. Damage is noted in file->diag.
 * Errors: NOMEM.
 */
struct pd_error *parse_meta_apply(struct pd_file *file, const struct pd_record *rec) pd_must_check;

#endif
