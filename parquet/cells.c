#include "parquet/cells.h"

#include <math.h>
#include <string.h>

#include <pdconv/bytes.h>

#include "base/analyzer.h"
#include "base/integer.h"
#include "base/utf8.h"

const struct pq_type_info pq_type_infos[PQ_N_TYPES] = {
#define T(name, kind, physical, size, converted, logical) \
	[PQ_##name] = { #name, PQ_KIND_##kind, PQ_PHYSICAL_##physical, size, \
		PQ_CONVERTED_##converted, PQ_LOGICAL_##logical },
#include "parquet/parquet_type_defs.h"
#undef T
};

void pq_cells_init(struct pq_cells *cells, const struct pq_column *column)
{
	*cells = (struct pq_cells){ .column = column, .type = &pq_type_infos[column->type] };
}

void pq_cells_deinit(struct pq_cells *cells)
{
	pd_vec_deinit(&cells->values);
	pd_vec_deinit(&cells->levels);
	base_intern_deinit(&cells->strings);
}

void pq_cells_clear(struct pq_cells *cells)
{
	cells->n_rows = 0;
	cells->values.n = 0;
	cells->levels.n = 0;
	base_intern_deinit(&cells->strings);
}

struct pd_error *pq_cells_add(struct pq_cells *cells, uint64_t value)
{
	if (!pd_vec_push(&cells->values, value))
		return &pd_enomem;
	if (cells->column->is_optional && !pd_vec_push(&cells->levels, 1))
		return &pd_enomem;
	cells->n_rows++;
	return NULL;
}

struct pd_error *pq_cells_add_bytes(struct pq_cells *cells, const void *bytes, size_t len)
{
	const char *text = len ? bytes : "";
	size_t n = cells->strings.n;

	if (len > PQ_VALUE_BYTES)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"column '%s': a value of %zu bytes is longer than %d", cells->column->name,
			len, PQ_VALUE_BYTES);
	uint32_t id = base_intern_add(&cells->strings, text, len);
	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	/* A string that the row group has already was checked then. */
	if (id == n && cells->column->type == PQ_STRING && !base_utf8_is_valid(text, len))
		return pd_error_create(PD_ERROR_USAGE, NULL, "column '%s': a value is not UTF-8",
			cells->column->name);
	return pq_cells_add(cells, id);
}

struct pd_error *pq_cells_add_null(struct pq_cells *cells)
{
	if (!cells->column->is_optional)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "column '%s' cannot be null", cells->column->name);
	if (!pd_vec_push(&cells->levels, 0))
		return &pd_enomem;
	cells->n_rows++;
	return NULL;
}

static size_t count_values(const struct pq_cells *cells, size_t row, size_t n_rows)
{
	size_t n = 0;

	if (!cells->column->is_optional)
		return n_rows;
	for (size_t i = 0; i < n_rows; i++)
		n += cells->levels.data[row + i];
	return n;
}

struct pq_range pq_cells_range(const struct pq_cells *cells, const struct pq_range *before,
	size_t most, size_t plain_bytes)
{
	struct pq_range range = {
		.row = before->row + before->n_rows,
		.value = before->value + before->n_values,
	};
	size_t left = cells->n_rows - range.row;
	uint64_t bytes = 0;

	most = left < most ? left : most;
	if (!plain_bytes || cells->type->size) {
		range.n_rows = most;
		range.n_values = count_values(cells, range.row, most);
		return range;
	}
	for (; range.n_rows < most && bytes < plain_bytes; range.n_rows++) {
		if (!count_values(cells, range.row + range.n_rows, 1))
			continue;
		uint64_t id = cells->values.data[range.value + range.n_values++];
		bytes += sizeof(uint32_t) + base_intern_len(&cells->strings, (uint32_t)id);
	}
	return range;
}

static double as_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static bool is_less_string(const struct base_intern *strings, uint32_t a, uint32_t b)
{
	size_t len_a = base_intern_len(strings, a);
	size_t len_b = base_intern_len(strings, b);
	int order = memcmp(base_intern_bytes(strings, a), base_intern_bytes(strings, b),
		len_a < len_b ? len_a : len_b);

	return order < 0 || (order == 0 && len_a < len_b);
}

bool pq_cells_is_less(const struct pq_cells *cells, uint64_t a, uint64_t b)
{
	switch (cells->type->kind) {
	case PQ_KIND_INT:
		return (int64_t)a < (int64_t)b;
	case PQ_KIND_DOUBLE:
		return as_double(a) < as_double(b);
	case PQ_KIND_BYTES:
		return a != b && is_less_string(&cells->strings, (uint32_t)a, (uint32_t)b);
	default:
		return a < b;
	}
}

static void extend(const struct pq_cells *cells, struct pq_bounds *bounds, uint64_t value)
{
	if (!bounds->has_values || pq_cells_is_less(cells, value, bounds->least))
		bounds->least = value;
	if (!bounds->has_values || pq_cells_is_less(cells, bounds->most, value))
		bounds->most = value;
	bounds->has_values = true;
}

/* Bounds of @p n integers, 1 or more. */
static void bound_integers(
	const uint64_t *values, size_t n, enum pq_kind kind, struct pq_bounds *bounds)
{
	/* With the sign turned, signed integers have the order of unsigned ones. */
	uint64_t sign = kind == PQ_KIND_INT ? UINT64_C(1) << 63 : 0;
	uint64_t least = UINT64_MAX;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = values[i] ^ sign;

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	bounds->has_values = true;
	bounds->least = least ^ sign;
	bounds->most = most ^ sign;
}

struct pq_bounds pq_cells_bounds(
	const struct pq_cells *cells, const struct pq_range *range, uint32_t *seen, uint32_t stamp)
{
	struct pq_bounds bounds = { .n_nulls = range->n_rows - range->n_values };
	const uint64_t *values = pq_cells_values(cells, range->value);

	PD_IS_TRUE(values || !range->n_values, "ranges of a column without values have none");
	if (range->n_values && cells->type->size && cells->type->kind != PQ_KIND_DOUBLE) {
		bound_integers(values, range->n_values, cells->type->kind, &bounds);
		return bounds;
	}
	for (size_t i = 0; i < range->n_values; i++) {
		if (seen) {
			if (seen[values[i]] == stamp)
				continue;
			seen[values[i]] = stamp;
		}
		if (cells->type->kind == PQ_KIND_DOUBLE && isnan(as_double(values[i])))
			bounds.n_nans++;
		else
			extend(cells, &bounds, values[i]);
	}
	return bounds;
}

void pq_bounds_merge(
	const struct pq_cells *cells, struct pq_bounds *bounds, const struct pq_bounds *other)
{
	bounds->n_nulls += other->n_nulls;
	bounds->n_nans += other->n_nans;
	if (!other->has_values)
		return;
	extend(cells, bounds, other->least);
	extend(cells, bounds, other->most);
}

/*
 * Shorten @p bytes, of which all @p n are UTF-8 if @p is_text, by their last character. Returns
 * how many are left.
 */
static size_t drop_last(const uint8_t *bytes, size_t n, bool is_text)
{
	do
		n--;
	while (is_text && n && (bytes[n] & 0xc0) == 0x80);
	return n;
}

/* Write the character after that at @p from to @p to. Returns its length, or 0: there is none. */
static size_t next_character(const uint8_t *from, size_t len, bool is_text, uint8_t *to)
{
	uint32_t character;

	if (!is_text) {
		*to = (uint8_t)(*from + 1);
		return *from == UINT8_MAX ? 0 : 1;
	}
	if (!base_utf8_decode((const char *)from, len, &character) || character == 0x10ffff)
		return 0;
	/* Surrogates are not characters. */
	character = character == 0xd7ff ? 0xe000 : character + 1;
	return base_utf8_encode(character, (char *)to);
}

/* Store a bound of the string @p id. Returns false if no short string is larger than it. */
static bool store_string(
	const struct pq_cells *cells, uint32_t id, bool is_most, struct pq_bound *ret)
{
	bool is_text = cells->column->type == PQ_STRING;
	const uint8_t *bytes = base_intern_bytes(&cells->strings, id);
	size_t len = base_intern_len(&cells->strings, id);
	size_t n = len < PQ_BOUND_BYTES ? len : PQ_BOUND_BYTES;

	/* Cut at the begin of a character. */
	while (is_text && n < len && n && (bytes[n] & 0xc0) == 0x80)
		n--;
	memcpy(ret->bytes, bytes, n);
	ret->n = n;
	ret->is_exact = n == len;
	if (ret->is_exact || !is_most)
		return true;
	while (n) {
		size_t begin = drop_last(bytes, n, is_text);
		size_t n_next =
			next_character(bytes + begin, n - begin, is_text, ret->bytes + begin);

		if (n_next) {
			ret->n = begin + n_next;
			return true;
		}
		n = begin;
	}
	return false;
}

static void store_number(
	const struct pq_cells *cells, uint64_t value, bool is_most, struct pq_bound *ret)
{
	/* Readers do not agree on which zero is less, so bounds include both. */
	if (cells->type->kind == PQ_KIND_DOUBLE && as_double(value) == 0)
		value = is_most ? 0 : UINT64_C(1) << 63;
	ret->n = cells->type->size;
	ret->is_exact = true;
	base_store_uint(ret->bytes, ret->n, pd_is_big_endian(false), value);
}

bool pq_cells_store_bounds(const struct pq_cells *cells, const struct pq_bounds *bounds,
	struct pq_bound *least_ret, struct pq_bound *most_ret)
{
	if (cells->type->kind == PQ_KIND_BYTES)
		return store_string(cells, (uint32_t)bounds->least, false, least_ret) &&
		       store_string(cells, (uint32_t)bounds->most, true, most_ret);
	store_number(cells, bounds->least, false, least_ret);
	store_number(cells, bounds->most, true, most_ret);
	return true;
}
