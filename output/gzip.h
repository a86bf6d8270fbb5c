/**
 * @file Writer of a gzip or zlib stream that compresses pieces of the input on several threads.
 *
 * The compressed bytes do not depend on the number of threads.
 */
#ifndef PD_OUTPUT_GZIP_H
#define PD_OUTPUT_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

struct out_gzip;

/** How a stream is written. Zero-initialise. */
struct out_gzip_opts {
	/** Number of threads; 0: one for each processor. */
	size_t jobs;
	/** Write a zlib stream (RFC 1950) instead of a gzip file (RFC 1952). */
	bool is_zlib;
};

/**
 * Create a writer that compresses to @p out, which is borrowed. Writes the header of the stream.
 * Errors: NOMEM, or a thread cannot be started.
 */
struct pd_error *out_gzip_create(
	FILE *out, const struct out_gzip_opts *opts, struct out_gzip **ret) pd_must_check;
/** Free the writer without finishing the stream. NULL is allowed. */
void out_gzip_destroy(struct out_gzip *gzip);

/** Append @p len bytes to the stream. Errors of the FILE are left for its owner to check. */
void out_gzip_write(struct out_gzip *gzip, const void *bytes, size_t len);
/**
 * Compress and write the remaining bytes and the trailer of the stream. Nothing may be written
 * afterwards.
 */
void out_gzip_finish(struct out_gzip *gzip);

#endif
