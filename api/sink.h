/**
 * @file Formats written to a stream or to a function of the caller.
 */
#ifndef PD_API_SINK_H
#define PD_API_SINK_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>

#include "output/formats.h"

/** Where output goes: to a stream, or to a function of the caller. */
struct pd_target {
	/** NULL: to the function. */
	FILE *stream;
	pd_on_bytes *fn;
	void *ctx;
};

/** Write to @p out, whose write errors the caller checks. */
typedef struct pd_error *pd_sink_fn(const void *what, FILE *out);

/** Call @p fn with @p what and a stream that leads to @p to. Errors: those of both functions. */
struct pd_error *pd_sink_stream(
	pd_sink_fn *fn, const void *what, const struct pd_target *to) pd_must_check;

/**
 * Write @p profile to @p to. For a function, formats that read the recording again write to a
 * temporary file first, because they complete its header last. The caller checks a stream for write
 * errors. Errors: those of the format and of the function.
 */
struct pd_error *pd_sink_write(const struct out_format *format, const struct profile *profile,
	const struct out_write_opts *opts, const struct pd_target *to) pd_must_check;

#endif
