/**
 * @file How far a profile can be trusted: what was lost, cut or not found, and what to do about it.
 */
#ifndef PD_PROFILE_QUALITY_H
#define PD_PROFILE_QUALITY_H

#include <stdio.h>

#include "profile/unwind_summary.h"
#include "profile/profile.h"

/** Every line of it, also where all is well. Errors: no memory. */
struct pd_error *prof_quality_write(const struct profile *profile,
	const struct prof_unwind_summary *accounts, FILE *out) pd_must_check;

/** How the stacks came about and ended, only. */
void prof_quality_write_stacks(
	const struct profile *profile, const struct prof_unwind_summary *accounts, FILE *out);

/** Only what a person should know before trusting the output; nothing where all is well. */
void prof_quality_warn(const struct profile *profile, const struct prof_unwind_summary *accounts,
	const char *prefix, FILE *out);

#endif
