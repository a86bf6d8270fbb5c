/**
 * @file GCC's sample profile, which -fauto-profile of GCC 12 to 15 reads: version 2 of the format.
 *
 * Numbers are in the byte order of this machine: words of 32 bits, and counters of two words, the
 * lower one first.
 */
#ifndef PD_PGO_GCOV_H
#define PD_PGO_GCOV_H

#include <stdio.h>

#include <pdconv/error.h>

#include "pgo/counts.h"

/**
 * Write the functions that ran, hottest first. The caller checks @p out for write errors. Errors:
 * NOMEM.
 */
struct pd_error *pgo_gcov_write(const struct pgo_counts *counts, FILE *out) pd_must_check;

#endif
