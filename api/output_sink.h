/**
 * @file Where output goes: to a stream, to a function of the caller, or to a file that gets its
 * name when it is complete.
 */
#ifndef PD_API_OUTPUT_SINK_H
#define PD_API_OUTPUT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>

#include "base/io/destination.h"
#include "output/formats.h"

/** Where output goes: to a stream, or to a function of the caller. */
struct api_target {
	/** NULL: to the function. */
	FILE *stream;
	pd_on_bytes *fn;
	void *ctx;
};

/** Write to @p out, whose write errors the caller checks. */
typedef struct pd_error *api_sink_fn(const void *what, FILE *out);

/** Call @p fn with @p what and a stream that leads to @p to. Errors: those of both functions. */
struct pd_error *api_sink_stream(
	api_sink_fn *fn, const void *what, const struct api_target *to) pd_must_check;

/**
 * Write @p profile to @p to. For a function, formats that read the recording again write to a
 * temporary file first, because they complete its header last. The caller checks a stream for write
 * errors. Errors: those of the format and of the function.
 */
struct pd_error *api_sink_write(const struct out_format *format, const struct profile *profile,
	const struct out_write_opts *opts, const struct api_target *to) pd_must_check;

/** A file that gets the output of a format, and its name when it is complete. */
struct api_file_sink {
	/** Borrowed. */
	const char *path;
	struct base_destination to;
	/** Name in the directory of the destination until the file is complete, or NULL. */
	char *temporary;
	int fd;
};

/**
 * Create a file that replaces @p path, which is borrowed, when it is complete. Devices and pipes
 * are written as they are. @p is_private: only the user may read the file. Errors: OS, NOMEM.
 */
struct pd_error *api_file_sink_open(
	const char *path, bool is_private, struct api_file_sink *ret) pd_must_check;

/** Write @p size bytes; a pd_on_bytes with the struct api_file_sink as @p ctx. Errors: OS. */
struct pd_error *api_file_sink_write(void *ctx, const void *bytes, size_t size) pd_must_check;

/**
 * Close the file. If writing it succeeded (@p err is NULL), give it its name; otherwise remove it
 * and return @p err. Errors: OS.
 */
struct pd_error *api_file_sink_finish(
	struct api_file_sink *sink, struct pd_error *err) pd_must_check;

#endif
