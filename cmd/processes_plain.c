/* Programs that pdconv starts or serves, and signals: there are none. */
#include "cmd/browser.h"
#include "cmd/commands.h"
#include "cmd/pager.h"
#include "cmd/sandbox.h"
#include "cmd/send.h"
#include "cmd/signals.h"

struct pd_error *cmd_sandbox_enter(const char *path, const struct cmd_output_opts *opts)
{
	(void)path;
	(void)opts;
	return NULL;
}

struct pd_error *cmd_pager_start(const struct cmd_options *options, FILE **ret)
{
	(void)options;
	*ret = NULL;
	return NULL;
}

struct pd_error *cmd_pager_finish(FILE *stream, struct pd_error *err)
{
	(void)stream;
	return err;
}

struct pd_error *cmd_browser_stand_by(const char *path, struct cmd_standby *ret)
{
	(void)path;
	*ret = (struct cmd_standby){ 0 };
	return NULL;
}

struct pd_error *cmd_browser_open(struct cmd_standby *standby, bool *opened_ret)
{
	(void)standby;
	*opened_ret = false;
	return NULL;
}

void cmd_standby_dismiss(struct cmd_standby *standby)
{
	(void)standby;
}

void cmd_bus_error_watch(void)
{
}

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

struct pd_error *cmd_send_settle(struct cmd_options *options)
{
	if (!options->send.url)
		return NULL;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this pdconv cannot send: write the profile with --output instead");
}

struct pd_error *cmd_send_run(
	struct cmd_options *options, int (*run)(struct cmd_options *options), int *status_ret)
{
	*status_ret = run(options);
	return NULL;
}
