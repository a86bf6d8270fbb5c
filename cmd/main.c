#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/options/help.h"
#include "cmd/options/man.h"
#include "cmd/process/memory.h"
#include "cmd/options/message.h"
#include "cmd/options/option_tables.h"
#include "cmd/process/output_file.h"
#include "cmd/process/search_options.h"
#include "cmd/commands/send.h"
#include "cmd/process/signals.h"

static void print_line(const char *text)
{
	cmd_begin();
	base_text_write_message(stderr, text);
}

static void print_diag(const struct pd_diag *diag)
{
	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		struct pd_diag_entry entry = pd_diag_get(diag, i);
		_cleanup_free_ char *text = pd_error_string(entry.first);

		print_line(text ? text : "out of memory");
		if (entry.count > 1)
			fprintf(stderr, " (and %" PRIu64 " more like it)", entry.count - 1);
		fputc('\n', stderr);
	}
}

static enum cmd_exit fail(struct pd_error *err)
{
	_cleanup_free_ char *text = pd_error_string(err);
	enum pd_error_code code = err->code;

	print_line(text ? text : "out of memory");
	fputc('\n', stderr);
	pd_error_destroy(err);
	if (code == PD_ERROR_NOTHING)
		return CMD_NOTHING;
	if (code != PD_ERROR_USAGE)
		return CMD_FAILED;
	cmd_say("see pdconv --help");
	return CMD_USAGE;
}

/* A program that is recorded must not inherit the limit, so a recorder has none. */
static struct pd_error *run_limited(
	struct cmd_options *options, cmd_command_fn *fn, struct cmd_result *result)
{
	struct pd_error *err = cmd_memory_init(options);

	if (err)
		return err;
	if (options->command != CMD_RECORD)
		cmd_memory_enforce(options);
	err = cmd_search_complete(options);
	if (!err)
		err = fn(options, result);
	cmd_memory_lift();
	err = cmd_memory_explain(options, err);
	cmd_memory_deinit(options);
	return err;
}

static int run(struct cmd_options *options)
{
	struct cmd_result result = { .diag = pd_diag_create() };
	struct pd_error *err = result.diag ? cmd_cache_warn(options) : &pd_enomem;

	if (!err)
		err = run_limited(options, cmd_command_row(options->command)->run, &result);
	if (result.diag && !options->quiet)
		print_diag(result.diag);
	pd_diag_destroy(result.diag);
	if (!err)
		return result.status;
	int failure = (int)fail(err);
	return result.failure ? result.failure : failure;
}

/* Run the command, and send its output if the options say so. */
static int run_or_send(struct cmd_options *options)
{
	int status = CMD_DONE;

	if (!options->send.url)
		return run(options);
	struct pd_error *err = cmd_send_run(options, run, &status);
	return err ? (int)fail(err) : status;
}

static void write_text(const struct cmd_options *options, FILE *out)
{
	if (options->action == CMD_HELP)
		cmd_help(options, out);
	else if (options->action == CMD_MAN)
		cmd_man(options->command, out);
	else
		fputs("pdconv " PD_VERSION "\n", out);
}

/* Print what the program says about itself. Only the help is for reading on a terminal. */
static enum cmd_exit print_text(const struct cmd_options *options)
{
	const struct cmd_output_opts opts = {
		.options = options,
		.is_text = options->action == CMD_HELP,
	};
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(NULL, &opts, &file);

	if (err)
		return fail(err);
	write_text(options, file.stream);
	err = cmd_output_finish(&file, NULL);
	return err ? fail(err) : CMD_DONE;
}

/* Print candidates. A message would be in the middle of the line that the user types. */
static int complete(struct cmd_options *options)
{
	struct cmd_result result = { 0 };
	struct pd_error *err = run_limited(options, cmd_complete, &result);

	pd_error_destroy(err);
	return err ? CMD_FAILED : CMD_DONE;
}

static int act(struct cmd_options *options)
{
	if (options->action == CMD_RUN)
		return run_or_send(options);
	return options->action == CMD_COMPLETE ? complete(options) : (int)print_text(options);
}

int main(int argc, char **argv)
{
	struct cmd_options options;

	cmd_bus_error_watch();
	struct pd_error *err = cmd_options_parse(argc, argv, &options);
	int status = err ? (int)fail(err) : act(&options);
	cmd_options_deinit(&options);
	return status;
}
