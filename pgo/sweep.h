/**
 * @file Sweep: how often each instruction ran, by the runs of an image, in ascending order of
 * addresses. A whole sweep takes time in proportion to the runs, whatever their lengths are.
 */
#ifndef PD_PGO_SWEEP_H
#define PD_PGO_SWEEP_H

#include <stdint.h>

#include <pdconv/error.h>

#include "pgo/flow.h"

struct pgo_sweep {
	/** Borrowed. */
	const struct pgo_image *image;
	/** The runs in the order of their last instructions. Owned. */
	struct pgo_run *ends;
	/** Number of runs that have started, and of those that have ended. */
	size_t start;
	size_t end;
	/** How often the code at the address ran. */
	uint64_t n;
};

/** Begin a sweep of @p image, which is borrowed. Must be freed. Errors: NOMEM. */
struct pd_error *pgo_sweep_init(const struct pgo_image *image, struct pgo_sweep *ret) pd_must_check;
void pgo_sweep_deinit(struct pgo_sweep *sweep);

/** Move to @p addr, which is not below the last one. */
void pgo_sweep_to(struct pgo_sweep *sweep, uint64_t addr);

/** Return the next address at which another number of runs may be; UINT64_MAX: there is none. */
uint64_t pgo_sweep_next(const struct pgo_sweep *sweep);

#endif
