/**
 * @file A gzip stream onto a FILE, compressed piece by piece by several threads.
 *
 * The bytes do not depend on how many there are.
 */
#ifndef PD_OUTPUT_GZIP_H
#define PD_OUTPUT_GZIP_H

#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

struct out_gzip;

/** @p out is borrowed. @p jobs: threads; 0: one for each processor. */
struct pd_error *out_gzip_create(FILE *out, size_t jobs, struct out_gzip **ret) pd_must_check;
void out_gzip_destroy(struct out_gzip *gzip);

void out_gzip_write(struct out_gzip *gzip, const void *bytes, size_t len);
/** Write what is left. Nothing may be written after it. */
void out_gzip_finish(struct out_gzip *gzip);

#endif
