/**
 * @file Commands that do what a hint suggests.
 */
#ifndef PD_CMD_ADVICE_H
#define PD_CMD_ADVICE_H

#include <stdio.h>

#include "advice/hints.h"
#include "profile/profile.h"

/**
 * Find the command line for @p hint: the recorded one with other options, or one with the
 * recordings @p input. *@p ret is allocated, or NULL if there is none. Errors: NOMEM.
 */
struct pd_error *cmd_advice(const struct profile *profile, const struct advice_hint *hint,
	const char *input, char **ret) pd_must_check;

/**
 * Write the command that records what @p profile is of again, with the @p options of pdconv record
 * in place of those that it was recorded with.
 */
void cmd_write_record(const struct profile *profile, const char *options, FILE *out);

#endif
