/**
 * @file LLVM's sample profile as text, which llvm-profdata and clang's -fprofile-sample-use read.
 */
#ifndef PD_PGO_AUTOFDO_H
#define PD_PGO_AUTOFDO_H

#include <stdio.h>

#include <pdconv/error.h>

#include "pgo/counts.h"

/**
 * Write the functions that ran, hottest first. The caller checks @p out for write errors. Errors:
 * NOMEM.
 */
struct pd_error *pgo_autofdo_write(const struct pgo_counts *counts, FILE *out) pd_must_check;

#endif
