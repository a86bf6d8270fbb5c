/**
 * @file Formats written to a function of the caller.
 */
#ifndef PD_API_SINK_H
#define PD_API_SINK_H

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>

#include "output/formats.h"

/**
 * Write @p profile to @p fn. Formats that read the recording again write to a temporary file first,
 * because they complete its header last. Errors: those of the format and of @p fn.
 */
struct pd_error *pd_sink_write(const struct out_format *format, const struct profile *profile,
	const struct out_write_opts *opts, pd_on_bytes *fn, void *ctx) pd_must_check;

#endif
