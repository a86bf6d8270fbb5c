#include "cmd/rooted.h"

#include <inttypes.h>
#include <stdio.h>

#include "cmd/message.h"

bool cmd_is_rooted_enough(const struct cmd_options *options, const struct cmd_rooted *rooted)
{
	double percent = 0;

	if (rooted->n_stacks)
		percent = 100 * (double)rooted->n_rooted / (double)rooted->n_stacks;
	if (percent >= options->fail_under_rooted)
		return true;
	if (!options->quiet)
		cmd_say("%.2f %% of %" PRIu64 " stacks reach the root", percent, rooted->n_stacks);
	return false;
}
