/**
 * @file Records that formats show among the samples.
 */
#ifndef PD_RESOLVE_KEEP_RECORD_H
#define PD_RESOLVE_KEEP_RECORD_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

#include "profile/profile.h"
#include "parse/space.h"

/**
 * Add @p rec, which has been applied to @p space and has a trailer of @p sid_bytes, to the records of
 * @p profile, behind the samples that were read before it. Errors: no memory.
 */
struct pd_error *resolve_keep_record(const struct pd_file *file, struct pd_space *space,
	const struct pd_record *rec, size_t sid_bytes, struct profile *profile) pd_must_check;

#endif
