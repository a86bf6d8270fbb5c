/* The help texts and the manual page, from the tables. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/tables.h"
#include "output/formats.h"
#include "symbolize/binary.h"

/* What the program returns, of which commands. */
static const struct {
	unsigned commands;
	const char *text;
} statuses[] = {
	{ CMD_EVERY, "0: done, perhaps with warnings." },
	{ CMD_EVERY & ~(unsigned)CMD_RECORD, "1: failed, nothing was written." },
	{ CMD_RECORD, "1: failed; what was recorded before stays." },
	{ CMD_EVERY, "2: the command line makes no sense." },
	{ CMD_EVERY & ~(unsigned)CMD_RECORD,
		"3: --strict, and something was damaged or left out; --fail-under-rooted, and it was "
		"less." },
	{ CMD_RECORD, "Of a COMMAND that ended before the recording did: its own, or 128+N if "
		      "signal N ended it." },
};

enum { N_STATUSES = PD_ARRAY_LEN(statuses) };

/* "-i, --input FILE"; returns its width. */
static int write_names(FILE *out, size_t i)
{
	int width = cmd_option_rows[i].letter ? fprintf(out, "-%c, ", cmd_option_rows[i].letter)
					      : fprintf(out, "    ");

	width += fprintf(out, "--%s", cmd_option_rows[i].name);
	for (size_t alias = i + 1; alias < CMD_N_OPTIONS && !cmd_option_rows[alias].help; alias++)
		width += fprintf(out, ", --%s", cmd_option_rows[alias].name);
	if (cmd_option_rows[i].argument)
		width +=
			fprintf(out, cmd_option_rows[i].kind == CMD_KIND_OPTIONAL ? "[=%s]" : " %s",
				cmd_option_rows[i].argument);
	return width;
}

static void write_formats(FILE *out)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	fputs("Formats:\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "  %-10s %-8s%-7s %s\n", formats[i]->name, formats[i]->suffix,
			formats[i]->is_binary ? "binary" : "text", formats[i]->help);
}

static void write_places(FILE *out)
{
	fputs("\nBinaries and their debug files are looked for, in this order, in\n", out);
	for (size_t i = 0; i < SYM_N_SEARCH_PATHS; i++)
		fprintf(out, "  %-17s %s\n", sym_search_path_name((enum sym_search_path)i),
			sym_search_path_text((enum sym_search_path)i));
}

static void write_commands(FILE *out)
{
	fputs("\nCommands, see pdconv help COMMAND; pdconv help formats and pdconv help fields\ntell of what is written:\n",
		out);
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		if (cmd_command_rows[i].name[0])
			fprintf(out, "  %-15s %s\n", cmd_command_rows[i].name,
				cmd_command_rows[i].summary);
	}
}

/* perf_to_profile is the program under that name. */
static void write_usage(const struct cmd_command_row *row, const char *prefix, FILE *out)
{
	fprintf(out, "%s%s%s%s%s", prefix, row->command == CMD_PERF_TO_PROFILE ? "" : "pdconv ",
		row->name, row->name[0] ? " " : "", row->arguments);
}

static void help_command(enum cmd_command command, FILE *out)
{
	enum { HELP_COLUMN = 44 };
	const struct cmd_command_row *row = cmd_command_row(command);

	write_usage(row, "usage: ", out);
	fprintf(out, "\n\n%s\n\nOptions:\n", row->summary);
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		if (!cmd_option_rows[i].help || !(cmd_option_rows[i].commands & command))
			continue;
		fputs("  ", out);
		int width = write_names(out, i);
		fprintf(out, "%*s%s\n", width < HELP_COLUMN ? HELP_COLUMN - width : 1, "",
			cmd_option_rows[i].help);
	}
	if (command == CMD_CONVERT) {
		fputc('\n', out);
		write_formats(out);
		write_commands(out);
	}
	if (command == CMD_INFO)
		write_places(out);
	fputs("\nExit status:\n", out);
	for (size_t i = 0; i < N_STATUSES; i++) {
		if (statuses[i].commands & command)
			fprintf(out, "  %s\n", statuses[i].text);
	}
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
		fprintf(out, "  %-10s %s\n", tags[i].name, tags[i].help);
}

/* What there is to know besides commands. */
static const struct {
	const char *name;
	void (*write)(FILE *out);
} topics[] = {
	{ "formats", write_formats },
	{ "labels", write_labels },
	{ "fields", out_script_help },
};

enum { N_TOPICS = PD_ARRAY_LEN(topics) };

bool cmd_help_has_topic(const char *name)
{
	for (size_t i = 0; i < N_TOPICS; i++) {
		if (strcmp(topics[i].name, name) == 0)
			return true;
	}
	return false;
}

void cmd_help(const struct cmd_options *options, FILE *out)
{
	if (!options->topic)
		help_command(options->command, out);
	for (size_t i = 0; options->topic && i < N_TOPICS; i++) {
		if (strcmp(topics[i].name, options->topic) == 0)
			topics[i].write(out);
	}
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
	write_roff(out, cmd_option_rows[i].help);
	putc('\n', out);
	free(names);
}

/* Told with converting already. */
static bool is_repeated(const struct cmd_command_row *row, const struct cmd_option_row *option)
{
	return row->command != CMD_CONVERT && option->commands & row->command &&
	       option->commands & CMD_CONVERT;
}

static void write_man_repeated(const struct cmd_command_row *row, FILE *out)
{
	const char *separator = ".PP\nAs for converting: ";

	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *option = &cmd_option_rows[i];

		if (!option->help || !is_repeated(row, option) || option->commands == CMD_EVERY)
			continue;
		fputs(separator, out);
		write_roff(out, "--");
		write_roff(out, option->name);
		separator = ", ";
	}
	fputs(separator[0] == ',' ? ".\n" : "", out);
}

static void write_man_command(FILE *out, const struct cmd_command_row *row)
{
	fprintf(out, ".SH %s\n.B ", row->name[0] ? "COMMAND" : "CONVERTING");
	write_usage(row, "", out);
	fputs("\n.PP\n", out);
	write_roff(out, row->description);
	putc('\n', out);
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *option = &cmd_option_rows[i];

		if (option->help && option->commands & row->command && !is_repeated(row, option))
			write_man_option(out, i);
	}
	if (row->command != CMD_CONVERT)
		write_man_repeated(row, out);
}

static void write_man_statuses(enum cmd_command command, FILE *out)
{
	for (size_t i = 0; i < N_STATUSES; i++) {
		if (!(statuses[i].commands & command))
			continue;
		write_roff(out, statuses[i].text);
		putc('\n', out);
	}
}

void cmd_man(FILE *out)
{
	size_t n_formats;
	const struct out_format *const *formats = out_formats(&n_formats);

	fputs(".TH PDCONV 1 \"\" \"pdconv " PD_VERSION "\"\n.SH NAME\npdconv \\- ", out);
	write_roff(out, cmd_command_rows[0].summary);
	fputs("\n.SH SYNOPSIS\n", out);
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		write_usage(&cmd_command_rows[i], "", out);
		fputs("\n.br\n", out);
	}
	for (size_t i = 0; i < CMD_N_COMMANDS; i++)
		write_man_command(out, &cmd_command_rows[i]);
	fputs(".SH FORMATS\n", out);
	for (size_t i = 0; i < n_formats; i++) {
		fprintf(out, ".TP\n.B %s\n", formats[i]->name);
		write_roff(out, formats[i]->help);
		putc('\n', out);
	}
	fputs(".SH BINARIES\nThey and their debug files are looked for, in this order, in\n", out);
	for (size_t i = 0; i < SYM_N_SEARCH_PATHS; i++) {
		fputs(".TP\n.B ", out);
		write_roff(out, sym_search_path_name((enum sym_search_path)i));
		putc('\n', out);
		write_roff(out, sym_search_path_text((enum sym_search_path)i));
		putc('\n', out);
	}
	fputs(".SH EXIT STATUS\n", out);
	write_man_statuses(CMD_CONVERT, out);
	fputs(".PP\nOf pdconv record:\n", out);
	write_man_statuses(CMD_RECORD, out);
}
