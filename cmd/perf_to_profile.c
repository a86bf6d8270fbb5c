/* perf_to_profile: what pprof runs for a recording. */
#include <unistd.h>

#include "cmd/commands.h"

struct pd_error *cmd_perf_to_profile(const struct cmd_options *options, struct cmd_result *result)
{
	struct cmd_options convert = *options;

	if (!options->output)
		return pd_error_create(PD_ERROR_USAGE, NULL, "-o OUTPUT is missing");
	if (!options->force && access(options->output, F_OK) == 0)
		return pd_error_create(
			PD_ERROR_USAGE, options->output, "is there already; -f overwrites it");
	convert.command = CMD_CONVERT;
	convert.format = &out_format_pprof;
	/* pprof makes an empty file, and reads from that. */
	convert.in_place = true;
	return cmd_convert(&convert, result);
}
