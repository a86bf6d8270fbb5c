#include "cmd/options/man.h"

#include <ctype.h>
#include <string.h>

#include "cmd/options/option_tables.h"
#include "query/tools.h"
#include "symbolize/find/file_search.h"

/* Keep roff from taking a line that begins with @p text for a macro. */
static void protect_line(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
}

/* Write @p text with what roff would interpret escaped. */
static void write_roff(FILE *out, const char *text)
{
	protect_line(out, text);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else if (*text == '~')
			fputs("\\(ti", out);
		else if (*text == '^')
			fputs("\\(ha", out);
		else
			putc(*text, out);
	}
}

/* Write @p text in short lines, and a new one for each sentence, as roff wants it. */
static void write_text(FILE *out, const char *text)
{
	enum { LINE = 72 };
	char line[LINE + 2];
	size_t n = 0;

	while (*text) {
		size_t len = strcspn(text, " ");
		bool is_end = len && text[len - 1] == '.';

		if (len >= LINE)
			len = LINE - 1;
		if (n && n + 1 + len > LINE) {
			write_roff(out, line);
			putc('\n', out);
			n = 0;
		}
		n += (size_t)snprintf(
			line + n, sizeof(line) - n, "%s%.*s", n ? " " : "", (int)len, text);
		text += len + (text[len] == ' ');
		if (!is_end && *text)
			continue;
		write_roff(out, line);
		putc('\n', out);
		n = 0;
	}
}

static void write_bold(FILE *out, const char *text)
{
	fputs("\\fB", out);
	write_roff(out, text);
	fputs("\\fR", out);
}

/* "pdconv-record", or "PDCONV-RECORD". */
static void write_page_name(FILE *out, const struct cmd_command_row *row, bool is_upper)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", row->command == CMD_PERF_TO_PROFILE ? "" : "pdconv",
		row->name[0] && row->command != CMD_PERF_TO_PROFILE ? "-" : "", row->name);
	for (char *c = name; *c && is_upper; c++)
		*c = (char)toupper((unsigned char)*c);
	write_roff(out, name);
}

/* "\-i FILE", and the same with each long name. */
static void write_option_names(FILE *out, size_t i)
{
	const struct cmd_option_row *rows = cmd_option_rows;
	char name[64];

	fputs(".TP\n", out);
	if (rows[i].letter) {
		snprintf(name, sizeof(name), "-%c", rows[i].letter);
		write_bold(out, name);
		fputs(", ", out);
	}
	for (size_t k = i; k == i || (k < CMD_N_OPTIONS && !rows[k].help); k++) {
		snprintf(name, sizeof(name), "--%s", rows[k].name);
		fputs(k == i ? "" : ", ", out);
		write_bold(out, name);
	}
	if (!rows[i].argument) {
		putc('\n', out);
		return;
	}
	fputs(cmd_has_optional(&rows[i]) ? "[=\\fI" : " \\fI", out);
	write_roff(out, rows[i].argument);
	fputs(cmd_has_optional(&rows[i]) ? "\\fR]\n" : "\\fR\n", out);
}

static void write_option(FILE *out, size_t i)
{
	const struct cmd_option_row *row = &cmd_option_rows[i];

	write_option_names(out, i);
	putc(toupper((unsigned char)row->help[0]), out);
	write_roff(out, row->help + 1);
	fputs(".\n", out);
	if (row->details)
		write_text(out, row->details);
}

static void write_options(FILE *out, const struct cmd_command_row *command)
{
	unsigned formats = cmd_formats_of(command->command);

	fputs(".SH OPTIONS\n", out);
	for (size_t topic = 0; topic < CMD_N_TOPICS; topic++) {
		bool has_begun = false;

		for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
			const struct cmd_option_row *row = &cmd_option_rows[i];

			if (!row->help || row->topic != topic ||
				!(row->commands & command->command) || !(row->formats & formats) ||
				cmd_is_for_conversion(row, command->command))
				continue;
			if (!has_begun)
				fprintf(out, ".SS %s\n", cmd_topic_titles[topic]);
			has_begun = true;
			write_option(out, i);
		}
	}
}

static void write_entry(FILE *out, const char *name, const char *text)
{
	fputs(".TP\n", out);
	write_bold(out, name);
	putc('\n', out);
	write_text(out, text);
}

static void write_notes(
	FILE *out, const char *title, const struct cmd_note_row *rows, size_t n, unsigned commands)
{
	bool has_begun = false;

	for (size_t i = 0; i < n; i++) {
		if (!(rows[i].commands & commands))
			continue;
		if (!has_begun)
			fprintf(out, ".SH %s\n", title);
		has_begun = true;
		write_entry(out, rows[i].name, rows[i].text);
	}
}

static void write_examples(FILE *out, unsigned commands)
{
	const char *before = ".SH EXAMPLES\n";

	for (size_t i = 0; i < CMD_N_EXAMPLES; i++) {
		if (!(cmd_example_rows[i].commands & commands))
			continue;
		fputs(before, out);
		protect_line(out, cmd_example_rows[i].text);
		putc(toupper((unsigned char)cmd_example_rows[i].text[0]), out);
		write_roff(out, cmd_example_rows[i].text + 1);
		fputs(":\n.PP\n.RS 4\n.nf\n", out);
		write_roff(out, cmd_example_rows[i].name);
		fputs("\n.fi\n.RE\n", out);
		before = ".PP\n";
	}
}

static void write_formats(FILE *out)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	fputs(".SH FORMATS\n", out);
	for (size_t i = 0; i < n; i++)
		write_entry(out, formats[i]->name, formats[i]->help);
}

static void write_places(FILE *out)
{
	fputs(".SH BINARIES\nBinaries and their debug files are looked for in this order:\n", out);
	for (size_t i = 0; i < SYM_N_SEARCH_PATHS; i++)
		write_entry(out, sym_search_path_name((enum sym_search_path)i),
			sym_search_path_text((enum sym_search_path)i));
}

static void write_tools(FILE *out)
{
	fputs(".SH TOOLS\n", out);
	for (size_t i = 0; i < QRY_N_TOOLS; i++)
		write_entry(out, qry_tool_rows[i].name, qry_tool_rows[i].description);
	fputs(".SH ARGUMENTS OF TOOLS\n", out);
	for (size_t i = 0; i < QRY_N_PARAMS; i++)
		write_entry(out, qry_param_rows[i].name, qry_param_rows[i].meaning);
}

static void write_see_also(FILE *out, enum cmd_command command)
{
	fputs(".SH SEE ALSO\n", out);
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		if (cmd_command_rows[i].command == command)
			continue;
		fputs(".BR ", out);
		write_page_name(out, &cmd_command_rows[i], false);
		fputs(" (1),\n", out);
	}
	fputs(".BR perf\\-record (1),\n.BR perf\\-script (1)\n", out);
}

static void write_synopsis(FILE *out, const struct cmd_command_row *row)
{
	fputs(".SH SYNOPSIS\n", out);
	write_bold(out, row->command == CMD_PERF_TO_PROFILE ? row->name : "pdconv");
	if (row->command != CMD_PERF_TO_PROFILE && row->name[0]) {
		putc(' ', out);
		write_bold(out, row->name);
	}
	putc(' ', out);
	write_roff(out, row->arguments);
	putc('\n', out);
	if (row->command != CMD_CONVERT)
		return;
	fputs(".br\n\\fBpdconv\\fR COMMAND [ARGUMENT ...]\n.br\n\\fBpdconv help\\fR [COMMAND | FORMAT | TOPIC]\n",
		out);
}

static void write_commands(FILE *out)
{
	fputs(".SH COMMANDS\n", out);
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		if (cmd_command_rows[i].name[0])
			write_entry(out, cmd_command_rows[i].name, cmd_command_rows[i].summary);
	}
}

void cmd_man(enum cmd_command command, FILE *out)
{
	const struct cmd_command_row *row = cmd_command_row(command);

	fputs(".TH ", out);
	write_page_name(out, row, true);
	fputs(" 1 \"" PD_VERSION_DATE "\" \"pdconv " PD_VERSION "\"\n.SH NAME\n", out);
	write_page_name(out, row, false);
	fputs(" \\- ", out);
	write_roff(out, row->summary);
	putc('\n', out);
	write_synopsis(out, row);
	fputs(".SH DESCRIPTION\n", out);
	write_text(out, row->description);
	if (command == CMD_CONVERT) {
		write_commands(out);
		write_formats(out);
	}
	if (command & (CMD_QUERY | CMD_MCP))
		write_tools(out);
	write_options(out, row);
	if (command == CMD_CONVERT || command == CMD_INFO)
		write_places(out);
	write_examples(out, command);
	write_notes(out, "FILES", cmd_file_rows, CMD_N_FILES, command);
	write_notes(out, "ENVIRONMENT", cmd_variable_rows, CMD_N_VARIABLES, command);
	write_notes(out, "EXIT STATUS", cmd_status_rows, CMD_N_STATUSES, command);
	write_see_also(out, command);
}
