/* pdconv dump: every record, every field. */
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "inspect/dump.h"

struct pd_error *cmd_dump(const struct cmd_options *options, struct cmd_result *result)
{
	const struct inspect_dump_opts opts = {
		.json = options->json,
		.by_field = options->by_field,
		.hex = options->hex,
		.types = options->types,
		.offset = options->offset,
		.limit = options->limit,
	};
	struct cmd_output_file output;
	struct pd_file *file;
	struct pd_error *err =
		pd_file_open(options->input ? options->input : "perf.data", result->diag, &file);

	if (err)
		return err;
	err = cmd_output_open(options, options->output ? options->output : "-", &output);
	if (!err) {
		err = inspect_dump(file, &opts, output.stream);
		if (err)
			cmd_output_discard(&output);
		else
			err = cmd_output_commit(&output);
	}
	pd_file_close(file);
	return err;
}
