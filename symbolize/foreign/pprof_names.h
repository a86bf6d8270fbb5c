/**
 * @file Names for the addresses of a profile in the format of pprof.
 *
 * The profile is read three times and nothing of it is decoded but mappings, locations and the
 * numbers of strings and functions. Everything else is copied byte by byte: samples with their
 * values, labels, comments, and fields that are not known. Functions and strings are added at the
 * end, and mappings follow them, because what they have is known last: see
 * output/pprof/profile.proto.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_PPROF_NAMES_H
#define PD_SYMBOLIZE_FOREIGN_PPROF_NAMES_H

#include <stdio.h>

#include "symbolize/foreign/asked.h"

struct sym_pprof;

/**
 * Read the @p len decompressed bytes of the profile @p path, which are borrowed, and add to
 * @p asked its addresses without functions, and those of mappings that lack functions. Errors:
 * FORMAT, NOMEM.
 */
struct pd_error *sym_pprof_read(const char *path, const uint8_t *bytes, size_t len,
	struct sym_asked *asked, struct sym_pprof **ret) pd_must_check;
void sym_pprof_destroy(struct sym_pprof *pprof);

/** Write the profile with the names of the set, which was named since. Errors: FORMAT, NOMEM. */
struct pd_error *sym_pprof_write(struct sym_pprof *pprof, FILE *out) pd_must_check;

#endif
