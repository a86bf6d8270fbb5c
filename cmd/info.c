/* pdconv info: what is in a recording. */
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/unwinding.h"
#include "inspect/info.h"

static struct pd_error *write_info(
	const struct inspect_info *info, const struct cmd_options *options)
{
	struct cmd_output_file output;
	struct pd_error *err =
		cmd_output_open(options, options->output ? options->output : "-", &output);

	if (err)
		return err;
	if (options->json)
		inspect_info_json(info, output.stream);
	else
		inspect_info_text(info, output.stream);
	return cmd_output_commit(&output);
}

static struct pd_error *tell(const struct inspect_info *info, const struct cmd_options *options,
	struct cmd_result *result)
{
	struct pd_error *err = write_info(info, options);

	if (!err && !cmd_is_rooted_enough(options, &info->unwinds_ended))
		result->status = CMD_MISSED;
	return err;
}

static struct pd_error *tell_all(struct pd_file *file, const struct resolve_opts *opts,
	const struct cmd_options *options, struct cmd_result *result)
{
	struct inspect_info info;
	struct pd_error *err = inspect_info_collect(file, opts, &info);

	if (err)
		return err;
	err = tell(&info, options, result);
	inspect_info_deinit(&info);
	return err;
}

static struct pd_error *write_binaries(
	const struct profile *profile, const struct cmd_options *options)
{
	struct cmd_output_file output;
	struct pd_error *err =
		cmd_output_open(options, options->output ? options->output : "-", &output);

	if (err)
		return err;
	err = options->json ? inspect_info_binaries_json(profile, output.stream)
			    : inspect_info_binaries_text(profile, output.stream);
	if (!err)
		return cmd_output_commit(&output);
	cmd_output_discard(&output);
	return err;
}

static struct pd_error *tell_binaries(
	struct pd_file *file, struct resolve_opts opts, const struct cmd_options *options)
{
	struct profile *profile;

	opts.no_names = true;
	opts.list_files = true;
	struct pd_error *err = resolve_profile(file, &opts, &profile);
	if (err)
		return err;
	err = write_binaries(profile, options);
	profile_destroy(profile);
	return err;
}

static struct pd_error *run(const struct cmd_options *options, const struct cmd_search *search,
	struct cmd_filter *filter, struct cmd_result *result)
{
	struct resolve_opts opts;
	struct pd_file *file;
	struct pd_error *err = cmd_out_opts(options, search, filter, &opts);

	if (!err)
		err = pd_file_open(options->input, result->diag, &file);
	if (err)
		return err;
	err = options->binaries ? tell_binaries(file, opts, options)
				: tell_all(file, &opts, options, result);
	pd_file_close(file);
	return err;
}

struct pd_error *cmd_info(const struct cmd_options *options, struct cmd_result *result)
{
	struct cmd_search search;
	struct cmd_filter filter;
	struct pd_error *err = cmd_filter_init(&filter, options);

	if (err)
		return err;
	err = cmd_search_init(&search, options);
	if (!err) {
		err = run(options, &search, &filter, result);
		cmd_search_tell(&search, result->diag);
		cmd_search_deinit(&search);
	}
	cmd_filter_deinit(&filter);
	return err;
}
