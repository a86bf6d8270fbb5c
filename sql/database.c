#include "sql/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/io/temporary.h"
#include "sql/schema.h"
#include "sql/virtual_tables.h"

/* Nothing has to survive a crash: the file gets its name when it is complete. */
static const char FAST[] = "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; "
			   "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
			   "PRAGMA cache_size = -32768; PRAGMA encoding = 'UTF-8'; BEGIN";

/*
 * Recursive queries go down the tree of stacks, and join both tables by the stack. Other columns
 * have few distinct values, so that reading the whole table is as fast, or are ids.
 */
static const char INDEXES[] = "CREATE INDEX stacks_by_parent ON stacks(parent); "
			      "CREATE INDEX stack_totals_by_stack ON stack_totals(stack); COMMIT";

/* Instructions of SQLite after which the caller is asked whether to go on. */
enum { ASK_STEP = 100000 };

static int is_cancelled(void *ctx)
{
	(void)ctx;
	return base_is_cancelled();
}

/* Return "CREATE TABLE main.NAME(...); INSERT INTO main.NAME SELECT * FROM temp.NAME". */
static char *write_statements(const struct tab_table *table)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "CREATE TABLE main.%s(", table->name);
	sql_write_columns(table, out);
	fprintf(out, "); INSERT INTO main.%s SELECT * FROM temp.%s; DROP TABLE temp.%s",
		table->name, table->name, table->name);
	return base_memstream_close(out, &text) ? text : NULL;
}

/* The virtual tables of the profile are copied, and dropped. */
static struct pd_error *add_tables(sqlite3 *db)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = write_statements(tables[i]);
		struct pd_error *err = text ? sql_run(db, text) : &pd_enomem;

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *build(sqlite3 *db, struct sql_model *model)
{
	struct pd_error *err = sql_create_virtual_tables(db, model, "temp");

	sqlite3_progress_handler(db, ASK_STEP, is_cancelled, NULL);
	if (!err)
		err = sql_run(db, FAST);
	if (!err)
		err = add_tables(db);
	if (!err)
		err = sql_create_views(db);
	if (!err)
		err = sql_create_help(db);
	if (!err)
		err = sql_run(db, INDEXES);
	if (err && base_is_cancelled()) {
		pd_error_destroy(err);
		err = base_cancel_error();
	}
	return sql_model_error(model, err);
}

static struct pd_error *build_file(const char *path, const struct profile *profile)
{
	struct sql_model model = { 0 };
	sqlite3 *db = NULL;
	struct pd_error *err = tab_source_create(profile, tab_all_needs(), &model.source);

	if (err)
		return err;
	int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	err = code == SQLITE_OK ? build(db, &model) : sql_error(db, path);
	sqlite3_close(db);
	tab_source_destroy(model.source);
	sql_model_deinit(&model);
	return err;
}

static struct pd_error *copy(int fd, FILE *out)
{
	static const size_t SIZE = 1 << 16;
	_cleanup_free_ char *buffer = malloc(SIZE);
	ssize_t n;

	if (!buffer)
		return &pd_enomem;
	while ((n = base_read_some(fd, buffer, SIZE)) > 0) {
		if (fwrite(buffer, 1, (size_t)n, out) < (size_t)n)
			return NULL;
	}
	return n < 0 ? pd_error_os(NULL, "cannot read the temporary file") : NULL;
}

struct pd_error *sql_database_write(const struct profile *profile, FILE *out)
{
	_cleanup_free_ char *start = base_format("%s/pdconv-", base_temporary_large_dir());
	_cleanup_free_ char *path = NULL;

	if (!start)
		return &pd_enomem;
	_cleanup_close_ int fd = base_temporary_create_in(AT_FDCWD, start, ".db", 0600, &path);
	if (fd < 0)
		return pd_error_os(base_temporary_large_dir(), "cannot create a file");
	struct pd_error *err = build_file(path, profile);
	unlink(path);
	return err ? err : copy(fd, out);
}
