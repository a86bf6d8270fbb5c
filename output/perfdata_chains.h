/**
 * @file Unwound call chains by SAMPLE record, for the second pass of the perfdata format over the
 * recording.
 */
#ifndef PD_OUTPUT_PERFDATA_CHAINS_H
#define PD_OUTPUT_PERFDATA_CHAINS_H

#include <pdconv/record.h>

#include "profile/profile.h"

struct perfdata_chains;

/**
 * Index the chains of @p profile, which must have rows and chains (struct prof_request). Errors:
 * NOMEM.
 */
struct pd_error *perfdata_chains_create(
	const struct profile *profile, struct perfdata_chains **ret) pd_must_check;
/** Free the index. NULL is allowed. */
void perfdata_chains_destroy(struct perfdata_chains *chains);

/**
 * Find the chain of the sample @p rec; none if it was not unwound, or if none of its counters had
 * changed. Returns false if the profile does not contain the sample. Takes constant time for
 * records in file order.
 */
bool perfdata_chains_find(struct perfdata_chains *chains, const struct pd_record *rec,
	struct prof_pcs_id *chain_ret) pd_must_check;

#endif
