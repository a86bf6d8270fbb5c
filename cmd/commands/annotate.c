/* pdconv annotate: the instructions and source lines of a function. */
#include <stdlib.h>
#include <unistd.h>

#include "api/annotation.h"
#include "base/cleanup.h"
#include "cmd/options/commands.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/read_profile.h"
#include "cmd/process/sandbox.h"

static struct pd_error *write_annotation(const struct cmd_output_opts *output,
	const struct pd_profile *profile, struct pd_diag *diag)
{
	const struct cmd_options *options = output->options;
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(options->output, output, &file);

	if (err)
		return err;
	const struct api_target to = { .stream = file.stream };
	struct pd_annotate_opts opts = options->annotate;
	_cleanup_free_ char *root = getcwd(NULL, 0);
	opts.notes_root = root;
	err = api_annotation_write(profile, &opts, options->input, true, diag, &to);
	return cmd_output_finish(&file, err);
}

struct pd_error *cmd_annotate(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts output = { .options = options, .is_text = true };
	const struct cmd_reading reading = {
		.options = options,
		.opts = &options->profile,
		.format = &api_annotation_needs,
		.diag = result->diag,
	};
	struct cmd_profile read;
	struct pd_error *err = cmd_sandbox_enter(options->output, &output);

	if (!err)
		err = cmd_read_profile(&reading, &read);
	if (err)
		return err;
	err = write_annotation(&output, read.profile, result->diag);
	cmd_profile_finish(&read);
	return err;
}
