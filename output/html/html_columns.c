#include "output/html/html_columns.h"

#include <string.h>

enum kind { KIND_VARINT, KIND_DELTA, KIND_BYTES };

static const char *const kind_names[] = {
	[KIND_VARINT] = "varint",
	[KIND_DELTA] = "delta",
	[KIND_BYTES] = "bytes",
};

static const struct {
	const char *name;
	enum kind kind;
} rows[] = {
#define COLUMN_ROW(id, name, kind) { name, KIND_##kind },
	HTML_COLUMNS(COLUMN_ROW)
};

const char *html_column_name(enum html_column_id id)
{
	return rows[id].name;
}

const char *html_column_kind(enum html_column_id id)
{
	return kind_names[rows[id].kind];
}

void html_columns_deinit(struct html_columns *columns)
{
	for (size_t i = 0; i < HTML_N_COLUMNS; i++)
		pd_vec_deinit(&columns->list[i].bytes);
}

/* Map numbers of small magnitude to small numbers: 0, -1, 1, -2, 2 to 0, 1, 2, 3, 4. */
static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

void html_put(struct html_columns *columns, enum html_column_id id, uint64_t value)
{
	enum { MOST_BYTES = 10 };
	struct html_column *column = &columns->list[id];
	uint64_t left = rows[id].kind == KIND_DELTA ? zigzag(value - column->last) : value;

	if (!pd_vec_reserve(&column->bytes, column->bytes.n + MOST_BYTES)) {
		columns->no_memory = true;
		return;
	}
	for (; left >= 0x80; left >>= 7)
		column->bytes.data[column->bytes.n++] = (uint8_t)(left | 0x80);
	column->bytes.data[column->bytes.n++] = (uint8_t)left;
	column->last = value;
	column->n++;
}

void html_put_bytes(
	struct html_columns *columns, enum html_column_id id, const void *bytes, size_t n)
{
	struct html_column *column = &columns->list[id];

	if (!n)
		return;
	if (!pd_vec_reserve(&column->bytes, column->bytes.n + n)) {
		columns->no_memory = true;
		return;
	}
	memcpy(column->bytes.data + column->bytes.n, bytes, n);
	column->bytes.n += n;
	column->n += n;
}
