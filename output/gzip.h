/**
 * @file Writer of a gzip stream that compresses pieces of the input on several threads.
 *
 * The compressed bytes do not depend on the number of threads.
 */
#ifndef PD_OUTPUT_GZIP_H
#define PD_OUTPUT_GZIP_H

#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

struct out_gzip;

/**
 * Create a writer that compresses to @p out, which is borrowed, on @p jobs threads (0: one for each
 * processor). Writes the gzip header. Errors: NOMEM, or a thread cannot be started.
 */
struct pd_error *out_gzip_create(FILE *out, size_t jobs, struct out_gzip **ret) pd_must_check;
/** Free the writer without finishing the stream. NULL is allowed. */
void out_gzip_destroy(struct out_gzip *gzip);

/** Append @p len bytes to the stream. Errors of the FILE are left for its owner to check. */
void out_gzip_write(struct out_gzip *gzip, const void *bytes, size_t len);
/**
 * Compress and write the remaining bytes and the gzip trailer. Nothing may be written afterwards.
 */
void out_gzip_finish(struct out_gzip *gzip);

#endif
