#include "cmd/tables.h"

#include <string.h>

/* As cmd/option_defs.h has them. */
enum {
	CONVERT = CMD_CONVERT,
	DUMP = CMD_DUMP,
	INFO = CMD_INFO,
	DIFF = CMD_DIFF,
	PERF_TO_PROFILE = CMD_PERF_TO_PROFILE,
	RECORD = CMD_RECORD,
	SHOW = CONVERT | DIFF,
	READ = SHOW | INFO,
	ALL = CMD_EVERY,
};

#define OPTION_ROW(commands_, name_, letter_, kind_, argument_, member_, help_) \
	{ .commands = commands_, \
		.name = name_, \
		.letter = letter_, \
		.kind = CMD_KIND_##kind_, \
		.offset = offsetof(struct cmd_options, member_), \
		.argument = argument_, \
		.help = help_ },
const struct cmd_option_row cmd_option_rows[CMD_N_OPTIONS] = { CMD_OPTIONS(OPTION_ROW) };

#define COMMAND_ROW(command_, name_, arguments_, summary_, description_) \
	{ CMD_##command_, name_, arguments_, summary_, description_ },
const struct cmd_command_row cmd_command_rows[CMD_N_COMMANDS] = { CMD_COMMANDS(COMMAND_ROW) };

const struct cmd_command_row *cmd_command_find(const char *name)
{
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		if (strcmp(cmd_command_rows[i].name, name) == 0)
			return &cmd_command_rows[i];
	}
	return NULL;
}

const struct cmd_command_row *cmd_command_row(enum cmd_command command)
{
	size_t i = 0;

	while (cmd_command_rows[i].command != command)
		i++;
	return &cmd_command_rows[i];
}
