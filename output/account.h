/**
 * @file How the walks of a profile's stacks ended: of each event, thread and binary, in samples and in
 * period.
 */
#ifndef PD_OUTPUT_ACCOUNT_H
#define PD_OUTPUT_ACCOUNT_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "output/profile.h"

/** Of some samples: those that were walked, and by how the walk ended. Periods are in one unit. */
struct out_account {
	struct prof_value walked;
	struct prof_value ends[UNW_N_ENDS];
};

struct out_accounts {
	/** Of all samples; periods of different events are added up, whatever their units. */
	struct out_account all;
	/** By number of the event in the profile, and by number of the thread. */
	PD_VEC(struct out_account) events;
	PD_VEC(struct out_account) threads;
	/** Numbers of the threads that have stacks which do not reach the root, most of them first. */
	PD_VEC(uint32_t) worst_threads;
};

/** Add up the samples of @p profile. Errors: no memory. */
struct pd_error *out_accounts_make(
	const struct profile *profile, struct out_accounts *ret) pd_must_check;
void out_accounts_deinit(struct out_accounts *accounts);

/** Walks, in samples, that did not reach the root. */
static inline uint64_t out_account_not_rooted(const struct out_account *account)
{
	return account->walked.samples - account->ends[UNW_END_ROOT].samples;
}

/** Share of the walks, in samples, that reached the root: 0 to 1; 0 if there were none. */
double out_account_rooted(const struct out_account *account);

#endif
