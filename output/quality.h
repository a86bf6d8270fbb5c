/**
 * @file How far a profile can be trusted: what was lost, cut or not found, and what to do about it.
 */
#ifndef PD_OUTPUT_QUALITY_H
#define PD_OUTPUT_QUALITY_H

#include <stdio.h>

#include "output/account.h"
#include "output/profile.h"

/** Every line of it, also where all is well. Errors: no memory. */
struct pd_error *out_quality_write(const struct profile *profile,
	const struct out_accounts *accounts, FILE *out) pd_must_check;

/** How the stacks came about and ended, only. */
void out_quality_write_stacks(
	const struct profile *profile, const struct out_accounts *accounts, FILE *out);

/** Only what a person should know before trusting the output; nothing where all is well. */
void out_quality_warn(const struct profile *profile, const struct out_accounts *accounts,
	const char *prefix, FILE *out);

#endif
