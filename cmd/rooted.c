#include "cmd/rooted.h"

#include <inttypes.h>
#include <stdio.h>

bool cmd_is_rooted_enough(
	const struct cmd_options *options, const struct prof_unwind_summary *summary)
{
	double rooted = 100 * prof_unwind_stats_rooted(&summary->all);

	if (rooted >= options->fail_under_rooted)
		return true;
	if (!options->quiet)
		fprintf(stderr, "pdconv: %.2f %% of %" PRIu64 " unwound stacks reach the root\n",
			rooted, summary->all.walked.samples);
	return false;
}
