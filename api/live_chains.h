/**
 * @file Call chains for a recorder that writes them instead of stacks (capture/run/unwound.h), by
 * the unwinder of single samples.
 */
#ifndef PD_API_LIVE_CHAINS_H
#define PD_API_LIVE_CHAINS_H

#include <pdconv/error.h>
#include <pdconv/unwinder.h>

#include "capture/run/unwound.h"

struct api_live_chains;

/** Errors: see pd_unwinder_create(). */
struct pd_error *api_live_chains_create(
	const struct pd_unwinder_opts *opts, struct api_live_chains **ret) pd_must_check;
/** Free @p chains; NULL is fine. */
void api_live_chains_destroy(struct api_live_chains *chains);

/** The unwinder for a recording, which borrows @p chains. */
struct cap_unwinder api_live_chains_unwinder(struct api_live_chains *chains);

#endif
