/* pdconv view: one or two recordings become a page, which is opened in the browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/profile_diff.h"
#include "base/cleanup.h"
#include "base/io/temporary.h"
#include "cmd/process/browser.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/read_profile.h"
#include "cmd/process/sandbox.h"
#include "output/html/html.h"

/* A page has one profile, or two that it compares. */
enum { MAX_INPUTS = 2 };

/* Write the profile of input @p i. Their clocks differ, so they are not merged. */
static struct pd_error *add_input(
	const struct cmd_options *options, size_t i, FILE *out, struct pd_diag *diag)
{
	const char **path = &options->inputs.items.data[i];
	struct cmd_options one = *options;
	const struct cmd_reading reading = {
		.options = &one, .opts = &one.profile, .format = &out_format_html, .diag = diag
	};
	struct cmd_profile read;

	one.inputs = (struct cmd_list){ .items = { .data = path, .n = 1 } };
	one.profile.title = *path;
	struct pd_error *err = cmd_read_profile(&reading, &read);
	if (err)
		return err;
	err = api_page_add(read.profile, diag, out);
	cmd_profile_finish(&read);
	return err;
}

static struct pd_error *write_page(
	const struct cmd_options *options, FILE *out, struct pd_diag *diag)
{
	struct pd_error *err = NULL;

	out_html_begin(out);
	for (size_t i = 0; !err && i < options->inputs.items.n; i++)
		err = add_input(options, i, out, diag);
	out_html_end(out);
	return err;
}

static struct pd_error *print_path(const char *path)
{
	bool ok = base_write_all(STDOUT_FILENO, path, strlen(path)) &&
		  base_write_all(STDOUT_FILENO, "\n", 1);

	return ok ? NULL : pd_error_os("standard output", "cannot write");
}

/* Open the page unless the user did not want that. */
static struct pd_error *show(const struct cmd_options *options, struct cmd_standby *browser)
{
	bool is_opened = !browser->pid;
	struct pd_error *err = is_opened ? NULL : cmd_browser_open(browser, &is_opened);
	if (!err && !is_opened && !options->quiet)
		cmd_say("no browser was found: open the page in one");
	return err;
}

/* Write the page, and show it unless @p path is NULL. */
static struct pd_error *write_and_show(const struct cmd_output_opts *opts, const char *path,
	struct cmd_output_file *file, struct pd_diag *diag)
{
	const struct cmd_options *options = opts->options;
	struct cmd_standby browser = { 0 };
	struct pd_error *err =
		path && !options->no_open ? cmd_browser_stand_by(path, &browser) : NULL;

	if (!err)
		err = cmd_sandbox_enter(path, opts);
	if (!err)
		err = write_page(options, file->stream, diag);
	err = cmd_output_finish(file, err);
	if (!err && path) {
		err = print_path(path);
		/* A temporary page is of no use without its path. */
		if (err && !options->output)
			unlink(path);
	}
	if (!err && path)
		err = show(options, &browser);
	cmd_standby_dismiss(&browser);
	return err;
}

static struct pd_error *check(const struct cmd_options *options)
{
	size_t n = options->inputs.items.n;

	if (n <= MAX_INPUTS)
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "%zu recordings: a page has one, or two to compare", n);
}

struct pd_error *cmd_view(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output_opts = { .options = options };
	struct cmd_output_file file;
	struct pd_error *err = check(options);

	if (err)
		return err;
	err = options->output ? cmd_output_open(options->output, &output_opts, &file)
			      : cmd_output_temporary(out_format_html.suffix, &file);
	if (err)
		return err;
	/* The page on standard output is for another program. */
	_cleanup_free_ char *path = file.path ? strdup(file.path) : NULL;
	if (file.path && !path)
		return cmd_output_finish(&file, &pd_enomem);
	return write_and_show(&output_opts, path, &file, result->diag);
}
