#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/help.h"
#include "cmd/tables.h"
#include "base/text.h"

static void print_line(const char *text)
{
	fputs("pdconv: ", stderr);
	pd_text_write(stderr, text);
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
	bool is_usage = err->code == PD_ERROR_USAGE;

	print_line(text ? text : "out of memory");
	fputc('\n', stderr);
	pd_error_destroy(err);
	if (is_usage)
		fputs("pdconv: see pdconv --help\n", stderr);
	return is_usage ? CMD_USAGE : CMD_FAILED;
}

static int run(const struct cmd_options *options)
{
	struct cmd_result result = { .diag = pd_diag_create() };
	struct pd_error *err =
		result.diag ? cmd_command_row(options->command)->run(options, &result) : &pd_enomem;

	if (result.diag && !options->quiet)
		print_diag(result.diag);
	pd_diag_destroy(result.diag);
	return err ? (int)fail(err) : result.status;
}

/* Check that all of the text was written. */
static enum cmd_exit finish_text(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CMD_DONE;
	return fail(pd_error_os("standard output", "cannot write"));
}

/* Recordings and binaries are mapped: SIGBUS means that one of them was truncated since. */
static void end_on_bus_error(int signal)
{
	static const char text[] = "pdconv: a file was truncated while it was read\n";

	(void)signal;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(CMD_FAILED);
}

static int act(const struct cmd_options *options)
{
	switch (options->action) {
	case CMD_HELP:
		cmd_help(options, stdout);
		return finish_text();
	case CMD_MAN:
		cmd_man(options->command, stdout);
		return finish_text();
	case CMD_VERSION:
		puts("pdconv " PD_VERSION);
		return finish_text();
	case CMD_RUN:
		break;
	}
	return run(options);
}

int main(int argc, char **argv)
{
	const struct sigaction on_bus_error = { .sa_handler = end_on_bus_error };
	struct cmd_options options;

	sigaction(SIGBUS, &on_bus_error, NULL);
	struct pd_error *err = cmd_options_parse(argc, argv, &options);
	int status = err ? (int)fail(err) : act(&options);
	cmd_options_deinit(&options);
	return status;
}
