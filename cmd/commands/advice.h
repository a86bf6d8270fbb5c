/**
 * @file Commands that do what a hint suggests.
 */
#ifndef PD_CMD_ADVICE_H
#define PD_CMD_ADVICE_H

#include <stdio.h>

#include "advice/hints.h"
#include "profile/profile.h"
#include "query/qry_session.h"

/**
 * Find the command line for @p hint: the recorded one with other options, or one with the
 * recordings @p input. *@p ret is allocated, or NULL if there is none. Errors: NOMEM.
 */
struct pd_error *cmd_advice(const struct profile *profile, const struct advice_hint *hint,
	const char *input, char **ret) pd_must_check;

/**
 * Write lines on what to do about a question that the recording of @p profile does not answer: the
 * command that records it, and advice. If @p is_answered, the command that answers it.
 */
void cmd_write_remedy(
	const struct profile *profile, enum qry_question question, bool is_answered, FILE *out);

#endif
