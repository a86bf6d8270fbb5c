/* The format sqlite: a database file with the tables of tables/tables.h. */
#include "output/formats.h"
#include "sql/database.h"
#include "tables/tables.h"

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	tab_request(tab_all_needs(), request);
	return NULL;
}

static struct pd_error *write_sqlite(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	(void)opts;
	return sql_database_write(profile, out);
}

const struct out_format out_format_sqlite = {
	.name = "sqlite",
	.suffix = ".db",
	.is_binary = true,
	.takes_one = true,
	.help = "database of SQLite: samples, stacks, functions, threads",
	.prepare = prepare,
	.write = write_sqlite,
};
