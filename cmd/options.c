#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/option_defs.h"
#include "output/formats.h"
#include "symbolize/binary.h"

enum option_kind {
	KIND_FLAG,
	KIND_TEXT,
	KIND_LIST,
	KIND_OPTIONAL,
	KIND_NUMBER,
	KIND_PERCENT,
	KIND_FORMAT,
	KIND_HELP,
	KIND_MAN,
	KIND_VERSION
};

struct option_row {
	/** enum cmd_command: which have it. */
	uint8_t commands;
	const char *name;
	char letter;
	uint8_t kind;
	uint16_t offset;
	const char *argument;
	const char *help;
};

/* As cmd/option_defs.h has them. */
enum { CONVERT = CMD_CONVERT, DUMP = CMD_DUMP, INFO = CMD_INFO, ALL = CONVERT | DUMP | INFO };

#define OPTION_ROW(commands_, name_, letter_, kind_, argument_, member_, help_) \
	{ .commands = commands_, \
		.name = name_, \
		.letter = letter_, \
		.kind = KIND_##kind_, \
		.offset = offsetof(struct cmd_options, member_), \
		.argument = argument_, \
		.help = help_ },
static const struct option_row rows[] = { CMD_OPTIONS(OPTION_ROW) };

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]), FIRST_LONG = 256 };

struct command_row {
	enum cmd_command command;
	const char *name;
	const char *arguments;
	const char *summary;
	const char *description;
};

#define COMMAND_ROW(command_, name_, arguments_, summary_, description_) \
	{ CMD_##command_, name_, arguments_, summary_, description_ },
static const struct command_row commands[] = { CMD_COMMANDS(COMMAND_ROW) };

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* The command of that name; NULL: none has it. */
static const struct command_row *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static const struct command_row *row_of_command(enum cmd_command command)
{
	size_t i = 0;

	while (commands[i].command != command)
		i++;
	return &commands[i];
}

static void build_getopt(struct option longs[static N_ROWS + 1], char shorts[static 3 * N_ROWS])
{
	size_t len = 0;

	shorts[len++] = ':';
	for (size_t i = 0; i < N_ROWS; i++) {
		longs[i] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].kind == KIND_OPTIONAL ? optional_argument
				   : rows[i].argument		 ? required_argument
								 : no_argument,
			.val = FIRST_LONG + (int)i,
		};
		if (!rows[i].letter)
			continue;
		shorts[len++] = rows[i].letter;
		if (rows[i].argument)
			shorts[len++] = ':';
	}
	shorts[len] = '\0';
	longs[N_ROWS] = (struct option){ 0 };
}

/* The option of a value that getopt returned; NULL if the command has no such option. */
static const struct option_row *row_of(enum cmd_command command, int value)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!(rows[i].commands & command))
			continue;
		if (value == FIRST_LONG + (int)i || (rows[i].letter && value == rows[i].letter))
			return &rows[i];
	}
	return NULL;
}

static struct pd_error *set_number(const struct option_row *row, void *to)
{
	char *end;

	errno = 0;
	unsigned long value = strtoul(optarg, &end, 0);
	if (errno || end == optarg || *end || optarg[0] == '-')
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--%s: \"%s\" is no number", row->name, optarg);
	*(unsigned long *)to = value;
	return NULL;
}

static struct pd_error *set_percent(const struct option_row *row, void *to)
{
	char *end;
	double value = strtod(optarg, &end);

	if (end == optarg || *end || !(value >= 0 && value <= 100))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--%s: \"%s\" is no number from 0 to 100", row->name, optarg);
	*(double *)to = value;
	return NULL;
}

static struct pd_error *apply(
	const struct option_row *row, struct cmd_options *ret, enum cmd_action *action_ret)
{
	void *to = (char *)ret + row->offset;

	switch ((enum option_kind)row->kind) {
	case KIND_FLAG:
		*(bool *)to = true;
		return NULL;
	case KIND_TEXT:
		*(const char **)to = optarg;
		return NULL;
	case KIND_LIST:
		return pd_vec_push(&((struct cmd_list *)to)->items, optarg) ? NULL : &pd_enomem;
	case KIND_OPTIONAL:
		*(const char **)to = optarg ? optarg : "";
		return NULL;
	case KIND_FORMAT:
		*(const char **)to = row->name;
		return NULL;
	case KIND_NUMBER:
		return set_number(row, to);
	case KIND_PERCENT:
		return set_percent(row, to);
	case KIND_HELP:
		*action_ret = CMD_HELP;
		return NULL;
	case KIND_MAN:
		*action_ret = CMD_MAN;
		return NULL;
	case KIND_VERSION:
		*action_ret = CMD_VERSION;
		return NULL;
	}
	return NULL;
}

/* As perf does: what comes through a pipe, else the usual file. */
static const char *default_input(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

static struct pd_error *take_input(int argc, char **argv, struct cmd_options *ret)
{
	if (argc - optind > 1 || (argc > optind && ret->input))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"one recording at a time; \"%s\" is one too many", argv[argc - 1]);
	if (argc > optind)
		ret->input = argv[optind];
	if (!ret->input)
		ret->input = default_input();
	return NULL;
}

/* pdconv help [COMMAND] */
static struct pd_error *parse_help(
	int argc, char **argv, struct cmd_options *ret, enum cmd_action *action_ret)
{
	const struct command_row *command = argc > 2 ? find_command(argv[2]) : NULL;

	*action_ret = CMD_HELP;
	if (argc > 2 && !command)
		return pd_error_create(PD_ERROR_USAGE, NULL, "there is no command \"%s\"", argv[2]);
	if (command)
		ret->command = command->command;
	return NULL;
}

struct pd_error *cmd_options_parse(
	int argc, char **argv, struct cmd_options *ret, enum cmd_action *action_ret)
{
	struct option longs[N_ROWS + 1];
	char shorts[3 * N_ROWS];
	int value;

	*ret = (struct cmd_options){ .command = CMD_CONVERT };
	*action_ret = CMD_RUN;
	if (argc > 1 && strcmp(argv[1], "help") == 0)
		return parse_help(argc, argv, ret, action_ret);
	const struct command_row *command = argc > 1 && argv[1][0] ? find_command(argv[1]) : NULL;
	if (command) {
		ret->command = command->command;
		optind = 2;
	}
	build_getopt(longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_row *row = row_of(ret->command, value);

		if (value == ':')
			return pd_error_create(
				PD_ERROR_USAGE, NULL, "%s needs an argument", argv[optind - 1]);
		if (!row)
			return pd_error_create(
				PD_ERROR_USAGE, NULL, "unknown option %s", argv[optind - 1]);
		struct pd_error *err = apply(row, ret, action_ret);
		if (err)
			return err;
	}
	return take_input(argc, argv, ret);
}

void cmd_options_deinit(struct cmd_options *options)
{
	pd_vec_deinit(&options->debug_dirs.items);
	pd_vec_deinit(&options->path_maps.items);
}

static const char exit_status[] =
	"0: done, perhaps with warnings. 1: failed, nothing was written. 2: the command line makes no "
	"sense. 3: --strict, and something was damaged or left out; --fail-under-rooted, and it was less.";

/* "-i, --input FILE"; returns its width. */
static int write_names(FILE *out, size_t i)
{
	int width = rows[i].letter ? fprintf(out, "-%c, ", rows[i].letter) : fprintf(out, "    ");

	width += fprintf(out, "--%s", rows[i].name);
	for (size_t alias = i + 1; alias < N_ROWS && !rows[alias].help; alias++)
		width += fprintf(out, ", --%s", rows[alias].name);
	if (rows[i].argument)
		width += fprintf(
			out, rows[i].kind == KIND_OPTIONAL ? "[=%s]" : " %s", rows[i].argument);
	return width;
}

static void write_formats(FILE *out)
{
	size_t n;
	const struct out_format *formats = out_formats(&n);

	fputs("\nFormats:\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "  %-10s %s\n", formats[i].name, formats[i].help);
}

static void write_places(FILE *out)
{
	fputs("\nBinaries and their debug files are looked for, in this order, in\n", out);
	for (size_t i = 0; i < SYM_N_PLACES; i++)
		fprintf(out, "  %-17s %s\n", sym_place_name((enum sym_place)i),
			sym_place_text((enum sym_place)i));
}

static void write_commands(FILE *out)
{
	fputs("\nCommands, see pdconv help COMMAND:\n", out);
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (commands[i].name[0])
			fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	}
}

void cmd_help(enum cmd_command command, FILE *out)
{
	enum { HELP_COLUMN = 44 };
	const struct command_row *row = row_of_command(command);

	fprintf(out, "usage: pdconv %s%s%s\n\n%s\n\nOptions:\n", row->name, row->name[0] ? " " : "",
		row->arguments, row->summary);
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!rows[i].help || !(rows[i].commands & command))
			continue;
		fputs("  ", out);
		int width = write_names(out, i);
		fprintf(out, "%*s%s\n", width < HELP_COLUMN ? HELP_COLUMN - width : 1, "",
			rows[i].help);
	}
	if (command == CMD_CONVERT) {
		write_formats(out);
		write_commands(out);
	}
	if (command == CMD_INFO)
		write_places(out);
	fprintf(out, "\nExit status:\n  %s\n", exit_status);
}

/* Roff wants its hyphens escaped. */
static void write_roff(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			putc('\\', out);
		putc(*text, out);
	}
}

static void write_man_option(FILE *out, size_t i)
{
	char *names = NULL;
	size_t len;
	FILE *memory = open_memstream(&names, &len);

	if (!memory)
		return;
	write_names(memory, i);
	fclose(memory);
	fputs(".TP\n.B ", out);
	write_roff(out, names + strspn(names, " "));
	putc('\n', out);
	write_roff(out, rows[i].help);
	putc('\n', out);
	free(names);
}

static void write_man_command(FILE *out, const struct command_row *row)
{
	fprintf(out, ".SH %s\n", row->name[0] ? "COMMAND" : "CONVERTING");
	fprintf(out, ".B pdconv %s\n", row->name);
	write_roff(out, row->arguments);
	fputs("\n.PP\n", out);
	write_roff(out, row->description);
	putc('\n', out);
	for (size_t i = 0; i < N_ROWS; i++) {
		bool is_common = rows[i].commands == ALL && row->command != CMD_CONVERT;

		if (rows[i].help && rows[i].commands & row->command && !is_common)
			write_man_option(out, i);
	}
}

void cmd_man(FILE *out)
{
	size_t n_formats;
	const struct out_format *formats = out_formats(&n_formats);

	fputs(".TH PDCONV 1 \"\" \"pdconv " PD_VERSION "\"\n.SH NAME\npdconv \\- ", out);
	write_roff(out, commands[0].summary);
	fputs("\n.SH SYNOPSIS\n", out);
	for (size_t i = 0; i < N_COMMANDS; i++) {
		fprintf(out, "pdconv %s%s", commands[i].name, commands[i].name[0] ? " " : "");
		write_roff(out, commands[i].arguments);
		fputs("\n.br\n", out);
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		write_man_command(out, &commands[i]);
	fputs(".SH FORMATS\n", out);
	for (size_t i = 0; i < n_formats; i++) {
		fprintf(out, ".TP\n.B %s\n", formats[i].name);
		write_roff(out, formats[i].help);
		putc('\n', out);
	}
	fputs(".SH BINARIES\nThey and their debug files are looked for, in this order, in\n", out);
	for (size_t i = 0; i < SYM_N_PLACES; i++) {
		fputs(".TP\n.B ", out);
		write_roff(out, sym_place_name((enum sym_place)i));
		putc('\n', out);
		write_roff(out, sym_place_text((enum sym_place)i));
		putc('\n', out);
	}
	fprintf(out, ".SH EXIT STATUS\n");
	write_roff(out, exit_status);
	putc('\n', out);
}
