#include "sql/virtual_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "sql/schema.h"

/* Name of the module in CREATE VIRTUAL TABLE. */
#define MODULE "pdconv"

/* How rows are found: idxNum of SQLite. From BY_COLUMN on, by the column of this number. */
enum { ALL_ROWS, BY_ROW, BY_COLUMN };

/* Estimate for rows that have one value of a column. */
enum { ROWS_OF_VALUE = 16 };

struct table {
	/* The struct of SQLite comes first. */
	sqlite3_vtab base;
	struct sql_model *model;
	const struct tab_table *table;
};

struct cursor {
	sqlite3_vtab_cursor base;
	/* Rows are [at, end): of the table, or of the index. */
	size_t at;
	size_t end;
	const struct base_keyed *rows;
};

static const struct table *table_of(const sqlite3_vtab_cursor *cursor)
{
	return (const struct table *)cursor->pVtab;
}

static size_t n_rows(const struct table *table)
{
	return table->model->source ? tab_n_rows(table->model->source, table->table) : 0;
}

static size_t row_of(const struct cursor *cursor)
{
	return cursor->rows ? cursor->rows[cursor->at].index : cursor->at;
}

/* Report an error of the profile's tables. */
static int fail(struct sql_model *model, struct pd_error *err)
{
	if (err == &pd_enomem)
		return SQLITE_NOMEM;
	pd_error_destroy(model->err);
	model->err = err;
	return SQLITE_IOERR;
}

/* Indexes. */

/* Keys in the order of signed numbers. */
static uint64_t key_of(int64_t value)
{
	return (uint64_t)value ^ (uint64_t)INT64_MIN;
}

static struct pd_error *fill_index(
	const struct table *table, const struct tab_column *column, struct sql_index *index)
{
	struct tab_source *source = table->model->source;
	size_t n = n_rows(table);

	for (size_t row = 0; row < n; row++) {
		struct tab_cell cell;

		tab_pass(source, table->table, row);
		struct pd_error *err = tab_get(source, table->table, column, row, &cell);
		if (err)
			return err;
		const struct base_keyed keyed = { key_of(cell.integer), (uint32_t)row };
		if (!cell.is_null && !pd_vec_push(&index->rows, keyed))
			return &pd_enomem;
	}
	return base_sort_keyed(index->rows.data, index->rows.n) ? NULL : &pd_enomem;
}

static struct pd_error *get_index(
	const struct table *table, const struct tab_column *column, const struct sql_index **ret)
{
	struct sql_model *model = table->model;
	struct sql_index index = { .column = column };

	for (size_t i = 0; i < model->indexes.n; i++) {
		if (model->indexes.data[i].column == column) {
			*ret = &model->indexes.data[i];
			return NULL;
		}
	}
	struct pd_error *err = fill_index(table, column, &index);
	if (!err && !pd_vec_push(&model->indexes, index))
		err = &pd_enomem;
	if (err) {
		pd_vec_deinit(&index.rows);
		return err;
	}
	*ret = &model->indexes.data[model->indexes.n - 1];
	return NULL;
}

/* Number of the first row in @p index whose key is not less than @p key. */
static size_t lower_bound(const struct sql_index *index, uint64_t key)
{
	size_t low = 0, high = index->rows.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->rows.data[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The interface of SQLite. */

static char *write_declaration(const struct tab_table *table)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "CREATE TABLE %s(", table->name);
	sql_write_columns(table, out);
	fputs(")", out);
	return base_memstream_close(out, &text) ? text : NULL;
}

static int connect_table(sqlite3 *db, void *model, int argc, const char *const *argv,
	sqlite3_vtab **ret, char **message)
{
	/* The arguments are those of the module, the database and the table. */
	const struct tab_table *found = argc > 2 ? tab_find(argv[2]) : NULL;
	_cleanup_free_ char *declaration = found ? write_declaration(found) : NULL;

	(void)message;
	if (!found)
		return SQLITE_ERROR;
	struct table *table = sqlite3_malloc(sizeof(*table));
	if (!table || !declaration) {
		sqlite3_free(table);
		return SQLITE_NOMEM;
	}
	*table = (struct table){ .model = model, .table = found };
	*ret = &table->base;
	return sqlite3_declare_vtab(db, declaration);
}

static int disconnect_table(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

/* How rows with a value of column @p i can be found. */
static int lookup_of(const struct tab_table *table, int i)
{
	if (i < 0 || (i == 0 && table->has_id))
		return BY_ROW;
	return table->columns[i].type == TAB_INTEGER ? BY_COLUMN + i : ALL_ROWS;
}

static int plan(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct table *table = (const struct table *)vtab;
	size_t n = n_rows(table);
	int chosen = -1;

	info->idxNum = ALL_ROWS;
	for (int i = 0; i < info->nConstraint && info->idxNum != BY_ROW; i++) {
		int lookup = n > UINT32_MAX ? ALL_ROWS
					    : lookup_of(table->table, info->aConstraint[i].iColumn);

		if (!info->aConstraint[i].usable || lookup == ALL_ROWS ||
			info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (chosen >= 0 && lookup != BY_ROW)
			continue;
		chosen = i;
		info->idxNum = lookup;
	}
	if (chosen >= 0)
		info->aConstraintUsage[chosen].argvIndex = 1;
	info->estimatedRows = info->idxNum == BY_ROW ? 1 : (sqlite3_int64)n + 1;
	if (info->idxNum >= BY_COLUMN)
		info->estimatedRows = (sqlite3_int64)n / ROWS_OF_VALUE + 1 < ROWS_OF_VALUE
					      ? (sqlite3_int64)n / ROWS_OF_VALUE + 1
					      : ROWS_OF_VALUE;
	info->estimatedCost = (double)info->estimatedRows + (info->idxNum == ALL_ROWS ? 1 : 0);
	if (info->idxNum == BY_ROW)
		info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct cursor){ 0 };
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

/*
 * Find the rows with @p value. SQLite compares them again, so that rows of other types than
 * integers may be found as well: 5.0 and '5' are equal to 5.
 */
static int find_rows(struct cursor *cursor, int lookup, sqlite3_value *value)
{
	const struct table *table = table_of(&cursor->base);
	const struct sql_index *index = NULL;

	if (sqlite3_value_type(value) == SQLITE_NULL) {
		cursor->end = 0;
		return SQLITE_OK;
	}
	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER)
		return SQLITE_OK;
	int64_t wanted = sqlite3_value_int64(value);
	if (lookup == BY_ROW) {
		bool exists = wanted >= 0 && (uint64_t)wanted < cursor->end;

		cursor->at = exists ? (size_t)wanted : 0;
		cursor->end = exists ? cursor->at + 1 : 0;
		return SQLITE_OK;
	}
	struct pd_error *err = get_index(table, &table->table->columns[lookup - BY_COLUMN], &index);
	if (err)
		return fail(table->model, err);
	uint64_t key = key_of(wanted);
	cursor->rows = index->rows.data;
	cursor->at = lower_bound(index, key);
	cursor->end = key == UINT64_MAX ? index->rows.n : lower_bound(index, key + 1);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int lookup, const char *name, int n_values,
	sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)base;

	(void)name;
	cursor->rows = NULL;
	cursor->at = 0;
	cursor->end = n_rows(table_of(base));
	if (lookup == ALL_ROWS || n_values < 1 || !cursor->end)
		return SQLITE_OK;
	return find_rows(cursor, lookup, values[0]);
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct table *table = table_of(base);

	cursor->at++;
	if (!cursor->rows && cursor->at < cursor->end)
		tab_pass(table->model->source, table->table, cursor->at);
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->at >= cursor->end;
}

static int get_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
	const struct table *table = table_of(base);
	const struct tab_column *column = &table->table->columns[i];
	struct tab_cell cell;
	struct pd_error *err = tab_get(table->model->source, table->table, column,
		row_of((const struct cursor *)base), &cell);

	if (err)
		return fail(table->model, err);
	if (cell.is_null)
		sqlite3_result_null(ctx);
	else if (column->type == TAB_INTEGER)
		sqlite3_result_int64(ctx, cell.integer);
	else if (column->type == TAB_REAL)
		sqlite3_result_double(ctx, cell.real);
	else if (column->type == TAB_TEXT)
		sqlite3_result_text64(ctx, cell.bytes, cell.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	else
		sqlite3_result_blob64(ctx, cell.bytes, cell.len, SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int get_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)row_of((const struct cursor *)base);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.iVersion = 1,
	.xCreate = connect_table,
	.xConnect = connect_table,
	.xBestIndex = plan,
	.xDisconnect = disconnect_table,
	.xDestroy = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = get_column,
	.xRowid = get_rowid,
};

struct pd_error *sql_create_virtual_tables(sqlite3 *db, struct sql_model *model, const char *schema)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);

	if (sqlite3_create_module(db, MODULE, &module, model) != SQLITE_OK)
		return sql_error(db, NULL);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = base_format(
			"CREATE VIRTUAL TABLE %s.%s USING " MODULE, schema, tables[i]->name);

		if (!text)
			return &pd_enomem;
		struct pd_error *err = sql_run(db, text);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *sql_model_error(struct sql_model *model, struct pd_error *err)
{
	if (!err || !model->err)
		return err;
	pd_error_destroy(err);
	return take_ptr(model->err);
}

void sql_model_set_source(struct sql_model *model, struct tab_source *source)
{
	for (size_t i = 0; i < model->indexes.n; i++)
		pd_vec_deinit(&model->indexes.data[i].rows);
	model->indexes.n = 0;
	model->source = source;
}

void sql_model_deinit(struct sql_model *model)
{
	sql_model_set_source(model, NULL);
	pd_vec_deinit(&model->indexes);
	pd_error_destroy(take_ptr(model->err));
}
