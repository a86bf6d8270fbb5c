#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/tables.h"

enum { FIRST_LONG = 256 };

/* Letters mean what the command takes them for. */
static void build_getopt(enum cmd_command command, struct option longs[static CMD_N_OPTIONS + 1],
	char shorts[static 3 * CMD_N_OPTIONS])
{
	size_t len = 0, n = 0;

	/* A program to be recorded has options of its own. */
	if (command == CMD_RECORD)
		shorts[len++] = '+';
	shorts[len++] = ':';
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		if (!(cmd_option_rows[i].commands & command))
			continue;
		longs[n++] = (struct option){
			.name = cmd_option_rows[i].name,
			.has_arg = cmd_option_rows[i].kind == CMD_KIND_OPTIONAL ? optional_argument
				   : cmd_option_rows[i].argument		? required_argument
										: no_argument,
			.val = FIRST_LONG + (int)i,
		};
		if (!cmd_option_rows[i].letter || !(cmd_option_rows[i].commands & command))
			continue;
		shorts[len++] = cmd_option_rows[i].letter;
		if (cmd_option_rows[i].argument)
			shorts[len++] = ':';
		/* Two: it may be there. */
		if (cmd_option_rows[i].kind == CMD_KIND_OPTIONAL)
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

static struct pd_error *set_number(const struct cmd_option_row *row, void *to)
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

static struct pd_error *set_percent(const struct cmd_option_row *row, void *to)
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
	const struct cmd_option_row *row, struct cmd_options *ret, enum cmd_action *action_ret)
{
	void *to = (char *)ret + row->offset;

	switch ((enum cmd_option_kind)row->kind) {
	case CMD_KIND_FLAG:
		*(bool *)to = true;
		return NULL;
	case CMD_KIND_TEXT:
		*(const char **)to = optarg;
		return NULL;
	case CMD_KIND_LIST:
		return pd_vec_push(&((struct cmd_list *)to)->items, optarg) ? NULL : &pd_enomem;
	case CMD_KIND_FILTER:
		if (!pd_vec_push(&ret->record.filter_places, ret->events.items.n))
			return &pd_enomem;
		return pd_vec_push(&((struct cmd_list *)to)->items, optarg) ? NULL : &pd_enomem;
	case CMD_KIND_OPTIONAL:
		*(const char **)to = optarg ? optarg : "";
		return NULL;
	case CMD_KIND_FORMAT:
		*(const char **)to = row->name;
		return NULL;
	case CMD_KIND_NUMBER:
		return set_number(row, to);
	case CMD_KIND_PERCENT:
		return set_percent(row, to);
	case CMD_KIND_HELP:
		*action_ret = CMD_HELP;
		return NULL;
	case CMD_KIND_MAN:
		*action_ret = CMD_MAN;
		return NULL;
	case CMD_KIND_VERSION:
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

/* How many recordings a command reads at most. */
static int max_inputs(enum cmd_command command)
{
	return command == CMD_CONVERT ? INT_MAX : command == CMD_DIFF ? 2 : 1;
}

static struct pd_error *take_inputs(int argc, char **argv, struct cmd_options *ret)
{
	int n = argc - optind;

	if (ret->command == CMD_RECORD) {
		ret->record.command = argv + optind;
		return NULL;
	}
	if (n && ret->input)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "\"%s\" is given beside --input", argv[optind]);
	if (n > max_inputs(ret->command))
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "\"%s\" is one recording too many", argv[argc - 1]);
	if (!n) {
		ret->input = ret->input ? ret->input : default_input();
		return pd_vec_push(&ret->inputs.items, ret->input) ? NULL : &pd_enomem;
	}
	for (int i = optind; i < argc; i++) {
		if (!pd_vec_push(&ret->inputs.items, argv[i]))
			return &pd_enomem;
	}
	ret->input = ret->inputs.items.data[0];
	return NULL;
}

/* pdconv help [COMMAND | TOPIC] */
static struct pd_error *parse_help(
	int argc, char **argv, struct cmd_options *ret, enum cmd_action *action_ret)
{
	const struct cmd_command_row *command = argc > 2 ? cmd_command_find(argv[2]) : NULL;

	*action_ret = CMD_HELP;
	if (argc > 2 && cmd_help_has_topic(argv[2])) {
		ret->topic = argv[2];
		return NULL;
	}
	if (argc > 2 && !command)
		return pd_error_create(PD_ERROR_USAGE, NULL, "there is no command \"%s\"", argv[2]);
	if (command)
		ret->command = command->command;
	return NULL;
}

/* The command that the program's own name stands for, or the first argument; *first_ret: where its
 * arguments begin. */
static enum cmd_command find_command(int argc, char **argv, int *first_ret)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *own = slash ? slash + 1 : argc ? argv[0] : "";
	const struct cmd_command_row *row = own[0] ? cmd_command_find(own) : NULL;

	*first_ret = 1;
	if (row)
		return row->command;
	row = argc > 1 && argv[1][0] ? cmd_command_find(argv[1]) : NULL;
	if (!row)
		return CMD_CONVERT;
	*first_ret = 2;
	return row->command;
}

struct pd_error *cmd_options_parse(
	int argc, char **argv, struct cmd_options *ret, enum cmd_action *action_ret)
{
	struct option longs[CMD_N_OPTIONS + 1];
	char shorts[3 * CMD_N_OPTIONS];
	int value;
	int first;

	*ret = (struct cmd_options){
		.argv = argv,
		.command = find_command(argc, argv, &first),
	};
	*action_ret = CMD_RUN;
	if (ret->command == CMD_CONVERT && argc > 1 && strcmp(argv[1], "help") == 0)
		return parse_help(argc, argv, ret, action_ret);
	optind = first;
	build_getopt(ret->command, longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct cmd_option_row *row = row_of(ret->command, value);

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
	return take_inputs(argc, argv, ret);
}

void cmd_options_deinit(struct cmd_options *options)
{
	pd_vec_deinit(&options->inputs.items);
	pd_vec_deinit(&options->record.filter_places);
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		void *member = (char *)options + cmd_option_rows[i].offset;

		if (cmd_option_rows[i].kind == CMD_KIND_LIST ||
			cmd_option_rows[i].kind == CMD_KIND_FILTER)
			pd_vec_deinit(&((struct cmd_list *)member)->items);
	}
}
