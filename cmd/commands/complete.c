/*
 * Completion for shells. A script runs `pdconv --complete PROGRAM WORD ...`: the words up to the
 * cursor, the last of which is completed; it can be empty.
 *
 * The answer has a line for each candidate: the whole word, a tab, and what it means. A line
 * without a word asks the shell for names that it knows how to complete: files, directories,
 * commands, or users.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/layout.h>

#include "analyze/keys/keys.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/options/commands.h"
#include "cmd/options/complete_names.h"
#include "cmd/options/help.h"
#include "cmd/process/output_file.h"
#include "cmd/process/sandbox.h"
#include "cmd/options/option_tables.h"
#include "output/script_fields.h"
#include "query/tools.h"

/* A command line up to the word that is completed. */
struct line {
	const struct cmd_command_row *command;
	/* The format of -f, or NULL. */
	const struct out_format *format;
	/* The first recording on the line, or NULL. */
	const char *input;
	/* annotate: a function was given. */
	bool has_function;
	/* query: the tool, or NULL. */
	const struct qry_tool_row *tool;
	/* The option that the word is the argument of, or NULL. */
	const struct cmd_option_row *open;
	/* The word belongs to a program that is recorded, or follows `help`. */
	bool is_program;
	bool is_help;
};

/* A word that is completed, and the line that it is in. */
struct context {
	const struct cmd_options *options;
	const struct line *line;
	struct cmd_completion word;
};

static void ask_shell(const struct context *c, const char *what)
{
	fprintf(c->word.out, "\t%s\n", what);
}

/* Read the words before the one that is completed. */

static bool takes_argument(const struct cmd_option_row *row)
{
	return row->argument && !cmd_has_optional(row);
}

static bool is_option_of(const struct cmd_option_row *row, const struct line *line)
{
	return row->commands & line->command->command;
}

/* The option whose name is, or only begins with, the @p len bytes at @p text. */
static const struct cmd_option_row *find_long(const struct line *line, const char *text, size_t len)
{
	const struct cmd_option_row *begins = NULL;

	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (!is_option_of(row, line) || strncmp(row->name, text, len) != 0)
			continue;
		if (!row->name[len])
			return row;
		begins = row;
	}
	return begins;
}

static const struct cmd_option_row *find_letter(const struct line *line, char letter)
{
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (is_option_of(row, line) &&
			cmd_option_letter(row, line->command->command) == letter)
			return row;
	}
	return NULL;
}

/* Note what @p argument, which may be NULL, of @p row says about the rest of the line. */
static void take_option(struct line *line, const struct cmd_option_row *row, const char *argument)
{
	if (row->kind == CMD_KIND_SHORT_FORMAT)
		line->format = out_format_find(row->name);
	else if (row->kind == CMD_KIND_FORMAT && argument)
		line->format = out_format_find(argument);
	else if (row->topic == CMD_TOPIC_INPUT && takes_argument(row))
		line->input = argument;
}

static void take_long(struct line *line, const char *text)
{
	size_t len = strcspn(text, "=");
	const struct cmd_option_row *row = find_long(line, text, len);

	if (!row)
		return;
	if (!text[len] && takes_argument(row))
		line->open = row;
	else
		take_option(line, row, text[len] ? text + len + 1 : NULL);
}

/* "-zf": letters up to one that takes what follows as its argument, or the next word. */
static void take_letters(struct line *line, const char *letters)
{
	for (; *letters; letters++) {
		const struct cmd_option_row *row = find_letter(line, *letters);

		if (!row)
			return;
		if (!row->argument) {
			take_option(line, row, NULL);
			continue;
		}
		if (letters[1] || cmd_has_optional(row))
			take_option(line, row, letters + 1);
		else
			line->open = row;
		return;
	}
}

static void take_other(struct line *line, const char *word)
{
	if (line->command->command == CMD_RECORD) {
		line->is_program = true;
		return;
	}
	if (line->command->command == CMD_QUERY && line->input) {
		for (size_t i = 0; i < QRY_N_TOOLS && !line->tool; i++)
			line->tool =
				strcmp(qry_tool_rows[i].name, word) == 0 ? &qry_tool_rows[i] : NULL;
		return;
	}
	if (access(word, F_OK) != 0)
		line->has_function = true;
	else if (!line->input)
		line->input = word;
}

static void take_word(struct line *line, const char *word)
{
	if (line->is_program || line->is_help)
		return;
	if (line->open) {
		take_option(line, line->open, word);
		line->open = NULL;
		return;
	}
	if (strcmp(word, "--") == 0)
		line->is_program = line->command->command == CMD_RECORD;
	else if (strncmp(word, "--", 2) == 0)
		take_long(line, word + 2);
	else if (word[0] == '-' && word[1])
		take_letters(line, word + 1);
	else
		take_other(line, word);
}

/* Read the @p n words before the last. The first is the name of the program. */
static struct line read_line(char *const *words, size_t n)
{
	struct line line = { .command = cmd_command_find(n ? base_file_name(words[0]) : "") };
	size_t first = 1;

	if (!line.command && n > 1) {
		line.command = words[1][0] ? cmd_command_find(words[1]) : NULL;
		line.is_help = strcmp(words[1], "help") == 0;
		first += line.command || line.is_help;
	}
	if (!line.command)
		line.command = cmd_command_row(CMD_CONVERT);
	for (size_t i = first; i < n; i++)
		take_word(&line, words[i]);
	return line;
}

/* Offer arguments of options. */

static void offer_keys(const struct context *c)
{
	for (size_t i = 0; i < ANA_N_KEYS; i++) {
		const struct ana_key_row *row = ana_key_row((enum ana_key)i);

		cmd_completion_offer(&c->word, row->name, row->help);
	}
}

/* Make the text begin at @p begin. */
static void begin_at(struct cmd_completion *word, const char *begin)
{
	word->lead_len += (size_t)(begin - word->text);
	word->text = begin;
}

/* A field may follow TYPE:, + or -. */
static void offer_fields(const struct context *c)
{
	struct cmd_completion word = c->word;
	const char *name, *help;

	if (strchr(word.text, ':'))
		begin_at(&word, strchr(word.text, ':'));
	begin_at(&word, word.text + strspn(word.text, ":+-"));
	for (size_t i = 0; (name = out_script_field(i, &help)); i++)
		cmd_completion_offer(&word, name, help);
}

static void offer_types(const struct context *c)
{
	size_t n;
	const struct pd_layout *const *layouts = pd_layouts(&n);

	for (size_t i = 0; i < n; i++)
		cmd_completion_offer(&c->word, layouts[i]->name, NULL);
}

static const char *input_of(const struct context *c)
{
	return c->line->input ? c->line->input : "perf.data";
}

static void offer_events(const struct context *c)
{
	cmd_complete_events(&c->word, input_of(c));
}

static void offer_recorded(const struct context *c, enum cmd_recorded_names names)
{
	cmd_complete_names(&c->word, c->options, input_of(c), names);
}

static void offer_comms(const struct context *c)
{
	offer_recorded(c, CMD_RECORDED_COMMS);
}

static void offer_dsos(const struct context *c)
{
	offer_recorded(c, CMD_RECORDED_DSOS);
}

static void offer_functions(const struct context *c)
{
	offer_recorded(c, CMD_RECORDED_FUNCTIONS);
}

static void offer_recordable(const struct context *c)
{
	cmd_complete_recordable(&c->word);
}

static void ask_files(const struct context *c)
{
	ask_shell(c, "files");
}

static void ask_directories(const struct context *c)
{
	ask_shell(c, "directories");
}

static void ask_users(const struct context *c)
{
	ask_shell(c, "users");
}

typedef void offer_fn(const struct context *c);

/* Arguments by their names in the table of options. */
static const struct {
	const char *argument;
	offer_fn *offer;
} arguments[] = {
	{ "FILE", ask_files },
	{ "DIR", ask_directories },
	{ "DIR[:DIR]", ask_directories },
	{ "FROM=TO", ask_directories },
	{ "USER", ask_users },
	{ "KEY[,KEY]", offer_keys },
	{ "[TYPE:]FIELD[,FIELD]", offer_fields },
	{ "TYPE[,TYPE]", offer_types },
	{ "COMM[,COMM]", offer_comms },
	{ "DSO[,DSO]", offer_dsos },
	{ "SYMBOL[,SYMBOL]", offer_functions },
	{ "FUNCTION[,FUNCTION]", offer_functions },
	{ "FUNCTION", offer_functions },
	{ "EVENT[,EVENT]", offer_recordable },
};

/* Begin after the last comma outside of f<int, char>(int). */
static void skip_to_last(struct cmd_completion *word)
{
	const char *begin = word->text;
	int depth = 0;

	for (const char *at = word->text; *at; at++) {
		depth += *at == '<' || *at == '(';
		depth -= *at == '>' || *at == ')';
		if (*at == ',' && depth <= 0)
			begin = at + 1;
	}
	begin_at(word, begin);
}

static void offer_words(const struct context *c, const struct cmd_words *words, unsigned formats)
{
	for (size_t i = 0; i < words->n; i++) {
		const struct out_format *format =
			formats ? out_format_find(words->rows[i].name) : NULL;

		if (!format)
			cmd_completion_offer(&c->word, words->rows[i].name, words->rows[i].help);
		else if (formats & cmd_format_bit(format))
			cmd_completion_offer(&c->word, format->name, format->help);
	}
}

/* Offer arguments of @p row. */
static void offer_arguments(struct context *c, const struct cmd_option_row *row)
{
	const struct cmd_words words = cmd_words_of(row->kind);

	if (strchr(row->argument, ','))
		skip_to_last(&c->word);
	if (words.n) {
		offer_words(c, &words,
			row->kind == CMD_KIND_FORMAT ? cmd_formats_of(c->line->command->command)
						     : 0);
		return;
	}
	if (row->kind == CMD_KIND_EVENTS) {
		offer_events(c);
		return;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(arguments); i++) {
		if (strcmp(row->argument, arguments[i].argument) == 0)
			arguments[i].offer(c);
	}
}

/* Offer options and other words. */

/* Whether the format on the line heeds an option. */
static bool is_heeded(const struct line *line, const struct cmd_option_row *row)
{
	return !line->format || row->formats & cmd_format_bit(line->format);
}

static void offer_options(const struct context *c)
{
	char name[64];

	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (!row->help || !is_option_of(row, c->line) || !is_heeded(c->line, row))
			continue;
		snprintf(name, sizeof(name), "--%s", row->name);
		cmd_completion_offer(&c->word, name, row->help);
	}
}

static void offer_name(void *ctx, const char *name)
{
	const struct context *c = ctx;

	cmd_completion_offer(&c->word, name, NULL);
}

static void offer_commands(const struct context *c)
{
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		const struct cmd_command_row *row = &cmd_command_rows[i];

		if (row->name[0] && row->command != CMD_PERF_TO_PROFILE)
			cmd_completion_offer(&c->word, row->name, row->summary);
	}
	cmd_completion_offer(&c->word, "help", "explain a command, a format or a topic");
}

/* Offer the tools of pdconv query, or the arguments of the one on the line. */
static void offer_tools(const struct context *c)
{
	const struct qry_tool_row *tool = c->line->tool;
	char name[64];

	for (size_t i = 0; i < QRY_N_TOOLS && !tool; i++)
		cmd_completion_offer(&c->word, qry_tool_rows[i].name, qry_tool_rows[i].description);
	for (size_t i = 0; i < QRY_N_PARAMS && tool; i++) {
		if (!(tool->takes & (uint32_t)1 << i))
			continue;
		snprintf(name, sizeof(name), "%s=", qry_param_rows[i].name);
		cmd_completion_offer(&c->word, name, qry_param_rows[i].meaning);
	}
}

static void offer_others(const struct context *c, bool is_first)
{
	enum cmd_command command = c->line->command->command;

	if (command == CMD_PERF_TO_PROFILE)
		return;
	if (command == CMD_RECORD) {
		ask_shell(c, "commands");
		return;
	}
	if (command == CMD_MCP) {
		ask_shell(c, "directories");
		return;
	}
	if (command == CMD_QUERY && c->line->input) {
		offer_tools(c);
		return;
	}
	if (command == CMD_CONVERT && is_first)
		offer_commands(c);
	if (command == CMD_ANNOTATE && !c->line->has_function)
		offer_functions(c);
	ask_files(c);
}

/* Whether the word is "--name=ARGUMENT"; the argument is completed then. */
static bool offer_after_name(struct context *c)
{
	size_t len = strcspn(c->word.text, "=");

	if (strncmp(c->word.text, "--", 2) != 0 || !c->word.text[len])
		return false;
	const struct cmd_option_row *row = find_long(c->line, c->word.text + 2, len - 2);
	begin_at(&c->word, c->word.text + len + 1);
	if (row && row->argument)
		offer_arguments(c, row);
	return true;
}

static void offer_all(struct context *c, bool is_first)
{
	const struct line *line = c->line;

	if (line->is_program)
		ask_shell(c, "commands");
	else if (line->is_help)
		cmd_help_visit(offer_name, c);
	else if (line->open)
		offer_arguments(c, line->open);
	else if (offer_after_name(c))
		return;
	else if (c->word.text[0] == '-')
		offer_options(c);
	else
		offer_others(c, is_first);
}

struct pd_error *cmd_complete(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output = { .options = options };
	char *const *words = options->complete;
	size_t n = 0;

	(void)result;
	/* Recordings are as untrusted here as anywhere. */
	struct pd_error *err = cmd_sandbox_enter(NULL, &output);
	if (err)
		return err;
	while (words[n])
		n++;
	if (n < 2)
		return NULL;
	const struct line line = read_line(words, n - 1);
	struct context context = {
		.options = options,
		.line = &line,
		.word = { .out = stdout, .lead = words[n - 1], .text = words[n - 1] },
	};
	offer_all(&context, n == 2);
	return NULL;
}
