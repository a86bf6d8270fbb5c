/* Commands that take processes: there are none. */
#include "cmd/commands/send.h"
#include "cmd/options/commands.h"

struct pd_error *cmd_mcp(const struct cmd_options *options, struct cmd_result *result)
{
	(void)options;
	(void)result;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this pdconv is not a server: pdconv query answers the same questions");
}

struct pd_error *cmd_batch(const struct cmd_options *options, struct cmd_result *result)
{
	(void)options;
	(void)result;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this pdconv converts one recording at a time: a batch takes Linux");
}

struct pd_error *cmd_send_run(
	struct cmd_options *options, int (*run)(struct cmd_options *options), int *status_ret)
{
	*status_ret = run(options);
	return NULL;
}
