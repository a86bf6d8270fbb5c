/* pdconv sql of builds without SQLite. */
#include "cmd/options/commands.h"

struct pd_error *cmd_sql(const struct cmd_options *options, struct cmd_result *result)
{
	(void)options;
	(void)result;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL, "this build of pdconv has no SQLite");
}
