/* pdconv info: what is in a recording. */
#include "api/reading.h"
#include "base/cleanup.h"
#include "cmd/options/commands.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/convert_command.h"
#include "cmd/process/sandbox.h"
#include "inspect/info_binaries.h"
#include "inspect/info_json.h"
#include "inspect/info_text.h"
#include "inspect/recording_info.h"

static struct pd_error *open_output(
	const struct cmd_options *options, struct cmd_output_file *output)
{
	const struct cmd_output_opts opts = { .options = options, .is_text = true };

	return cmd_output_open(options->output, &opts, output);
}

/* Elements of a list in the text; JSON has all by default. */
static size_t text_limit(const struct cmd_options *options)
{
	enum { DEFAULT = 40 };

	return options->limit == INSPECT_INFO_NO_LIMIT ? DEFAULT : options->limit;
}

static struct pd_error *write_info(
	const struct inspect_info *info, const struct cmd_options *options)
{
	struct cmd_output_file output;
	struct pd_error *err = open_output(options, &output);

	if (err)
		return err;
	if (options->json)
		inspect_info_json(info, options->limit, output.stream);
	else
		inspect_info_text(info, text_limit(options), output.stream);
	return cmd_output_finish(&output, NULL);
}

static struct pd_error *show_info(struct pd_file *file, const struct resolve_opts *opts,
	const struct cmd_options *options, struct cmd_result *result)
{
	struct inspect_info info;
	struct pd_error *err = inspect_info_collect(file, opts, &info);

	if (err)
		return err;
	err = write_info(&info, options);
	const struct advice_unwind_stats *ended = &info.quality.unwinds.all;
	const struct cmd_rooted rooted = {
		.n_stacks = ended->walked.samples,
		.n_rooted = ended->ends[PD_UNWIND_END_ROOT].samples,
	};
	if (!err && !cmd_is_rooted_enough(options, &rooted))
		result->status = CMD_MISSED;
	inspect_info_deinit(&info);
	return err;
}

static struct pd_error *write_binaries(
	const struct profile *profile, const struct cmd_options *options)
{
	struct cmd_output_file output;
	struct pd_error *err = open_output(options, &output);

	if (err)
		return err;
	err = options->json ? inspect_info_binaries_json(profile, output.stream)
			    : inspect_info_binaries_text(profile, output.stream);
	return cmd_output_finish(&output, err);
}

static struct pd_error *show_binaries(
	struct pd_file *file, struct resolve_opts opts, const struct cmd_options *options)
{
	struct profile *profile;

	opts.no_names = true;
	opts.list_files = true;
	struct pd_error *err = resolve_profile(file, &opts, &profile);
	if (err)
		return err;
	err = write_binaries(profile, options);
	prof_destroy(profile);
	return err;
}

static struct pd_error *show(const struct cmd_options *options, const struct api_reading *reading,
	struct cmd_result *result)
{
	struct resolve_opts opts = reading->resolve;
	struct pd_file *file;
	struct pd_error *err = pd_file_open(options->input, result->diag, &file);

	if (err)
		return err;
	pd_file_set_budget(file, options->profile.budget);
	err = options->binaries ? show_binaries(file, opts, options)
				: show_info(file, &opts, options, result);
	pd_file_close(file);
	return err;
}

struct pd_error *cmd_info(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output = { .options = options, .is_text = true };
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	struct pd_error *err = cmd_sandbox_enter(options->output, &output);

	if (!err)
		err = api_reading_init(&options->profile, options->input, NULL, &reading);
	if (err)
		return err;
	err = show(options, &reading, result);
	api_reading_report(&reading, result->diag);
	return err;
}
