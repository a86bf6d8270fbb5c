/* pdconv diff: what changed between recordings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/advice.h"
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/reading.h"
#include "cmd/sandbox.h"

/* Number of recordings before the change: those before --to, or the first of two. */
static size_t n_before(const struct cmd_options *options)
{
	return options->n_before ? options->n_before : 1;
}

static struct pd_error *check(const struct cmd_options *options, const struct out_format *format)
{
	size_t n = options->inputs.items.n;

	if (!format->write_diff)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the format %s cannot show differences", format->name);
	if (n < 2)
		return pd_error_create(PD_ERROR_USAGE, NULL, "diff needs two recordings");
	if (n > 2 && !options->n_before)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"%zu recordings: put --to between those before and those after the change",
			n);
	if (options->n_before == n)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--to must be followed by a recording");
	return NULL;
}

/* Find the strings that label the samples of the recordings. Some may have no samples yet. */
static struct pd_error *find_labels(
	const struct cmd_options *options, struct profile *profile, struct prof_string_id *ret)
{
	for (size_t i = 0; i < options->inputs.items.n; i++) {
		_cleanup_free_ char *label = cmd_input_label(options, i);

		ret[i] = label ? profile_add_string(profile, label) : prof_no_string();
		if (prof_is_none(ret[i]))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *find_sides(
	const struct cmd_options *options, struct profile *profile, struct ana_sides *ret)
{
	size_t n = options->inputs.items.n;
	_cleanup_free_ struct prof_string_id *labels = calloc(n, sizeof(*labels));
	struct pd_error *err = labels ? find_labels(options, profile, labels) : &pd_enomem;

	return err ? err
		   : ana_sides_create(
			     profile, labels, n_before(options), n - n_before(options), ret);
}

/* Compare what grew with the user's threshold. */
static void judge(const struct cmd_options *options, const struct out_growth *growth,
	struct cmd_result *result)
{
	if (!growth->n)
		return;
	result->status = CMD_MISSED;
	if (options->quiet)
		return;
	fputs("pdconv: ", stderr);
	pd_text_write_message(stderr, growth->name ? growth->name : "a function");
	if (isinf(growth->percent))
		fputs(" appeared", stderr);
	else
		fprintf(stderr, " takes %.1f %% longer", growth->percent);
	if (growth->n > 1)
		fprintf(stderr, ", and %zu more grew", growth->n - 1);
	fprintf(stderr, "; the limit is %g %%\n", growth->limit);
}

static struct pd_error *write_diff(const struct cmd_output_opts *output,
	const struct out_format *format, struct pd_profile *profile, struct cmd_result *result)
{
	const struct cmd_options *options = output->options;
	struct out_growth growth = { .limit = options->fail_over };
	struct out_write_opts write = profile->write;
	_cleanup_(ana_sides_deinit) struct ana_sides sides = { 0 };
	struct cmd_output_file file;
	struct pd_error *err = find_sides(options, profile->profile, &sides);

	err = err ? err : cmd_output_open(options->output, output, &file);
	if (err)
		return err;
	write.growth = &growth;
	write.find_command = cmd_advice;
	write.normalizes = options->normalizes;
	err = format->write_diff(profile->profile, &write, &sides, file.stream);
	err = cmd_output_finish(&file, err);
	if (!err)
		judge(options, &growth, result);
	free(growth.name);
	return err;
}

struct pd_error *cmd_diff(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_reading reading = {
		.options = options,
		.opts = &options->profile,
		.format = options->format ? options->format : out_formats(&(size_t){ 0 })[0],
		.parts = PD_PARTS_FOR_DIFF,
		.diag = result->diag,
	};
	const struct cmd_output_opts output = { .options = options, .is_text = true };
	struct cmd_profile read;
	struct pd_error *err = check(options, reading.format);

	if (!err)
		err = cmd_sandbox_enter(options->output, &output);
	if (err)
		return err;
	err = cmd_read_profile(&reading, &read);
	if (err)
		return err;
	err = write_diff(&output, reading.format, read.profile, result);
	cmd_profile_finish(&read);
	return err;
}
