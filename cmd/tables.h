/**
 * @file The tables of option_defs.h as arrays: parsing, help and the manual page read from them.
 */
#ifndef PD_CMD_TABLES_H
#define PD_CMD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/option_defs.h"
#include "cmd/options.h"

enum cmd_option_kind {
	CMD_KIND_FLAG,
	CMD_KIND_TEXT,
	CMD_KIND_LIST,
	CMD_KIND_FILTER,
	CMD_KIND_OPTIONAL,
	CMD_KIND_NUMBER,
	CMD_KIND_PERCENT,
	CMD_KIND_FORMAT,
	CMD_KIND_HELP,
	CMD_KIND_MAN,
	CMD_KIND_VERSION
};

struct cmd_option_row {
	/** enum cmd_command: which have it. */
	uint8_t commands;
	const char *name;
	/** 0: none. */
	char letter;
	/** enum cmd_option_kind. */
	uint8_t kind;
	/** Of its member in struct cmd_options. */
	uint16_t offset;
	/** NULL: it takes none. */
	const char *argument;
	/** NULL: it is another name for the option before it. */
	const char *help;
};

struct cmd_command_row {
	enum cmd_command command;
	/** "": that of the program itself. */
	const char *name;
	const char *arguments;
	const char *summary;
	const char *description;
};

#define CMD_COUNT_ROW(...) +1
enum {
	CMD_N_OPTIONS = CMD_OPTIONS(CMD_COUNT_ROW),
	CMD_N_COMMANDS = CMD_COMMANDS(CMD_COUNT_ROW),
};
#undef CMD_COUNT_ROW

extern const struct cmd_option_row cmd_option_rows[CMD_N_OPTIONS];
extern const struct cmd_command_row cmd_command_rows[CMD_N_COMMANDS];

/** The command of that name; NULL: none has it. */
const struct cmd_command_row *cmd_command_find(const char *name);
/** Never NULL. */
const struct cmd_command_row *cmd_command_row(enum cmd_command command);

#endif
