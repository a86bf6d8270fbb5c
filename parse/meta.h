/**
 * @file Records about the recording as a whole, which a stream has where a file has sections.
 */
#ifndef PD_PARSE_META_H
#define PD_PARSE_META_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

/** Whether pd_meta_apply does something with @p rec. */
bool pd_meta_is(const struct pd_file *file, const struct pd_record *rec);

/**
 * Make known to @p file what @p rec says: events, ids, features, build ids. Damage goes to the
 * file's diag. Errors: no memory.
 */
struct pd_error *pd_meta_apply(struct pd_file *file, const struct pd_record *rec) pd_must_check;

#endif
