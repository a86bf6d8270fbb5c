#include "sql/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/temporary.h"
#include "sql/schema.h"

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

/* Rows after which the caller is asked whether to go on. */
enum { ASK_STEP = 4096 };

static void bind_cell(sqlite3_stmt *insert, int at, enum tab_type type, const struct tab_cell *cell)
{
	if (cell->is_null)
		sqlite3_bind_null(insert, at);
	else if (type == TAB_INTEGER)
		sqlite3_bind_int64(insert, at, cell->integer);
	else if (type == TAB_REAL)
		sqlite3_bind_double(insert, at, cell->real);
	else if (type == TAB_TEXT)
		sqlite3_bind_text64(
			insert, at, cell->bytes, cell->len, SQLITE_TRANSIENT, SQLITE_UTF8);
	else
		sqlite3_bind_blob64(insert, at, cell->bytes, cell->len, SQLITE_TRANSIENT);
}

static struct pd_error *insert_row(
	sqlite3_stmt *insert, struct tab_source *source, const struct tab_table *table, size_t row)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		struct tab_cell cell;
		struct pd_error *err = tab_get(source, table, &table->columns[i], row, &cell);

		if (err)
			return err;
		bind_cell(insert, (int)i + 1, table->columns[i].type, &cell);
	}
	if (sqlite3_step(insert) != SQLITE_DONE)
		return sql_error(sqlite3_db_handle(insert), NULL);
	sqlite3_reset(insert);
	return NULL;
}

static struct pd_error *fill(
	sqlite3_stmt *insert, struct tab_source *source, const struct tab_table *table)
{
	size_t n = tab_n_rows(source, table);

	for (size_t row = 0; row < n; row++) {
		if (row % ASK_STEP == 0 && base_is_cancelled())
			return base_cancel_error();
		tab_pass(source, table, row);
		struct pd_error *err = insert_row(insert, source, table, row);
		if (err)
			return err;
	}
	return NULL;
}

/* Write the statement that inserts a row: "INSERT INTO name VALUES (?, ?)". */
static void write_insert(const struct tab_table *table, FILE *out)
{
	fprintf(out, "INSERT INTO %s VALUES (?", table->name);
	for (size_t i = 1; i < table->n_columns; i++)
		fputs(", ?", out);
	fputs(")", out);
}

static void write_create(const struct tab_table *table, FILE *out)
{
	fprintf(out, "CREATE TABLE %s(", table->name);
	sql_write_columns(table, out);
	fputs(")", out);
}

/* Return a statement about a table. NULL: no memory. */
static char *statement(
	void (*write)(const struct tab_table *, FILE *), const struct tab_table *table)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	write(table, out);
	return base_memstream_close(out, &text) ? text : NULL;
}

static struct pd_error *add_table(
	sqlite3 *db, struct tab_source *source, const struct tab_table *table)
{
	_cleanup_free_ char *create = statement(write_create, table);
	_cleanup_free_ char *text = statement(write_insert, table);
	sqlite3_stmt *insert = NULL;

	if (!create || !text)
		return &pd_enomem;
	struct pd_error *err = sql_run(db, create);
	if (err)
		return err;
	if (sqlite3_prepare_v2(db, text, -1, &insert, NULL) != SQLITE_OK)
		return sql_error(db, NULL);
	err = fill(insert, source, table);
	sqlite3_finalize(insert);
	return err;
}

static struct pd_error *add_tables(sqlite3 *db, struct tab_source *source)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);

	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = add_table(db, source, tables[i]);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *build(sqlite3 *db, const struct profile *profile)
{
	struct tab_source *source;
	struct pd_error *err = tab_source_create(profile, tab_all_needs(), &source);

	if (err)
		return err;
	err = sql_run(db, FAST);
	if (!err)
		err = add_tables(db, source);
	if (!err)
		err = sql_create_views(db);
	if (!err)
		err = sql_create_help(db);
	if (!err)
		err = sql_run(db, INDEXES);
	tab_source_destroy(source);
	return err;
}

static struct pd_error *build_file(const char *path, const struct profile *profile)
{
	sqlite3 *db = NULL;
	int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	struct pd_error *err = code == SQLITE_OK ? build(db, profile) : sql_error(db, path);

	sqlite3_close(db);
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
