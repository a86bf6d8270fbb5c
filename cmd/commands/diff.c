/* pdconv diff: what changed between recordings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/profile_diff.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/commands/advice.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/read_profile.h"
#include "cmd/process/sandbox.h"

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

/* Labels of the recordings. */
struct labels {
	char **texts;
	size_t n;
};

static void labels_deinit(struct labels *labels)
{
	for (size_t i = 0; labels->texts && i < labels->n; i++)
		free(labels->texts[i]);
	free(labels->texts);
}

static struct pd_error *labels_init(const struct cmd_options *options, struct labels *ret)
{
	*ret = (struct labels){ .n = options->inputs.items.n };
	ret->texts = calloc(ret->n, sizeof(*ret->texts));
	if (!ret->texts)
		return &pd_enomem;
	for (size_t i = 0; i < ret->n; i++) {
		ret->texts[i] = cmd_input_label(options, i);
		if (!ret->texts[i])
			return &pd_enomem;
	}
	return NULL;
}

/* Compare what grew with the user's threshold. */
static void judge(const struct cmd_options *options, const struct out_growth *growth,
	struct cmd_result *result)
{
	if (growth->unsure_percent > 0 && !options->quiet)
		cmd_say("most functions take %.1f %% longer, which --fail-over does not "
			"judge: noise between runs is not known from one recording on each side; "
			"compare several: pdconv diff before*.data --to after*.data",
			growth->unsure_percent);
	if (!growth->n)
		return;
	result->status = CMD_MISSED;
	if (options->quiet)
		return;
	cmd_begin();
	base_text_write_message(stderr, growth->name ? growth->name : "a function");
	if (isinf(growth->percent))
		fputs(" appeared", stderr);
	else
		fprintf(stderr, " takes %.1f %% longer", growth->percent);
	if (growth->n > 1)
		fprintf(stderr, ", and %zu more grew", growth->n - 1);
	fprintf(stderr, "; the limit is %g %%\n", growth->limit);
}

static struct pd_error *write_diff(const struct cmd_output_opts *output,
	const struct out_format *format, const struct pd_profile *profile,
	struct cmd_result *result)
{
	const struct cmd_options *options = output->options;
	struct out_growth growth = { .limit = options->fail_over };
	_cleanup_(labels_deinit) struct labels labels;
	struct cmd_output_file file;
	struct pd_error *err = labels_init(options, &labels);

	if (err)
		return err;
	err = cmd_output_open(options->output, output, &file);
	if (err)
		return err;
	const struct api_target to = { .stream = file.stream };
	const struct api_comparison comparison = {
		.format = format,
		.profile = profile,
		.labels = labels.texts,
		.n_before = n_before(options),
		.n_after = labels.n - n_before(options),
		.normalizes = options->normalizes,
		.pairs = options->pairs.items.data,
		.n_pairs = options->pairs.items.n,
		.find_command = cmd_advice,
		.growth = &growth,
	};
	err = api_comparison_write(&comparison, &to);
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
		.format = options->format ? options->format : out_format_default(),
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
