/**
 * @file BOLT's pre-aggregated profile, as `perf2bolt -pa` reads it: B, F and f lines, which all
 * versions of BOLT know, and without branch stacks E and S lines, which BOLT 20 and later know.
 */
#ifndef PD_PGO_BOLT_H
#define PD_PGO_BOLT_H

#include <stdio.h>

#include "pgo/flow.h"

/**
 * Write the flow of @p image. @p event: the name of the event of samples. The caller checks @p out
 * for write errors.
 */
void pgo_bolt_write(const struct pgo_image *image, const char *event, FILE *out);

#endif
