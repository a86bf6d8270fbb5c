#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/option_defs.h"
#include "output/formats.h"

enum option_kind {
	KIND_FLAG,
	KIND_TEXT,
	KIND_NUMBER,
	KIND_FORMAT,
	KIND_HELP,
	KIND_MAN,
	KIND_VERSION
};

struct option_row {
	const char *name;
	char letter;
	uint8_t kind;
	uint16_t offset;
	const char *argument;
	const char *help;
};

#define OPTION_ROW(name_, letter_, kind_, argument_, member_, help_) \
	{ .name = name_, \
		.letter = letter_, \
		.kind = KIND_##kind_, \
		.offset = offsetof(struct cmd_options, member_), \
		.argument = argument_, \
		.help = help_ },
static const struct option_row rows[] = { CMD_OPTIONS(OPTION_ROW) };

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]), FIRST_LONG = 256 };

static void build_getopt(struct option longs[static N_ROWS + 1], char shorts[static 3 * N_ROWS])
{
	size_t len = 0;

	shorts[len++] = ':';
	for (size_t i = 0; i < N_ROWS; i++) {
		longs[i] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].argument ? required_argument : no_argument,
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

static const struct option_row *row_of(int value)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (value == FIRST_LONG + (int)i || (rows[i].letter && value == rows[i].letter))
			return &rows[i];
	}
	return NULL;
}

static struct pd_error *set_number(const struct option_row *row, void *to)
{
	char *end;

	errno = 0;
	unsigned long value = strtoul(optarg, &end, 10);
	if (errno || end == optarg || *end || optarg[0] == '-')
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--%s: \"%s\" is no number", row->name, optarg);
	*(unsigned long *)to = value;
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
	case KIND_FORMAT:
		*(const char **)to = row->name;
		return NULL;
	case KIND_NUMBER:
		return set_number(row, to);
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

static struct pd_error *take_input(int argc, char **argv, struct cmd_options *ret)
{
	if (argc - optind > 1 || (argc > optind && ret->input))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"one recording at a time; \"%s\" is one too many", argv[argc - 1]);
	if (argc > optind)
		ret->input = argv[optind];
	return NULL;
}

struct pd_error *cmd_options_parse(
	int argc, char **argv, struct cmd_options *ret, enum cmd_action *action_ret)
{
	struct option longs[N_ROWS + 1];
	char shorts[3 * N_ROWS];
	int value;

	*ret = (struct cmd_options){ 0 };
	*action_ret = CMD_CONVERT;
	if (argc > 1 && strcmp(argv[1], "help") == 0) {
		*action_ret = CMD_HELP;
		return NULL;
	}
	build_getopt(longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_row *row = row_of(value);

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

static const char synopsis[] = "pdconv [INPUT] [-f FORMAT] [-o OUTPUT] [OPTIONS]";
static const char summary[] = "convert a recording of Linux perf, without the machine it is from";
static const char description[] =
	"Reads the perf.data INPUT, unwinds the captured stacks, names the frames and writes the "
	"result. Text goes to standard output; a binary format too, unless that is a terminal: then "
	"to a file named after the input. A file is complete or not there.";
static const char exit_status[] =
	"0: done, perhaps with warnings. 1: failed, nothing was written. 2: the command line makes no "
	"sense. 3: --strict, and something was damaged or left out.";

/* "-i, --input FILE"; returns its width. */
static int write_names(FILE *out, size_t i)
{
	int width = rows[i].letter ? fprintf(out, "-%c, ", rows[i].letter) : fprintf(out, "    ");

	width += fprintf(out, "--%s", rows[i].name);
	for (size_t alias = i + 1; alias < N_ROWS && !rows[alias].help; alias++)
		width += fprintf(out, ", --%s", rows[alias].name);
	if (rows[i].argument)
		width += fprintf(out, " %s", rows[i].argument);
	return width;
}

void cmd_help(FILE *out)
{
	enum { HELP_COLUMN = 44 };
	size_t n_formats;
	const struct out_format *formats = out_formats(&n_formats);

	fprintf(out, "usage: %s\n\n%s\n\nOptions:\n", synopsis, summary);
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!rows[i].help)
			continue;
		fputs("  ", out);
		int width = write_names(out, i);
		fprintf(out, "%*s%s\n", width < HELP_COLUMN ? HELP_COLUMN - width : 1, "",
			rows[i].help);
	}
	fputs("\nFormats:\n", out);
	for (size_t i = 0; i < n_formats; i++)
		fprintf(out, "  %-10s %s\n", formats[i].name, formats[i].help);
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

void cmd_man(FILE *out)
{
	size_t n_formats;
	const struct out_format *formats = out_formats(&n_formats);

	fputs(".TH PDCONV 1 \"\" \"pdconv " PD_VERSION "\"\n.SH NAME\npdconv \\- ", out);
	write_roff(out, summary);
	fputs("\n.SH SYNOPSIS\n", out);
	write_roff(out, synopsis);
	fputs("\n.SH DESCRIPTION\n", out);
	write_roff(out, description);
	fputs("\n.SH OPTIONS\n", out);
	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].help)
			write_man_option(out, i);
	}
	fputs(".SH FORMATS\n", out);
	for (size_t i = 0; i < n_formats; i++) {
		fprintf(out, ".TP\n.B %s\n", formats[i].name);
		write_roff(out, formats[i].help);
		putc('\n', out);
	}
	fprintf(out, ".SH EXIT STATUS\n");
	write_roff(out, exit_status);
	putc('\n', out);
}
