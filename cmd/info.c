/* pdconv info: what is in a recording. */
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/unwinding.h"
#include "output/info.h"

static struct pd_error *write_info(const struct out_info *info, const struct cmd_options *options)
{
	struct cmd_output_file output;
	struct pd_error *err = cmd_output_open(options->output ? options->output : "-", &output);

	if (err)
		return err;
	if (options->json)
		out_info_json(info, output.stream);
	else
		out_info_text(info, output.stream);
	return cmd_output_commit(&output);
}

static struct pd_error *tell(
	const struct out_info *info, const struct cmd_options *options, struct cmd_result *result)
{
	struct pd_error *err = write_info(info, options);

	if (!err && !cmd_is_rooted_enough(options, &info->accounts))
		result->status = CMD_MISSED;
	return err;
}

struct pd_error *cmd_info(const struct cmd_options *options, struct cmd_result *result)
{
	struct out_opts opts;
	struct out_info info;
	struct pd_file *file;
	struct pd_error *err = cmd_out_opts(options, &opts);

	if (!err)
		err = pd_file_open(
			options->input ? options->input : "perf.data", result->diag, &file);
	if (err)
		return err;
	err = out_info_collect(file, &opts, &info);
	if (!err) {
		err = tell(&info, options, result);
		out_info_deinit(&info);
	}
	pd_file_close(file);
	return err;
}
