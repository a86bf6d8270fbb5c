#include "sql/sql_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/json.h"
#include "base/memstream.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sql/schema.h"

/* Rows of text that decide how wide its columns are. */
enum { ROWS_FOR_WIDTHS = 256 };

static const char *name_of(sqlite3_stmt *statement, int i)
{
	const char *name = sqlite3_column_name(statement, i);

	return name ? name : "";
}

/*
 * Return the bytes of a text, in which tables have stored those that are not UTF-8 as characters
 * (base/utf8.h). Allocated and NUL-terminated; NULL: no memory.
 */
static char *original(const char *text, size_t len, size_t *len_ret)
{
	char *ret = malloc(len + 1);
	size_t n = 0;

	for (size_t at = 0, step; ret && at < len; at += step) {
		uint32_t character = 0;

		step = base_utf8_decode(text + at, len - at, &character);
		if (step && character >= PD_UTF8_BYTE && character <= PD_UTF8_BYTE + UINT8_MAX) {
			ret[n++] = (char)(character - PD_UTF8_BYTE);
			continue;
		}
		step = step ? step : 1;
		memcpy(ret + n, text + at, step);
		n += step;
	}
	if (ret)
		ret[n] = 0;
	*len_ret = n;
	return ret;
}

static char *original_text(sqlite3_stmt *statement, int i, size_t *len_ret)
{
	const char *text = (const char *)sqlite3_column_text(statement, i);

	return text ? original(text, (size_t)sqlite3_column_bytes(statement, i), len_ret) : NULL;
}

/* Write bytes as hexadecimal digits. */
static void write_hex(const uint8_t *bytes, int len, FILE *out)
{
	for (int i = 0; i < len; i++)
		fprintf(out, "%02x", bytes[i]);
}

/* Go on to the next row. False at the end, and if that is an error, *err_ret is set. */
static bool next(sqlite3_stmt *statement, FILE *out, struct pd_error **err_ret)
{
	if (ferror(out))
		return false;
	int code = sqlite3_step(statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		*err_ret = sql_error(sqlite3_db_handle(statement), NULL);
	return code == SQLITE_ROW;
}

/* JSON. */

static void write_json_text(struct base_json *json, sqlite3_stmt *statement, int i)
{
	size_t len;
	_cleanup_free_ char *text = original_text(statement, i, &len);

	if (text)
		base_json_text(json, name_of(statement, i), text, len);
	else
		base_stream_fail(json->out);
}

static void write_json_value(struct base_json *json, sqlite3_stmt *statement, int i)
{
	const char *name = name_of(statement, i);

	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_INTEGER:
		base_json_int(json, name, sqlite3_column_int64(statement, i));
		break;
	case SQLITE_FLOAT:
		base_json_double(json, name, sqlite3_column_double(statement, i));
		break;
	case SQLITE_TEXT:
		write_json_text(json, statement, i);
		break;
	case SQLITE_BLOB:
		base_json_hex(json, name, sqlite3_column_blob(statement, i),
			(size_t)sqlite3_column_bytes(statement, i));
		break;
	default:
		base_json_str(json, name, NULL);
	}
}

static struct pd_error *write_json(sqlite3_stmt *statement, FILE *out)
{
	struct base_json json = { .out = out };
	struct pd_error *err = NULL;
	const char *separator = "[";

	while (next(statement, out, &err)) {
		fprintf(out, "%s\n  ", separator);
		json.needs_comma = false;
		base_json_object(&json, NULL);
		for (int i = 0; i < sqlite3_column_count(statement); i++)
			write_json_value(&json, statement, i);
		base_json_end(&json, '}');
		separator = ",";
	}
	if (!err)
		fputs(*separator == '[' ? "[]\n" : "\n]\n", out);
	return err;
}

/* CSV. */

static void write_csv_text(const char *text, size_t len, FILE *out)
{
	bool is_quoted = memchr(text, ',', len) || memchr(text, '"', len) ||
			 memchr(text, '\n', len) || memchr(text, '\r', len) || !len;

	if (!is_quoted) {
		fwrite(text, 1, len, out);
		return;
	}
	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			putc('"', out);
		putc(text[i], out);
	}
	putc('"', out);
}

static void write_csv_value(sqlite3_stmt *statement, int i, FILE *out)
{
	int type = sqlite3_column_type(statement, i);

	if (type == SQLITE_NULL)
		return;
	if (type == SQLITE_BLOB) {
		const uint8_t *bytes = sqlite3_column_blob(statement, i);

		write_hex(bytes, sqlite3_column_bytes(statement, i), out);
		return;
	}
	const char *text = (const char *)sqlite3_column_text(statement, i);
	if (text)
		write_csv_text(text, (size_t)sqlite3_column_bytes(statement, i), out);
}

static struct pd_error *write_csv(sqlite3_stmt *statement, FILE *out)
{
	struct pd_error *err = NULL;
	int n = sqlite3_column_count(statement);

	for (int i = 0; i < n; i++) {
		const char *name = name_of(statement, i);

		fputs(i ? "," : "", out);
		write_csv_text(name, strlen(name), out);
	}
	fputs("\r\n", out);
	while (next(statement, out, &err)) {
		for (int i = 0; i < n; i++) {
			fputs(i ? "," : "", out);
			write_csv_value(statement, i, out);
		}
		fputs("\r\n", out);
	}
	return err;
}

/* Text. */

struct text_cell {
	/* Owned; NULL: nothing is shown. */
	char *text;
	/* Number of characters. */
	size_t width;
	bool is_number;
};

struct text_table {
	sqlite3_stmt *statement;
	FILE *out;
	int n_columns;
	size_t *widths;
	/* Rows before widths are known, n_columns cells each. */
	struct text_cell *cells;
	size_t n_rows;
};

/* Characters of UTF-8: all bytes but those that continue one. */
static size_t count_characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static char *format_hex(const uint8_t *bytes, int len)
{
	char *text = malloc(2 * (size_t)len + 1);

	for (int i = 0; text && i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	if (text)
		text[2 * (size_t)len] = 0;
	return text;
}

/* Real numbers have as many decimals as a person reads. */
static char *format_cell(sqlite3_stmt *statement, int i, int type)
{
	size_t len;

	if (type == SQLITE_INTEGER)
		return base_format("%lld", sqlite3_column_int64(statement, i));
	if (type == SQLITE_FLOAT)
		return base_format("%.6g", sqlite3_column_double(statement, i));
	if (type == SQLITE_BLOB) {
		const uint8_t *bytes = sqlite3_column_blob(statement, i);

		return format_hex(bytes, sqlite3_column_bytes(statement, i));
	}
	_cleanup_free_ char *text = original_text(statement, i, &len);
	return text ? base_text_dup(text, len, &len) : NULL;
}

static bool read_cell(sqlite3_stmt *statement, int i, struct text_cell *ret)
{
	int type = sqlite3_column_type(statement, i);

	*ret = (struct text_cell){ .is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT };
	if (type == SQLITE_NULL)
		return true;
	ret->text = format_cell(statement, i, type);
	if (!ret->text)
		return false;
	ret->width = count_characters(ret->text);
	return true;
}

static void write_spaces(size_t n, FILE *out)
{
	fprintf(out, "%*s", (int)n, "");
}

static void write_cell(const struct text_table *t, int i, const struct text_cell *cell)
{
	size_t pad = t->widths[i] > cell->width ? t->widths[i] - cell->width : 0;
	bool is_last = i + 1 == t->n_columns;

	if (cell->is_number)
		write_spaces(pad, t->out);
	fputs(cell->text ? cell->text : "", t->out);
	if (!cell->is_number && !is_last)
		write_spaces(pad, t->out);
	fputs(is_last ? "\n" : "  ", t->out);
}

/* Write a row, and free its cells. */
static void write_row(const struct text_table *t, struct text_cell *cells)
{
	for (int i = 0; i < t->n_columns; i++) {
		write_cell(t, i, &cells[i]);
		free(take_ptr(cells[i].text));
	}
}

static bool read_row(const struct text_table *t, struct text_cell *cells)
{
	for (int i = 0; i < t->n_columns; i++) {
		if (!read_cell(t->statement, i, &cells[i]))
			return false;
		if (t->widths[i] < cells[i].width)
			t->widths[i] = cells[i].width;
	}
	return true;
}

/* Names stand above their values, numbers to the right. */
static void write_names(const struct text_table *t)
{
	for (int i = 0; i < t->n_columns; i++) {
		const char *name = name_of(t->statement, i);
		const struct text_cell cell = {
			.text = (char *)name,
			.width = count_characters(name),
			.is_number = t->n_rows && t->cells[i].is_number,
		};

		write_cell(t, i, &cell);
	}
}

static void write_first_rows(struct text_table *t)
{
	write_names(t);
	for (size_t i = 0; i < t->n_rows; i++)
		write_row(t, &t->cells[i * (size_t)t->n_columns]);
}

static struct pd_error *write_rows(struct text_table *t)
{
	struct pd_error *err = NULL;

	while (t->n_rows < ROWS_FOR_WIDTHS && next(t->statement, t->out, &err)) {
		if (!read_row(t, &t->cells[t->n_rows * (size_t)t->n_columns]))
			return &pd_enomem;
		t->n_rows++;
	}
	if (err)
		return err;
	write_first_rows(t);
	while (!err && t->n_rows == ROWS_FOR_WIDTHS && next(t->statement, t->out, &err)) {
		if (!read_row(t, t->cells))
			return &pd_enomem;
		write_row(t, t->cells);
	}
	return err;
}

static struct pd_error *write_text(sqlite3_stmt *statement, FILE *out)
{
	int n = sqlite3_column_count(statement);
	struct text_table t = { .statement = statement, .out = out, .n_columns = n };
	struct pd_error *err = &pd_enomem;

	t.widths = base_calloc_n((size_t)n, sizeof(*t.widths));
	t.cells = base_calloc_n((size_t)n * ROWS_FOR_WIDTHS, sizeof(*t.cells));
	if (t.widths && t.cells) {
		for (int i = 0; i < n; i++)
			t.widths[i] = count_characters(name_of(statement, i));
		err = write_rows(&t);
	}
	for (size_t i = 0; t.cells && i < (size_t)n * ROWS_FOR_WIDTHS; i++)
		free(t.cells[i].text);
	free(t.widths);
	free(t.cells);
	return err;
}

struct pd_error *sql_result_write(sqlite3_stmt *statement, enum sql_style style, FILE *out)
{
	switch (style) {
	case SQL_CSV:
		return write_csv(statement, out);
	case SQL_JSON:
		return write_json(statement, out);
	case SQL_TEXT:
		break;
	}
	return write_text(statement, out);
}
