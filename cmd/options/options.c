#include "cmd/options/options.h"

#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memstream.h"
#include "base/names/nearest.h"
#include "base/text.h"
#include "cmd/options/arguments.h"
#include "cmd/options/help.h"
#include "cmd/options/message.h"
#include "cmd/options/option_tables.h"
#include "cmd/options/send_target.h"
#include "parse/recognize.h"

/* Results of getopt: an argument that is not an option, and the first long option. */
enum { IS_INPUT = 1, FIRST_LONG = 256 };

/* Bitmap of the options that were given. */
struct given {
	bool options[CMD_N_OPTIONS];
};

/* Letters mean different things to different commands. */
static void build_getopt(enum cmd_command command, struct option longs[static CMD_N_OPTIONS + 1],
	char shorts[static 3 * CMD_N_OPTIONS])
{
	size_t len = 0, n = 0;

	/* Options after the name of the recorded program belong to that. */
	if (command == CMD_RECORD)
		shorts[len++] = '+';
	/* An option separates the inputs, so their order among the options counts. */
	if (command == CMD_DIFF)
		shorts[len++] = '-';
	shorts[len++] = ':';
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (!(row->commands & command))
			continue;
		longs[n++] = (struct option){
			.name = row->name,
			.has_arg = cmd_has_optional(row) ? optional_argument
				   : row->argument	 ? required_argument
							 : no_argument,
			.val = FIRST_LONG + (int)i,
		};
		char letter = cmd_option_letter(row, command);
		if (!letter)
			continue;
		shorts[len++] = letter;
		if (row->argument)
			shorts[len++] = ':';
		/* Two colons: the argument is optional. */
		if (cmd_has_optional(row))
			shorts[len++] = ':';
	}
	shorts[len] = '\0';
	longs[n] = (struct option){ 0 };
}

/* The option of a value that getopt returned; NULL if the command has no such option. */
static const struct cmd_option_row *row_of(enum cmd_command command, int value)
{
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (!(row->commands & command))
			continue;
		char letter = cmd_option_letter(row, command);
		if (value == FIRST_LONG + (int)i || (letter && value == letter))
			return row;
	}
	return NULL;
}

/* How many recordings a command reads at most. */
static int max_inputs(enum cmd_command command)
{
	const unsigned several =
		CMD_CONVERT | CMD_REPORT | CMD_ANNOTATE | CMD_DIFF | CMD_VIEW | CMD_BATCH;

	return command & several ? INT_MAX : 1;
}

static struct pd_error *add_input(struct cmd_options *options, const char *path)
{
	return pd_vec_push(&options->inputs.items, path) ? NULL : &pd_enomem;
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), n = strlen(suffix);

	return len > n && strcmp(text + len - n, suffix) == 0;
}

/*
 * Like perf: standard input if it is a pipe, otherwise perf.data. A recording as standard input is
 * meant, too, but not any file: a script may read its own input there.
 */
static const char *default_input(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st))
		return "perf.data";
	if (S_ISFIFO(st.st_mode) || (S_ISREG(st.st_mode) && parse_likeness_of(STDIN_FILENO)))
		return "-";
	return "perf.data";
}

/* Whether an existing file may be a recording. Pipes and devices may be; they are not opened. */
static bool is_recording(const char *path)
{
	struct stat st;

	if (stat(path, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return true;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return true;
	bool ret = S_ISDIR(st.st_mode) ? parse_is_recorded_folder(fd)
				       : parse_likeness_of(fd) != PARSE_LIKE_NOTHING;
	close(fd);
	return ret;
}

/* How likely it is that an argument is a function, or a query, and not a recording. */
enum likelihood {
	/** It is called like a recording, or is one. */
	IS_RECORDING,
	/** There is such a file or folder, which is not a recording. */
	IS_FILE,
	/** No file has this name. */
	IS_NO_FILE,
};

static enum likelihood judge(const char *text, const struct cmd_options *options)
{
	if (options->input)
		return IS_NO_FILE;
	if (strcmp(text, "-") == 0 || has_suffix(text, ".data"))
		return IS_RECORDING;
	if (access(text, F_OK) != 0)
		return IS_NO_FILE;
	return strchr(text, '/') || is_recording(text) ? IS_RECORDING : IS_FILE;
}

/* The member for an argument that is not a recording; NULL: all arguments are recordings. */
static const char **text_of(struct cmd_options *options)
{
	if (options->command == CMD_SQL)
		return &options->query;
	if (options->command != CMD_ANNOTATE || options->annotate.function)
		return NULL;
	return &options->annotate.function;
}

/*
 * Take the first of the arguments that are most likely to be functions as the one to annotate, or
 * as the query. The others stay in @p argv.
 */
static int take_text(int argc, char **argv, struct cmd_options *ret)
{
	enum likelihood best = IS_RECORDING;
	const char **text = text_of(ret);
	int taken = 0;

	if (!text)
		return argc;
	/* The query is read from standard input. */
	if (ret->command == CMD_SQL && argc - optind > 1 && strcmp(argv[argc - 1], "-") == 0)
		return argc - 1;
	for (int i = optind; i < argc; i++) {
		enum likelihood is = judge(argv[i], ret);

		if (is > best) {
			best = is;
			taken = i;
		}
	}
	if (best == IS_RECORDING)
		return argc;
	*text = argv[taken];
	memmove(argv + taken, argv + taken + 1, (size_t)(argc - taken) * sizeof(*argv));
	return argc - 1;
}

/* Take the words of pdconv query: the recording comes first. Of pdconv mcp: directories. */
static struct pd_error *take_words(int argc, char **argv, struct cmd_options *ret)
{
	bool is_query = ret->command == CMD_QUERY;

	if (is_query && optind == argc)
		return pd_error_create(PD_ERROR_USAGE, NULL, "no recording: expected a file");
	if (is_query) {
		ret->input = argv[optind];
		struct pd_error *err = add_input(ret, argv[optind++]);

		if (err)
			return err;
	}
	for (int i = optind; i < argc; i++) {
		if (!pd_vec_push(&ret->words.items, argv[i]))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *take_inputs(int argc, char **argv, struct cmd_options *ret)
{
	int n = argc - optind;

	if (ret->command == CMD_RECORD) {
		ret->record.command = argv + optind;
		return NULL;
	}
	if (ret->command & (CMD_QUERY | CMD_MCP))
		return take_words(argc, argv, ret);
	if (ret->command == CMD_LIST) {
		ret->event_text = n ? argv[optind] : NULL;
		return n > 1 ? pd_error_create(PD_ERROR_USAGE, NULL,
				       "too many texts: '%s', expected at most 1", argv[argc - 1])
			     : NULL;
	}
	if ((n || ret->inputs.items.n) && ret->input)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the input '%s' cannot be given in addition to --input",
			n ? argv[optind] : ret->inputs.items.data[0]);
	if (n > max_inputs(ret->command))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"too many inputs: '%s', expected at most %d", argv[argc - 1],
			max_inputs(ret->command));
	if (!n && ret->command == CMD_SYMBOLIZE)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"no profile: expected a file, or - for standard input");
	if (!n && ret->command == CMD_BATCH)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"no recordings: expected files, folders, or - for a list");
	if (!n && !ret->inputs.items.n) {
		ret->input = ret->input ? ret->input : default_input();
		return add_input(ret, ret->input);
	}
	for (int i = optind; i < argc; i++) {
		struct pd_error *err = add_input(ret, argv[i]);

		if (err)
			return err;
	}
	ret->input = ret->inputs.items.data[0];
	return NULL;
}

static struct pd_error *take_topic(const char *word, struct cmd_options *ret)
{
	const struct cmd_command_row *command = word[0] ? cmd_command_find(word) : NULL;

	if (command) {
		ret->command = command->command;
		return NULL;
	}
	ret->topic = cmd_help_topic_find(word);
	ret->help_format = out_format_find(word);
	return ret->topic || ret->help_format ? NULL : cmd_help_unknown(word);
}

/* pdconv help [--no-pager] [COMMAND | FORMAT | TOPIC] */
static struct pd_error *parse_help(int argc, char **argv, struct cmd_options *ret)
{
	const char *word = NULL;

	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--no-pager") == 0)
			ret->no_pager = true;
		else if (!word)
			word = argv[i];
	}
	return word ? take_topic(word, ret) : NULL;
}

/* Whether the option in @p text, whose name may be short, takes the next argument. */
static bool takes_next(const char *text)
{
	bool is_long = text[1] == '-';
	size_t len = is_long ? strlen(text + 2) : 1;

	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];
		char letter = cmd_option_letter(row, CMD_CONVERT);

		if (!row->argument || cmd_has_optional(row))
			continue;
		if (is_long ? strlen(row->name) == len && strcmp(row->name, text + 2) == 0
			    : letter && text[1] == letter && !text[2])
			return true;
	}
	return false;
}

/* Move a command that follows options, as in "pdconv --no-pager annotate", in front of these. */
static void move_command(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0)
		i += 1 + takes_next(argv[i]);
	if (i <= 1 || i >= argc || !cmd_command_find(argv[i]))
		return;
	char *command = argv[i];
	memmove(argv + 2, argv + 1, (size_t)(i - 1) * sizeof(*argv));
	argv[1] = command;
}

/*
 * Find the command, by the name of the program or by the first argument that is not an option.
 * *@p first_ret is the first argument after it. The name of a format stands for the conversion to
 * it.
 */
static struct pd_error *find_command(
	int argc, char **argv, struct cmd_options *options, int *first_ret)
{
	const char *own = argc ? base_file_name(argv[0]) : "";
	const struct cmd_command_row *row = own[0] ? cmd_command_find(own) : NULL;
	struct base_nearest nearest;
	size_t n_formats;

	options->command = row ? row->command : CMD_CONVERT;
	*first_ret = 1;
	if (!row)
		move_command(argc, argv);
	if (row || argc < 2 || !argv[1][0] || argv[1][0] == '-')
		return NULL;
	row = cmd_command_find(argv[1]);
	if (row) {
		options->command = row->command;
		*first_ret = 2;
		return NULL;
	}
	if (strcmp(argv[1], "help") == 0 || access(argv[1], F_OK) == 0)
		return NULL;
	options->format = out_format_find(argv[1]);
	if (options->format) {
		*first_ret = 2;
		return NULL;
	}
	/* It may be a recording that does not exist, but a mistyped command is more likely. */
	base_nearest_init(&nearest, argv[1], strlen(argv[1]));
	for (size_t i = 0; i < CMD_N_COMMANDS; i++)
		base_nearest_try(&nearest, cmd_command_rows[i].name);
	base_nearest_try(&nearest, "help");
	const struct out_format *const *formats = out_formats(&n_formats);
	for (size_t i = 0; i < n_formats; i++)
		base_nearest_try(&nearest, formats[i]->name);
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
	struct base_nearest nearest;

	base_nearest_init(&nearest, text, len);
	for (size_t i = 0; i < CMD_N_OPTIONS; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (row->commands & command)
			base_nearest_try(&nearest, row->name);
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

/* Note an option if the outputs of a batch depend on it. */
static bool note_setting(struct cmd_options *options, const struct cmd_option_row *row)
{
	struct cmd_list *settings = &options->settings;

	if (row->topic == CMD_TOPIC_INPUT || row->topic == CMD_TOPIC_GENERAL ||
		strcmp(row->name, "output") == 0)
		return true;
	return pd_vec_push(&settings->items, row->name) &&
	       pd_vec_push(&settings->items, optarg ? optarg : "");
}

static struct pd_error *parse_options(
	int argc, char **argv, struct cmd_options *options, struct given *given)
{
	enum cmd_command command = options->command;
	struct option longs[CMD_N_OPTIONS + 1];
	char shorts[3 * CMD_N_OPTIONS];
	int value;

	build_getopt(command, longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct cmd_option_row *row = row_of(command, value);

		if (value == IS_INPUT) {
			struct pd_error *err = add_input(options, optarg);

			if (err)
				return err;
			continue;
		}
		if (value == ':')
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"option '%s' needs an argument", argv[optind - 1]);
		if (!row)
			return unknown_option(command, argv[optind - 1]);
		given->options[row - cmd_option_rows] = true;
		if (!note_setting(options, row))
			return &pd_enomem;
		struct pd_error *err = cmd_argument_take(options, row, optarg);
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
		return options->format ? options->format : out_format_default();
	case CMD_REPORT:
	case CMD_ANNOTATE:
		return &out_format_report;
	case CMD_PERF_TO_PROFILE:
		return &out_format_pprof;
	case CMD_VIEW:
		return &out_format_html;
	case CMD_SQL:
		return &out_format_sqlite;
	case CMD_BATCH:
		return options->format ? options->format : &out_format_parquet;
	case CMD_RECORD:
		return options->format;
	case CMD_DUMP:
	case CMD_INFO:
	case CMD_ARCHIVE:
	case CMD_LIST:
	case CMD_QUERY:
	case CMD_MCP:
	case CMD_SYMBOLIZE:
		break;
	}
	return NULL;
}

/* Refuse options that have no effect on the format. */
static struct pd_error *check_formats(const struct cmd_options *options, const struct given *given)
{
	const struct out_format *format = format_of(options);
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	for (size_t i = 0; i < CMD_N_OPTIONS && format; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];
		const char *only = "";

		if (!given->options[i] || row->formats & cmd_format_bit(format))
			continue;
		for (size_t k = n; k-- > 0 && cmd_option_is_of_few(row);) {
			if (row->formats & cmd_format_bit(formats[k]))
				only = formats[k]->name;
		}
		if (options->command == CMD_ANNOTATE)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"option '--%s' has no effect on pdconv annotate%s%s", row->name,
				only[0] ? ": it belongs to the format " : "", only);
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"option '--%s' has no effect on the format %s%s%s", row->name, format->name,
			only[0] ? ": it belongs to " : "", only);
	}
	return NULL;
}

/* Refuse options of conversions if nothing is converted. */
static struct pd_error *check_conversion(
	const struct cmd_options *options, const struct given *given)
{
	for (size_t i = 0; i < CMD_N_OPTIONS && !options->format; i++) {
		const struct cmd_option_row *row = &cmd_option_rows[i];

		if (given->options[i] && cmd_is_for_conversion(row, options->command))
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"option '--%s' has no effect without --format: the recording is "
				"not converted",
				row->name);
	}
	return NULL;
}

/* Refuse directories of source files if no source text is written. */
static struct pd_error *check_sources(const struct cmd_options *options)
{
	if (options->command == CMD_ANNOTATE || !options->source_dirs.items.n ||
		options->profile.format.html.embeds_source)
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "option '--source-dir' has no effect without --embed-source");
}

/* Whether the result depends on more of a stack than its leaf. */
static bool needs_stacks(const struct cmd_options *o)
{
	const struct cmd_filter *filter = &o->filter;

	return o->command != CMD_ANNOTATE || filter->focus.items.n || filter->ignore.items.n ||
	       filter->hide.items.n || filter->roots.items.n || o->profile.unwind.no_kernel;
}

/* Set the array @p array of @p to, and its length, to the items of @p list. */
#define BORROW(to, array, list) \
	do { \
		(to)->array = (list).items.data; \
		(to)->n_##array = (list).items.n; \
	} while (0)

static void settle_lists(struct cmd_options *o)
{
	struct pd_profile_opts *profile = &o->profile;
	struct pd_format_opts *format = &profile->format;

#define BORROW_LIST(name, text, type, list, ...) BORROW(&profile->filter, list, o->filter.list);
	PD_FILTERS(BORROW_LIST)
	PD_FRAME_FILTERS(BORROW_LIST)
#undef BORROW_LIST
	BORROW(&profile->search, dirs, o->search.dirs);
	BORROW(&profile->search, path_maps, o->search.path_maps);
	BORROW(profile, labels, o->labels);
	BORROW(profile, tags, o->tags);
	BORROW(&format->report, sort, o->sort);
	BORROW(&format->report, group_by, o->group_by);
	BORROW(&format->folded, skip_after, o->skip_after);
	BORROW(&format->report, intervals, o->intervals);
	BORROW(&format->script, fields, o->script_fields);
	BORROW(&format->html, source_dirs, o->source_dirs);
	o->record.opts.tags = o->tags.texts.data;
	o->record.opts.n_tags = o->tags.texts.n;
}

bool cmd_output_is_stdout(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

/* Borrow the lists in the structs that are handed down, and set what follows from others. */
static void settle(struct cmd_options *o)
{
	struct pd_format_opts *format = &o->profile.format;
	bool is_stdout = cmd_output_is_stdout(o->output);

	settle_lists(o);
	if (!needs_stacks(o))
		o->profile.unwind.max_stack = 1;
	format->text.has_color =
		o->color == CMD_WHEN_ALWAYS ||
		(o->color == CMD_WHEN_AUTO && is_stdout && cmd_terminal_has_color());
	/* Text that is not read on the terminal at once is written in full. */
	if (!o->full_names && is_stdout && isatty(STDOUT_FILENO))
		format->text.width = cmd_terminal_width();
	format->folded.mark_kernel |= o->mark_all;
	format->folded.mark_jit |= o->mark_all;
}

/* Name the profile after its inputs: "a.data, b.data". */
static struct pd_error *set_title(struct cmd_options *options)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < options->inputs.items.n; i++)
		fprintf(out, "%s%s", i ? ", " : "", options->inputs.items.data[i]);
	if (!base_memstream_close(out, &text) || !pd_vec_push(&options->texts, text)) {
		free(text);
		return &pd_enomem;
	}
	options->profile.title = text;
	return NULL;
}

struct pd_error *cmd_options_parse(int argc, char **argv, struct cmd_options *ret)
{
	struct given given = { 0 };

	*ret = (struct cmd_options){
		.argv = argv,
		.command = CMD_CONVERT,
		.fail_over = INFINITY,
		.limit = SIZE_MAX,
		.record = { .sampling = { .stacks = CAP_STACKS_UNSET,
				    .clock = -1,
				    .inherit = true,
				    .with_build_ids = true } },
	};
	if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
		ret->action = CMD_COMPLETE;
		ret->complete = argv + 2;
		return NULL;
	}
	struct pd_error *err = find_command(argc, argv, ret, &optind);
	if (err)
		return err;
	if (ret->command == CMD_CONVERT && argc > 1 && strcmp(argv[1], "help") == 0) {
		ret->action = CMD_HELP;
		return parse_help(argc, argv, ret);
	}
	err = parse_options(argc, argv, ret, &given);
	if (err || ret->action != CMD_RUN)
		return err;
	err = cmd_send_settle(ret);
	if (!err)
		err = check_formats(ret, &given);
	if (!err)
		err = check_conversion(ret, &given);
	if (!err)
		err = check_sources(ret);
	if (err)
		return err;
	settle(ret);
	err = take_inputs(take_text(argc, argv, ret), argv, ret);
	return err ? err : set_title(ret);
}

static void path_maps_deinit(struct cmd_path_maps *maps)
{
	for (size_t i = 0; i < maps->items.n; i++)
		free((char *)maps->items.data[i].from);
	pd_vec_deinit(&maps->items);
}

void cmd_options_deinit(struct cmd_options *options)
{
	struct cmd_record_options *record = &options->record;
	struct cmd_list *const lists[] = { &options->inputs, &options->words, &options->search.dirs,
		&options->script_fields, &options->skip_after, &options->intervals,
		&options->source_dirs, &options->sort, &options->group_by, &options->labels,
		&record->events, &record->pids, &record->tids, &record->cgroups,
		&options->batch.labels, &options->batch.tables, &options->settings };

	for (size_t i = 0; i < PD_ARRAY_LEN(lists); i++)
		pd_vec_deinit(&lists[i]->items);
	path_maps_deinit(&options->search.path_maps);
	path_maps_deinit(&options->pairs);
	for (size_t i = 0; i < options->tags.items.n; i++)
		free((char *)options->tags.items.data[i].key);
	pd_vec_deinit(&options->tags.items);
	pd_vec_deinit(&options->tags.texts);
	pd_vec_deinit(&record->filters.items);
#define DEINIT_LIST(name, text, type, list, ...) pd_vec_deinit(&options->filter.list.items);
	PD_FILTERS(DEINIT_LIST)
	PD_FRAME_FILTERS(DEINIT_LIST)
#undef DEINIT_LIST
	for (size_t i = 0; i < options->texts.n; i++)
		free(options->texts.data[i]);
	pd_vec_deinit(&options->texts);
}
