#include "cmd/process/memory.h"

struct pd_error *cmd_memory_init(struct cmd_options *options)
{
	uint64_t limit = options->max_memory ? options->max_memory : cmd_memory_default();

	options->profile.budget = pd_budget_create(limit);
	return options->profile.budget ? NULL : &pd_enomem;
}

void cmd_memory_deinit(struct cmd_options *options)
{
	pd_budget_destroy(options->profile.budget);
	options->profile.budget = NULL;
}

struct pd_error *cmd_memory_explain(const struct cmd_options *options, struct pd_error *err)
{
	if (err != &pd_enomem || !options->profile.budget)
		return err;
	struct pd_error *plain = pd_budget_error(options->profile.budget, NULL);
	struct pd_error *ret = plain == &pd_enomem
				       ? plain
				       : pd_error_create(PD_ERROR_NOMEM, options->input,
						 "%s (see --max-memory)", plain->message);
	pd_error_destroy(plain);
	return ret;
}
