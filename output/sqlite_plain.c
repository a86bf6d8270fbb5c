/* The format sqlite of builds without SQLite. */
#include "output/formats.h"

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	(void)request;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this build of pdconv has no SQLite for the format sqlite");
}

const struct out_format out_format_sqlite = {
	.name = "sqlite",
	.suffix = ".db",
	.is_binary = true,
	.takes_one = true,
	.help = "database of SQLite: samples, stacks, functions, threads",
	.prepare = prepare,
};
