/* Programs that pdconv starts or serves, and signals: there are none. */
#include "cmd/process/browser.h"
#include "cmd/process/pager.h"
#include "cmd/process/sandbox.h"
#include "cmd/process/signals.h"

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
