/* The help texts, from the tables. */
#include "cmd/options/help.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/keys/keys.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/names/nearest.h"
#include "cmd/options/option_tables.h"
#include "cmd/options/message.h"
#include "query/tools.h"
#include "symbolize/find/file_search.h"

/* Columns where the second column of lists begins, and the least that may be left for it. */
enum { OPTION_COLUMN = 30, NOTE_COLUMN = 20, MIN_TEXT = 30 };

/* Width of a terminal, as long as nothing else is known. */
enum { DEFAULT_WIDTH = 80 };

/* Write @p text in lines that begin at @p column. @p at columns of the first one are taken. */
static void write_wrapped(FILE *out, const char *text, size_t at, size_t column)
{
	size_t width = cmd_terminal_width();

	if (!width)
		width = DEFAULT_WIDTH;
	if (width < column + MIN_TEXT)
		width = column + MIN_TEXT;
	if (at && at + 1 >= column) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", (int)(column - at), "");
	at = column;
	while (*text) {
		size_t len = strcspn(text, " ");
		size_t space = at > column;

		if (space && at + space + len > width) {
			fprintf(out, "\n%*s", (int)column, "");
			at = column;
			space = 0;
		}
		fprintf(out, "%s%.*s", space ? " " : "", (int)len, text);
		at += space + len;
		text += len + (text[len] == ' ');
	}
	fputc('\n', out);
}

/* "  NAME    TEXT" */
static void write_row(FILE *out, const char *name, const char *text)
{
	write_wrapped(out, text, (size_t)fprintf(out, "  %s", name), NOTE_COLUMN);
}

static void write_option(FILE *out, const struct cmd_option_row *row)
{
	int at = row->letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
			     : fprintf(out, "      --%s", row->name);

	if (row->argument)
		at += fprintf(out, cmd_has_optional(row) ? "[=%s]" : " %s", row->argument);
	write_wrapped(out, row->help, (size_t)at, OPTION_COLUMN);
}

/* Options of @p commands that one of @p formats heeds, by topic. */
static void write_options(FILE *out, unsigned commands, unsigned formats)
{
	for (size_t topic = 0; topic < CMD_N_TOPICS; topic++) {
		bool has_begun = false;

		for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
			const struct cmd_option_row *row = &cmd_option_rows[i];

			if (!row->help || row->topic != topic || !(row->commands & commands) ||
				!(row->formats & formats) ||
				cmd_is_for_conversion(row, (enum cmd_command)commands))
				continue;
			if (!has_begun)
				fprintf(out, "\n%s:\n", cmd_topic_titles[topic]);
			has_begun = true;
			write_option(out, row);
		}
	}
}

static void write_format_list(FILE *out)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	for (size_t i = 0; i < n; i++)
		write_row(out, formats[i]->name, formats[i]->help);
}

static void write_formats(FILE *out)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	fputs("Formats, for -f; pdconv help FORMAT lists the options of one:\n", out);
	write_format_list(out);
	fputs("\nSuffix of the output file, if none is given:\n", out);
	for (size_t i = 0; i < n; i++) {
		if (formats[i]->is_binary)
			write_row(out, formats[i]->name, formats[i]->suffix);
	}
}

static void write_places(FILE *out)
{
	fputs("Binaries and their debug files are looked for in this order:\n", out);
	for (size_t i = 0; i < SYM_N_SEARCH_PATHS; i++)
		write_row(out, sym_search_path_name((enum sym_search_path)i),
			sym_search_path_text((enum sym_search_path)i));
}

static void write_labels(FILE *out)
{
#define TAG_ROW(tag, name, help) { name, help },
	static const struct {
		const char *name;
		const char *help;
	} tags[] = { PROF_TAGS(TAG_ROW) };

	fputs("Labels of samples in pprof, for --labels:\n", out);
	for (size_t i = 0; i < PROF_N_TAGS; i++)
		write_row(out, tags[i].name, tags[i].help);
}

static void write_keys_of(FILE *out, enum ana_key_of of, const char *title)
{
	fprintf(out, "\n%s:\n", title);
	for (size_t i = 0; i < ANA_N_KEYS; i++) {
		const struct ana_key_row *row = ana_key_row((enum ana_key)i);

		if (row->of == of)
			write_row(out, row->name, row->help);
	}
}

static void write_keys(FILE *out)
{
	const char *name;
	const char *why;

	fputs("Keys of tables, for --sort and --group-by. The recording must have their data.\n",
		out);
	write_keys_of(out, ANA_OF_SAMPLE, "Properties of samples");
	write_keys_of(out, ANA_OF_FRAME, "Properties of functions in stacks");
	write_keys_of(out, ANA_OF_BRANCH, "Properties of branches, which are counted one by one");
	write_keys_of(out, ANA_OF_ACCESS,
		"Properties of memory accesses, which are counted by their weight");
	write_keys_of(out, ANA_OF_SUM, "Columns of sums");
	fputs("\nOther names:\n", out);
	for (size_t i = 0; i < ANA_N_KEYS; i++) {
		for (size_t k = 0; (name = ana_key_alias((enum ana_key)i, k)); k++)
			write_row(out, name, ana_key_row((enum ana_key)i)->name);
	}
	fputs("\nUnsupported keys of perf report:\n", out);
	for (size_t i = 0; ana_missing_key(i, &name, &why); i++)
		write_row(out, name, why);
}

static const struct cmd_help_topic topics[] = {
	{ "keys", write_keys },
	{ "formats", write_formats },
	{ "labels", write_labels },
	{ "fields", out_script_help },
	{ "binaries", write_places },
};

enum { N_TOPICS = PD_ARRAY_LEN(topics) };

const struct cmd_help_topic *cmd_help_topic_find(const char *name)
{
	for (size_t i = 0; i < N_TOPICS; i++) {
		if (strcmp(topics[i].name, name) == 0)
			return &topics[i];
	}
	return NULL;
}

void cmd_help_visit(void (*fn)(void *ctx, const char *name), void *ctx)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		if (cmd_command_rows[i].name[0])
			fn(ctx, cmd_command_rows[i].name);
	}
	/* The report is a command, too. */
	for (size_t i = 0; i < n; i++) {
		if (!cmd_command_find(formats[i]->name))
			fn(ctx, formats[i]->name);
	}
	for (size_t i = 0; i < N_TOPICS; i++)
		fn(ctx, topics[i].name);
}

static void try_name(void *ctx, const char *name)
{
	base_nearest_try(ctx, name);
}

static void print_name(void *ctx, const char *name)
{
	fprintf(ctx, "%s%s", ftell(ctx) > 0 ? ", " : "", name);
}

struct pd_error *cmd_help_unknown(const char *word)
{
	_cleanup_free_ char *list = NULL;
	struct base_nearest nearest;
	size_t len;

	base_nearest_init(&nearest, word, strlen(word));
	cmd_help_visit(try_name, &nearest);
	if (nearest.name)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown help topic '%s': did you mean '%s'?", word, nearest.name);
	FILE *out = base_memstream_open(&list, &len);
	if (!out)
		return &pd_enomem;
	cmd_help_visit(print_name, out);
	if (!base_memstream_close(out, &list))
		return &pd_enomem;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "unknown help topic '%s': expected one of %s", word, list);
}

static void write_commands(FILE *out)
{
	fputs("\nCommands:\n", out);
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		if (cmd_command_rows[i].name[0])
			write_row(out, cmd_command_rows[i].name, cmd_command_rows[i].summary);
	}
	write_row(out, "help TOPIC",
		"explain a command, a format, formats, keys, labels, fields or binaries");
}

static void write_notes(
	FILE *out, const char *title, const struct cmd_note_row *rows, size_t n, unsigned commands)
{
	fprintf(out, "\n%s:\n", title);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].commands & commands)
			write_row(out, rows[i].name, rows[i].text);
	}
}

static void write_examples(FILE *out, unsigned commands)
{
	fputs("\nExamples:\n", out);
	for (size_t i = 0; i < CMD_N_EXAMPLES; i++) {
		if (cmd_example_rows[i].commands & commands)
			fprintf(out, "  # %s\n  %s\n", cmd_example_rows[i].text,
				cmd_example_rows[i].name);
	}
}

/* The tools of pdconv query and pdconv mcp, and the parameters that they take. */
static void write_tools(FILE *out)
{
	fputs("\nTools, and their arguments (* must be given, the main one is first):\n", out);
	for (size_t i = 0; i < QRY_N_TOOLS; i++) {
		write_row(out, qry_tool_rows[i].name, qry_tool_rows[i].description);
		fprintf(out, "%*s", NOTE_COLUMN, "");
		qry_tool_write_params(&qry_tool_rows[i], out);
		fputc('\n', out);
	}
	fputs("\nArguments of tools:\n", out);
	for (size_t i = 0; i < QRY_N_PARAMS; i++)
		write_row(out, qry_param_rows[i].name, qry_param_rows[i].meaning);
}

static void help_command(enum cmd_command command, FILE *out)
{
	const struct cmd_command_row *row = cmd_command_row(command);

	fprintf(out, "usage: %s%s%s%s\n\n", command == CMD_PERF_TO_PROFILE ? "" : "pdconv ",
		row->name, row->name[0] ? " " : "", row->arguments);
	write_wrapped(out, row->description, 0, 0);
	if (command == CMD_CONVERT) {
		write_commands(out);
		fputs("\nFormats:\n", out);
		write_format_list(out);
	}
	if (command & (CMD_QUERY | CMD_MCP))
		write_tools(out);
	write_options(out, command, cmd_formats_of(command));
	write_notes(out, "Exit status", cmd_status_rows, CMD_N_STATUSES, command);
	write_examples(out, command);
}

static void help_format(const struct out_format *format, FILE *out)
{
	fprintf(out, "%s: ", format->name);
	write_wrapped(out, format->help, 0, 0);
	fprintf(out, "\n%s format, file suffix %s\n", format->is_binary ? "Binary" : "Text",
		format->suffix);
	fputs("\nOptions of this format:\n", out);
	for (size_t topic = CMD_TOPIC_FOLDED; topic <= CMD_TOPIC_PERFDATA; topic++) {
		for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
			const struct cmd_option_row *row = &cmd_option_rows[i];

			if (row->topic == topic && row->help && cmd_option_is_of_few(row) &&
				row->formats & cmd_format_bit(format))
				write_option(out, row);
		}
	}
}

void cmd_help(const struct cmd_options *options, FILE *out)
{
	if (options->topic)
		options->topic->write(out);
	else if (options->help_format)
		help_format(options->help_format, out);
	else
		help_command(options->command, out);
}
