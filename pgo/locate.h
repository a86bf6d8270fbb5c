/**
 * @file From the flow of a binary to counts of its source locations.
 */
#ifndef PD_PGO_LOCATE_H
#define PD_PGO_LOCATE_H

#include <pdconv/error.h>

#include "pgo/counts.h"
#include "pgo/discriminator.h"
#include "pgo/flow.h"

/**
 * Count the source locations of image @p i, whose compiler codes discriminators by @p coding. Code
 * without debug information has none. *@p ret is zeroed, and to be freed after an error, too.
 * Errors: NOMEM.
 */
struct pd_error *pgo_locate(const struct pgo_flow *flow, size_t i, enum pgo_coding coding,
	struct pgo_counts *ret) pd_must_check;

#endif
