/* pdconv dump: every record, every field. */
#include "cmd/options/commands.h"
#include "cmd/process/output_file.h"
#include "cmd/process/sandbox.h"

static struct pd_error *write_dump(const struct cmd_output_opts *opts, struct pd_file *file)
{
	const struct cmd_options *options = opts->options;
	struct cmd_output_file output;
	struct pd_error *err = cmd_output_open(options->output, opts, &output);

	if (err)
		return err;
	err = inspect_dump(file, &options->dump, output.stream);
	return cmd_output_finish(&output, err);
}

struct pd_error *cmd_dump(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output = { .options = options, .is_text = true };
	struct pd_file *file;

	if (options->dump.json && (options->dump.by_field || options->dump.hex))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"options '--fields' and '--hex' have no effect on '--json'");
	struct pd_error *err = cmd_sandbox_enter(options->output, &output);

	if (!err)
		err = pd_file_open(options->input, result->diag, &file);
	if (err)
		return err;
	pd_file_set_budget(file, options->profile.budget);
	err = write_dump(&output, file);
	pd_file_close(file);
	return err;
}
