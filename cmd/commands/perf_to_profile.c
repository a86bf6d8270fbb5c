/* perf_to_profile: pprof runs this program to read a recording. */
#include <unistd.h>

#include "cmd/commands/convert_command.h"

struct pd_error *cmd_perf_to_profile(const struct cmd_options *options, struct cmd_result *result)
{
	/* pprof creates the output file, and reads it through the descriptor that it has open. */
	const struct cmd_conversion conversion = {
		.options = options,
		.format = &out_format_pprof,
		.in_place = true,
	};

	if (!options->output)
		return pd_error_create(PD_ERROR_USAGE, NULL, "-o OUTPUT is missing");
	if (!options->force && access(options->output, F_OK) == 0)
		return pd_error_create(
			PD_ERROR_USAGE, options->output, "already exists; -f overwrites it");
	return cmd_conversion_run(&conversion, result);
}
