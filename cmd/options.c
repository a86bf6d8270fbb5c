#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/number.h"
#include "cmd/help.h"
#include "cmd/option_error.h"
#include "cmd/tables.h"

enum { FIRST_LONG = 256 };

/* A command line while it is parsed. */
struct parsing {
	struct cmd_options *options;
	enum cmd_action action;
	/** The options that were given. */
	bool given[CMD_N_OPTIONS];
};

/* Letters mean different things to different commands. */
static void build_getopt(enum cmd_command command, struct option longs[static CMD_N_OPTIONS + 1],
	char shorts[static 3 * CMD_N_OPTIONS])
{
	size_t len = 0, n = 0;

	/* A program to be recorded has options of its own. */
	if (command == CMD_RECORD)
		shorts[len++] = '+';
	shorts[len++] = ':';
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (!(row->commands & command))
			continue;
		longs[n++] = (struct option){
			.name = row->name,
			.has_arg = row->kind == CMD_KIND_OPTIONAL ? optional_argument
				   : row->argument		  ? required_argument
								  : no_argument,
			.val = FIRST_LONG + (int)i,
		};
		if (!row->letter)
			continue;
		shorts[len++] = row->letter;
		if (row->argument)
			shorts[len++] = ':';
		/* Two colons: the argument is optional. */
		if (row->kind == CMD_KIND_OPTIONAL)
			shorts[len++] = ':';
	}
	shorts[len] = '\0';
	longs[n] = (struct option){ 0 };
}

/* The option of a value that getopt returned; NULL if the command has no such option. */
static const struct cmd_option_row *row_of(enum cmd_command command, int value)
{
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		if (!(cmd_option_rows[i].commands & command))
			continue;
		if (value == FIRST_LONG + (int)i ||
			(cmd_option_rows[i].letter && value == cmd_option_rows[i].letter))
			return &cmd_option_rows[i];
	}
	return NULL;
}

/* Parse the argument of an option. */

static struct pd_error *take_size(const char *text, uint64_t max, uint64_t *ret)
{
	const char *end;

	if (pd_number_parse(text, max, &end, ret) && !*end)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL, "invalid number '%s'", text);
}

static struct pd_error *take_count(const char *text, size_t *to)
{
	uint64_t value;
	struct pd_error *err = take_size(text, SIZE_MAX, &value);

	if (err)
		return err;
	*to = value;
	return NULL;
}

static struct pd_error *take_decimal(const char *text, double max, const char *expected, double *to)
{
	const char *end;

	if (pd_decimal_parse(text, &end, to) && !*end && *to <= max)
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid number '%s': expected %s", text, expected);
}

static struct pd_error *take_seconds(const char *text, double *to)
{
	struct pd_error *err = take_decimal(text, 1e9, "a number of seconds", to);

	if (!err && !(*to > 0))
		err = pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid number '%s': expected a number of seconds above 0", text);
	return err;
}

static struct pd_error *take_milliseconds(const char *text, double *to)
{
	struct pd_error *err = take_decimal(text, 1e12, "a number of milliseconds", to);

	if (err)
		return err;
	*to /= 1000;
	return NULL;
}

static struct pd_error *check_path(enum cmd_option_kind kind, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return pd_error_create(PD_ERROR_USAGE, path, "cannot open: %s", strerror(errno));
	if (kind == CMD_KIND_DIR && !S_ISDIR(st.st_mode))
		return pd_error_create(PD_ERROR_USAGE, path, "is not a directory");
	if (kind == CMD_KIND_FILE && S_ISDIR(st.st_mode))
		return pd_error_create(PD_ERROR_USAGE, path, "is a directory");
	return NULL;
}

static struct pd_error *take_path(enum cmd_option_kind kind, const char *text, const char **to)
{
	*to = text;
	return check_path(kind, text);
}

static struct pd_error *take_item(const char *text, struct cmd_list *to)
{
	return pd_vec_push(&to->items, text) ? NULL : &pd_enomem;
}

/* The list keeps "DIR:DIR" as it is, but all directories must exist. */
static struct pd_error *take_dirs(const char *text, struct cmd_list *to)
{
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ":");
		char *dir = strndup(at, len);

		if (!dir)
			return &pd_enomem;
		struct pd_error *err = len ? check_path(CMD_KIND_PATH, dir) : NULL;
		free(dir);
		if (err)
			return err;
		at += len + (at[len] == ':');
	}
	return take_item(text, to);
}

static struct pd_error *take_format(const char *name, const struct out_format **to)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);
	struct pd_nearest nearest;

	*to = out_format_find(name);
	if (*to)
		return NULL;
	pd_nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < n; i++)
		pd_nearest_try(&nearest, formats[i]->name);
#define NAME_OF(name) " " #name
	return cmd_unknown("format", &nearest, "expected one of" OUT_FORMATS(NAME_OF));
}

static struct pd_error *take_argument(
	const struct cmd_option_row *row, const char *text, struct parsing *p)
{
	void *to = (char *)p->options + row->offset;

	switch ((enum cmd_option_kind)row->kind) {
	case CMD_KIND_FLAG:
		*(bool *)to = true;
		return NULL;
	case CMD_KIND_FORMAT:
		return take_format(text, to);
	case CMD_KIND_SHORT_FORMAT:
		return take_format(row->name, to);
	case CMD_KIND_TEXT:
		*(const char **)to = text;
		return NULL;
	case CMD_KIND_DIR:
	case CMD_KIND_FILE:
	case CMD_KIND_PATH:
		return take_path(row->kind, text, to);
	case CMD_KIND_OPTIONAL:
		*(const char **)to = text ? text : "";
		return NULL;
	case CMD_KIND_COUNT:
		return take_count(text, to);
	case CMD_KIND_NUMBER:
		return take_size(text, UINT64_MAX, to);
	case CMD_KIND_PERCENT:
		return take_decimal(text, 100, "a number from 0 to 100", to);
	case CMD_KIND_SECONDS:
		return take_seconds(text, to);
	case CMD_KIND_MILLISECONDS:
		return take_milliseconds(text, to);
	case CMD_KIND_FILTER:
		if (!pd_vec_push(&p->options->record.filter_places, p->options->events.items.n))
			return &pd_enomem;
		return take_item(text, to);
	case CMD_KIND_LIST:
		return take_item(text, to);
	case CMD_KIND_DIRS:
		return take_dirs(text, to);
	case CMD_KIND_HELP:
		p->action = CMD_HELP;
		return NULL;
	case CMD_KIND_MAN:
		p->action = CMD_MAN;
		return NULL;
	case CMD_KIND_VERSION:
		p->action = CMD_VERSION;
		return NULL;
	}
	return NULL;
}

/* Take the positional arguments. */

/* Like perf: standard input if it is a pipe, otherwise perf.data. */
static const char *default_input(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

/* How many recordings a command reads at most. */
static int max_inputs(enum cmd_command command)
{
	return command & (CMD_CONVERT | CMD_REPORT) ? INT_MAX : command == CMD_DIFF ? 2 : 1;
}

static struct pd_error *take_inputs(int argc, char **argv, struct cmd_options *ret)
{
	int n = argc - optind;

	if (ret->command == CMD_RECORD) {
		ret->record.command = argv + optind;
		return NULL;
	}
	if (n && ret->input)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the input '%s' cannot be given in addition to --input", argv[optind]);
	if (n > max_inputs(ret->command))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"too many inputs: '%s', expected at most %d", argv[argc - 1],
			max_inputs(ret->command));
	if (!n) {
		ret->input = ret->input ? ret->input : default_input();
		return take_item(ret->input, &ret->inputs);
	}
	for (int i = optind; i < argc; i++) {
		struct pd_error *err = take_item(argv[i], &ret->inputs);

		if (err)
			return err;
	}
	ret->input = ret->inputs.items.data[0];
	return NULL;
}

/* pdconv help [COMMAND | FORMAT | TOPIC] */
static struct pd_error *parse_help(int argc, char **argv, struct cmd_options *ret)
{
	if (argc <= 2)
		return NULL;
	const struct cmd_command_row *command = argv[2][0] ? cmd_command_find(argv[2]) : NULL;
	if (command) {
		ret->command = command->command;
		return NULL;
	}
	ret->topic = cmd_help_topic_find(argv[2]);
	ret->help_format = out_format_find(argv[2]);
	return ret->topic || ret->help_format ? NULL : cmd_help_unknown(argv[2]);
}

/*
 * Find the command that the program's own name stands for, or the first argument. *@p first_ret is
 * the first argument after it.
 */
static struct pd_error *find_command(int argc, char **argv, enum cmd_command *ret, int *first_ret)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *own = slash ? slash + 1 : argc ? argv[0] : "";
	const struct cmd_command_row *row = own[0] ? cmd_command_find(own) : NULL;
	struct pd_nearest nearest;

	*ret = row ? row->command : CMD_CONVERT;
	*first_ret = 1;
	if (row || argc < 2 || !argv[1][0] || argv[1][0] == '-')
		return NULL;
	row = cmd_command_find(argv[1]);
	if (row) {
		*ret = row->command;
		*first_ret = 2;
		return NULL;
	}
	if (strcmp(argv[1], "help") == 0 || access(argv[1], F_OK) == 0)
		return NULL;
	/* It may be a recording that does not exist, but a mistyped command is more likely. */
	pd_nearest_init(&nearest, argv[1], strlen(argv[1]));
	for (size_t i = 0; i < CMD_N_COMMANDS; i++)
		pd_nearest_try(&nearest, cmd_command_rows[i].name);
	pd_nearest_try(&nearest, "help");
	return nearest.name ? cmd_unknown("command", &nearest, NULL) : NULL;
}

static struct pd_error *option_of_another(const struct cmd_option_row *row)
{
	const struct cmd_command_row *command = cmd_command_rows;

	while (!(command->command & row->commands))
		command++;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"'--%s' is not an option of this command, but of 'pdconv%s%s'", row->name,
		command->name[0] ? " " : "", command->name);
}

/* Return an error if two options of @p command begin with the @p len bytes of @p text. */
static struct pd_error *ambiguous_option(enum cmd_command command, const char *text, size_t len)
{
	const char *first = NULL;

	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (!(row->commands & command) || strncmp(row->name, text, len) != 0)
			continue;
		if (first)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"option '--%.*s' is ambiguous: '--%s' or '--%s'", (int)len, text,
				first, row->name);
		first = row->name;
	}
	return NULL;
}

/* Return the error for the long option at @p text, which @p command does not have. */
static struct pd_error *unknown_long(enum cmd_command command, const char *text)
{
	size_t len = strcspn(text, "=");
	struct pd_nearest nearest;

	pd_nearest_init(&nearest, text, len);
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (row->commands & command)
			pd_nearest_try(&nearest, row->name);
		else if (strlen(row->name) == len && strncmp(row->name, text, len) == 0)
			return option_of_another(row);
	}
	struct pd_error *err = ambiguous_option(command, text, len);
	if (err)
		return err;
	if (nearest.name)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown option '--%.*s': did you mean '--%s'?", (int)len, text,
			nearest.name);
	return pd_error_create(PD_ERROR_USAGE, NULL, "unknown option '--%.*s'", (int)len, text);
}

/* Return the error for the option at @p text, which getopt did not accept. */
static struct pd_error *unknown_option(enum cmd_command command, const char *text)
{
	const struct cmd_option_row *row = optopt ? row_of(command, optopt) : NULL;

	if (row)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "option '--%s' takes no argument", row->name);
	if (optopt)
		return pd_error_create(PD_ERROR_USAGE, NULL, "unknown option '-%c'", optopt);
	return unknown_long(command, text + strlen("--"));
}

static struct pd_error *parse_options(int argc, char **argv, struct parsing *p)
{
	enum cmd_command command = p->options->command;
	struct option longs[CMD_N_OPTIONS + 1];
	char shorts[3 * CMD_N_OPTIONS];
	int value;

	build_getopt(command, longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct cmd_option_row *row = row_of(command, value);

		if (value == ':')
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"option '%s' needs an argument", argv[optind - 1]);
		if (!row)
			return unknown_option(command, argv[optind - 1]);
		p->given[row - cmd_option_rows] = true;
		struct pd_error *err = take_argument(row, optarg, p);
		if (err)
			return cmd_option_error(row->name, err);
	}
	return NULL;
}

/* The format that a command writes; NULL: none. */
static const struct out_format *format_of(const struct cmd_options *options)
{
	switch (options->command) {
	case CMD_CONVERT:
	case CMD_DIFF:
		return options->format ? options->format : out_formats(&(size_t){ 0 })[0];
	case CMD_REPORT:
		return &out_format_report;
	case CMD_PERF_TO_PROFILE:
		return &out_format_pprof;
	case CMD_RECORD:
		return options->format;
	case CMD_DUMP:
	case CMD_INFO:
		break;
	}
	return NULL;
}

/* Refuse options that have no effect on the format. */
static struct pd_error *check_formats(const struct parsing *p)
{
	const struct out_format *format = format_of(p->options);
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	for (size_t i = 0; i < CMD_N_OPTIONS && format; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];
		const char *only = "";

		if (!p->given[i] || row->formats & cmd_format_bit(format))
			continue;
		for (size_t k = 0; k < n; k++) {
			if (row->formats == cmd_format_bit(formats[k]))
				only = formats[k]->name;
		}
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"option '--%s' has no effect on the format %s%s%s", row->name, format->name,
			only[0] ? ": it belongs to " : "", only);
	}
	return NULL;
}

struct pd_error *cmd_options_parse(
	int argc, char **argv, struct cmd_options *ret, enum cmd_action *action_ret)
{
	struct parsing p = { .options = ret, .action = CMD_RUN };

	*ret = (struct cmd_options){ .argv = argv };
	struct pd_error *err = find_command(argc, argv, &ret->command, &optind);
	if (err)
		return err;
	if (ret->command == CMD_CONVERT && argc > 1 && strcmp(argv[1], "help") == 0) {
		*action_ret = CMD_HELP;
		return parse_help(argc, argv, ret);
	}
	err = parse_options(argc, argv, &p);
	*action_ret = p.action;
	if (err || p.action != CMD_RUN)
		return err;
	err = check_formats(&p);
	return err ? err : take_inputs(argc, argv, ret);
}

void cmd_options_deinit(struct cmd_options *options)
{
	pd_vec_deinit(&options->inputs.items);
	pd_vec_deinit(&options->record.filter_places);
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		enum cmd_option_kind kind = cmd_option_rows[i].kind;
		void *member = (char *)options + cmd_option_rows[i].offset;

		if (kind == CMD_KIND_LIST || kind == CMD_KIND_DIRS || kind == CMD_KIND_FILTER)
			pd_vec_deinit(&((struct cmd_list *)member)->items);
	}
}
