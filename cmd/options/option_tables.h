/**
 * @file The tables of option_defs.h as arrays: parsing, help and the manual pages read from them.
 */
#ifndef PD_CMD_OPTION_TABLES_H
#define PD_CMD_OPTION_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/names/nearest.h"
#include "cmd/options/commands.h"
#include "cmd/options/kind_defs.h"
#include "cmd/options/option_defs.h"
#include "cmd/options/options.h"

enum cmd_option_kind {
#define CMD_KIND_ENUM(name, type, take) CMD_KIND_##name,
	CMD_KINDS(CMD_KIND_ENUM)
#undef CMD_KIND_ENUM
};

enum cmd_topic {
#define CMD_TOPIC_ENUM(name, title) CMD_TOPIC_##name,
	CMD_TOPICS(CMD_TOPIC_ENUM)
#undef CMD_TOPIC_ENUM
		CMD_N_TOPICS
};

struct cmd_option_row {
	/** The commands that have it, a bit for each enum cmd_command. */
	uint32_t commands;
	/** enum cmd_topic. */
	uint8_t topic;
	/** The formats that heed it, a bit for each row of OUT_FORMATS. */
	uint32_t formats;
	/** Short name; 0: none. See cmd_option_letter(). */
	char letter;
	/** enum cmd_option_kind. */
	uint8_t kind;
	/** Offset of its member in struct cmd_options. */
	uint16_t offset;
	const char *name;
	/** Name of the argument; NULL: it takes none. */
	const char *argument;
	/** NULL: it is another name for the option before it. */
	const char *help;
	/** Text of the manual page, in addition to the help; or NULL. */
	const char *details;
};

struct cmd_command_row {
	enum cmd_command command;
	/** "": the program without a command. */
	const char *name;
	const char *arguments;
	cmd_command_fn *run;
	const char *summary;
	const char *description;
};

/** A named thing that some commands have, for the help texts and manual pages. */
struct cmd_note_row {
	uint32_t commands;
	const char *name;
	const char *text;
};

#define CMD_COUNT_ROW(...) +1
enum {
	CMD_N_OPTIONS = CMD_OPTIONS(CMD_COUNT_ROW),
	CMD_N_COMMANDS = CMD_COMMANDS(CMD_COUNT_ROW),
	CMD_N_EXAMPLES = CMD_EXAMPLES(CMD_COUNT_ROW),
	CMD_N_STATUSES = CMD_STATUSES(CMD_COUNT_ROW),
	CMD_N_FILES = CMD_FILES(CMD_COUNT_ROW),
	CMD_N_VARIABLES = CMD_ENVIRONMENT(CMD_COUNT_ROW),
};
#undef CMD_COUNT_ROW

extern const struct cmd_option_row cmd_option_rows[CMD_N_OPTIONS];
extern const struct cmd_command_row cmd_command_rows[CMD_N_COMMANDS];
extern const char *const cmd_topic_titles[CMD_N_TOPICS];
extern const struct cmd_note_row cmd_example_rows[CMD_N_EXAMPLES];
extern const struct cmd_note_row cmd_status_rows[CMD_N_STATUSES];
extern const struct cmd_note_row cmd_file_rows[CMD_N_FILES];
extern const struct cmd_note_row cmd_variable_rows[CMD_N_VARIABLES];

/** Whether the argument of an option may be missing. */
static inline bool cmd_has_optional(const struct cmd_option_row *row)
{
	return row->kind == CMD_KIND_OPTIONAL || row->kind == CMD_KIND_LEVEL;
}

/**
 * Whether @p command has the option of @p row only for what it converts at once: record with a
 * format. It goes by its long name, has no effect without a format, and is not in the help text.
 */
bool cmd_is_for_conversion(const struct cmd_option_row *row, enum cmd_command command);
/** Return the short name of the option of @p row on @p command; 0: none. */
char cmd_option_letter(const struct cmd_option_row *row, enum cmd_command command);

/** Whether an option belongs to some formats, not to all of them, nor to all that print names. */
bool cmd_option_is_of_few(const struct cmd_option_row *row);

/** Return the command of that name, or NULL. */
const struct cmd_command_row *cmd_command_find(const char *name);
/** Return the row of @p command. Never NULL. */
const struct cmd_command_row *cmd_command_row(enum cmd_command command);

/** Return the bit of @p format in cmd_option_row.formats. */
unsigned cmd_format_bit(const struct out_format *format);
/** Return the bits of the formats that @p command can write. */
unsigned cmd_formats_of(enum cmd_command command);

/** A word that arguments of some options are chosen from. */
struct cmd_word {
	const char *name;
	/** Value of the option's member, as a number. */
	int value;
	/** Meaning, or NULL. */
	const char *help;
};

/** The words of a kind of options. n is 0 if their arguments are not chosen from words. */
struct cmd_words {
	/** Name of such a word in messages: "format". */
	const char *what;
	const struct cmd_word *rows;
	size_t n;
};

/** Return the words of @p kind. Static storage. */
struct cmd_words cmd_words_of(enum cmd_option_kind kind);

/**
 * Find the word of @p wanted among those of @p kind. Errors: USAGE, with the nearest word or a list
 * of all.
 */
struct pd_error *cmd_words_find(
	enum cmd_option_kind kind, struct base_nearest *wanted, int *ret) pd_must_check;

#endif
