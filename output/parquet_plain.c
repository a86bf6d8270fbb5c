/* The format parquet of builds for systems where output is a single file. */
#include "output/formats.h"

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	(void)request;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this build of pdconv does not write the directories of the format parquet");
}

const struct out_format out_format_parquet = {
	.name = "parquet",
	.suffix = ".parquet",
	.is_binary = true,
	.takes_one = true,
	.help = "directory of Parquet files, one for each table",
	.prepare = prepare,
};
