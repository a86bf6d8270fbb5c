/**
 * @file The help texts, from the tables.
 */
#ifndef PD_CMD_HELP_H
#define PD_CMD_HELP_H

#include <stdio.h>

#include "cmd/options/options.h"

/** Something that `pdconv help` explains, in addition to commands and formats. */
struct cmd_help_topic {
	const char *name;
	void (*write)(FILE *out);
};

/** Return the topic of that name, or NULL. */
const struct cmd_help_topic *cmd_help_topic_find(const char *name);

/** Return the error for `pdconv help @p word`, where the word is unknown. USAGE. */
struct pd_error *cmd_help_unknown(const char *word);

/** Call @p fn for each word that `pdconv help` takes. */
void cmd_help_visit(void (*fn)(void *ctx, const char *name), void *ctx);

/** Write the help text of the command, topic or format that @p options ask for. */
void cmd_help(const struct cmd_options *options, FILE *out);

#endif
