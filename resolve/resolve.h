/**
 * @file Resolving a recording to a profile: reading, replaying mappings, unwinding, naming.
 *
 * This is the only place that joins parse/, unwind/ and symbolize/.
 */
#ifndef PD_RESOLVE_RESOLVE_H
#define PD_RESOLVE_RESOLVE_H

#include <pdconv/error.h>
#include <pdconv/file.h>

#include "resolve/batch/resolve_opts.h"

/**
 * Read all of @p file and create its profile. Events of a stream are added to @p file while it is
 * read. Invalid records that can be skipped are reported to the diag of the file.
 */
struct pd_error *resolve_profile(
	struct pd_file *file, const struct resolve_opts *opts, struct profile **ret) pd_must_check;

#endif
