/* Files as a reader of this folder finds them: values, bounds, indexes, and what is refused. */
#include "tests/unit/parquet/parquet_reader.h"

#include <math.h>

#include "base/array.h"
#include "parquet/cells.h"
#include "parquet/parquet.h"

enum { MAX_ROWS = 70000, PAGE_ROWS = 1 << 16 };

static uint64_t state = 88172645463325252;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A value of any type: a number or bits of a double, or a string. */
struct value {
	bool is_null;
	uint64_t number;
	char text[16];
	size_t len;
};

static struct value values[MAX_ROWS];

/* A file that is written to memory. */
struct made {
	char *bytes;
	size_t n;
	FILE *out;
	struct pq_writer *writer;
};

/* The stream writes to *made, which must stay where it is. */
static void begin(const struct pq_opts *opts, struct made *made)
{
	made->out = open_memstream(&made->bytes, &made->n);
	assert_non_null(made->out);
	assert_ok(pq_writer_create(made->out, opts, &made->writer));
}

static void finish(struct made *made)
{
	assert_ok(pq_writer_finish(made->writer));
	pq_writer_destroy(made->writer);
	fclose(made->out);
}

static void begin_column(const struct pq_column *column, uint64_t group_rows, struct made *made)
{
	const struct pq_opts opts = {
		.columns = column, .n_columns = 1, .group_rows = group_rows, .jobs = 1
	};

	begin(&opts, made);
}

static void put(struct pq_writer *writer, const struct pq_column *column, const struct value *value)
{
	double number;

	if (value->is_null) {
		assert_ok(pq_put_null(writer, 0));
		return;
	}
	switch (pq_type_infos[column->type].kind) {
	case PQ_KIND_BOOLEAN:
		assert_ok(pq_put_boolean(writer, 0, value->number));
		break;
	case PQ_KIND_INT:
		assert_ok(pq_put_int(writer, 0, (int64_t)value->number));
		break;
	case PQ_KIND_UINT:
		assert_ok(pq_put_uint(writer, 0, value->number));
		break;
	case PQ_KIND_DOUBLE:
		memcpy(&number, &value->number, sizeof(number));
		assert_ok(pq_put_double(writer, 0, number));
		break;
	case PQ_KIND_BYTES:
		assert_ok(pq_put_bytes(writer, 0, value->text, value->len));
	}
}

/* Values of a type are made of so many random bits. */
static void make_values(const struct pq_column *column, size_t n, unsigned bits)
{
	for (size_t i = 0; i < n; i++) {
		struct value *value = &values[i];
		uint64_t random = bits ? next_random() >> (64 - bits) : 0;

		*value = (struct value){ .number = random };
		value->is_null = column->is_optional && next_random() % 3 == 0;
		if (column->type == PQ_BOOLEAN)
			value->number &= 1;
		if (column->type == PQ_INT32)
			value->number = (uint64_t)(int64_t)(int32_t)random;
		if (column->type == PQ_UINT32)
			value->number = (uint32_t)random;
		value->len = (size_t)snprintf(value->text, sizeof(value->text), "%x%s",
			(unsigned)random, random % 2 ? "é" : "");
	}
}

/* Read plain values. Strings that were not found yet are left. */
static void read_plain(
	const struct pq_type_info *type, struct pd_cursor *c, size_t n, struct value *ret)
{
	const uint8_t *first = c->pos;

	for (size_t i = 0; i < n; i++) {
		if (type->kind == PQ_KIND_BOOLEAN) {
			ret[i].number = unpack(first, i, 1);
		} else if (type->size) {
			uint64_t bits = base_cursor_uint(c, type->size);

			ret[i].number = type->kind == PQ_KIND_UINT
						? bits
						: (uint64_t)base_sign_extend(bits, type->size);
		} else {
			ret[i].len = pd_cursor_u32(c);
			assert_true(ret[i].len <= sizeof(ret[i].text));
			memcpy(ret[i].text, pd_cursor_bytes(c, ret[i].len), ret[i].len);
		}
	}
	if (type->kind == PQ_KIND_BOOLEAN)
		pd_cursor_bytes(c, (n + 7) / 8);
	assert_false(c->overrun);
	assert_int_equal(pd_cursor_left(c), 0);
}

static void read_entries(struct pd_cursor *c, size_t n, const struct value *entries,
	size_t n_entries, struct value *ret)
{
	static uint64_t numbers[MAX_ROWS];

	read_runs(c, n, pd_cursor_u8(c), numbers);
	for (size_t i = 0; i < n; i++) {
		assert_true(numbers[i] < n_entries);
		ret[i] = entries[numbers[i]];
	}
}

/* Read the rows of a data page to @p rows. Returns their number. */
static size_t read_rows(const struct pq_column *column, const struct page *page,
	const struct value *entries, size_t n_entries, struct value *rows)
{
	static struct value found[MAX_ROWS];
	static uint64_t levels[MAX_ROWS];
	const struct pq_type_info *type = &pq_type_infos[column->type];
	const struct node *header = field(page->header, 5);
	struct pd_cursor c = little_endian(page->bytes, page->n);
	size_t n_rows = (size_t)number(header, 1);
	size_t n = n_rows;

	assert_true(n_rows <= PAGE_ROWS);
	if (column->is_optional) {
		size_t size = pd_cursor_u32(&c);
		struct pd_cursor runs = little_endian(pd_cursor_bytes(&c, size), size);

		read_runs(&runs, n_rows, 1, levels);
		n = 0;
		for (size_t i = 0; i < n_rows; i++)
			n += levels[i];
	}
	memset(found, 0, n * sizeof(*found));
	if (number(header, 2) == PQ_RLE_DICTIONARY) {
		read_entries(&c, n, entries, n_entries, found);
	} else if (number(header, 2) == PQ_DELTA_BINARY_PACKED) {
		static uint64_t numbers[MAX_ROWS];

		read_deltas(&c, n, (unsigned)type->size * 8, numbers);
		for (size_t i = 0; i < n; i++)
			found[i].number = type->kind == PQ_KIND_UINT && type->size == 4
						  ? (uint32_t)numbers[i]
						  : numbers[i];
	} else {
		assert_int_equal(number(header, 2), PQ_PLAIN);
		read_plain(type, &c, n, found);
	}
	for (size_t i = 0, at = 0; i < n_rows; i++) {
		bool is_null = column->is_optional && !levels[i];

		rows[i] = is_null ? (struct value){ .is_null = true } : found[at++];
	}
	return n_rows;
}

/* Read a chunk to @p rows. Returns the number of its rows. */
static size_t read_chunk(struct file *file, const struct pq_column *column,
	const struct node *chunk, struct value *rows)
{
	static struct value entries[MAX_ROWS];
	bool has_dictionary = find(chunk, 11) != NULL;
	size_t begin = (size_t)number(chunk, has_dictionary ? 11 : 9);
	struct pd_cursor c = little_endian(file->bytes + begin, (size_t)number(chunk, 7));
	size_t n_entries = 0;
	size_t n = 0;

	while (pd_cursor_left(&c)) {
		struct page page = read_page(file, &c, number(chunk, 4));

		if (number(page.header, 1) == PQ_DICTIONARY_PAGE) {
			struct pd_cursor plain = little_endian(page.bytes, page.n);

			assert_int_equal(n, 0);
			n_entries = (size_t)number(field(page.header, 7), 1);
			read_plain(&pq_type_infos[column->type], &plain, n_entries, entries);
		} else {
			n += read_rows(column, &page, entries, n_entries, rows + n);
		}
		free(page.bytes);
	}
	assert_int_equal(number(chunk, 5), n);
	return n;
}

static void assert_same(
	const struct pq_column *column, const struct value *a, const struct value *b)
{
	assert_int_equal(a->is_null, b->is_null);
	if (a->is_null)
		return;
	if (pq_type_infos[column->type].kind == PQ_KIND_BYTES) {
		assert_int_equal(a->len, b->len);
		assert_memory_equal(a->text, b->text, a->len);
	} else {
		assert_true(a->number == b->number);
	}
}

/* Write the first @p n values, and read them again. Returns the encoding of the first chunk. */
static int64_t check_values(const struct pq_column *column, size_t n, uint64_t group_rows)
{
	static struct value found[MAX_ROWS];
	struct made made;

	begin_column(column, group_rows, &made);
	for (size_t i = 0; i < n; i++) {
		put(made.writer, column, &values[i]);
		assert_ok(pq_writer_end_rows(made.writer, 1));
	}
	finish(&made);
	struct file file = read_file(made.bytes, made.n);
	const struct node *groups = field(file.metadata, 4);
	size_t n_found = 0;
	for (size_t i = 0; i < groups->n; i++)
		n_found += read_chunk(&file, column, chunk_of(&file, i, 0), found + n_found);
	assert_int_equal(n_found, n);
	assert_int_equal(number(file.metadata, 3), n);
	assert_int_equal(groups->n, (n + group_rows - 1) / group_rows);
	for (size_t i = 0; i < n; i++)
		assert_same(column, &values[i], &found[i]);
	/* Levels come first in the list of encodings. */
	const struct node *encodings = groups->n ? field(chunk_of(&file, 0, 0), 2) : NULL;
	int64_t encoding = groups->n ? element(encodings, encodings->n - 1)->number : -1;
	base_arena_deinit(&file.arena);
	free(made.bytes);
	return encoding;
}

static void values_of_each_type_are_read_again(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < 40 * PQ_N_TYPES; i++) {
		const struct pq_column column = { "x", (enum pq_type)(i % PQ_N_TYPES),
			i / PQ_N_TYPES % 2 };
		size_t n = next_random() % 3000;

		make_values(&column, n, (unsigned)(next_random() % 65));
		check_values(&column, n, 1 + next_random() % 2000);
	}
}

static void a_column_may_have_nulls_only(void **unused)
{
	(void)unused;
	for (unsigned type = 0; type < PQ_N_TYPES; type++) {
		const struct pq_column column = { "x", (enum pq_type)type, true };

		for (size_t i = 0; i < 100; i++)
			values[i] = (struct value){ .is_null = true };
		assert_int_equal(check_values(&column, 100, 60), PQ_PLAIN);
	}
}

static void values_of_several_pages_are_read_again(void **unused)
{
	(void)unused;
	for (unsigned type = 0; type < PQ_N_TYPES; type++) {
		const struct pq_column column = { "x", (enum pq_type)type, type % 2 };

		make_values(&column, MAX_ROWS, 9);
		check_values(&column, MAX_ROWS, MAX_ROWS);
	}
}

/* Set values to @p multiply * i + random bits. */
static void make_sequence(size_t n, uint64_t multiply, unsigned bits)
{
	for (size_t i = 0; i < n; i++)
		values[i] = (struct value){ .number = multiply * i +
						      (bits ? next_random() >> (64 - bits) : 0) };
}

static void the_smallest_encoding_is_chosen(void **unused)
{
	static const struct pq_column column = { "x", PQ_INT64, false };

	(void)unused;
	/* Times grow by similar steps. */
	make_sequence(10000, 1000000, 10);
	assert_int_equal(check_values(&column, 10000, 10000), PQ_DELTA_BINARY_PACKED);
	/* Any bits: differences are as long as the values, and have headers. */
	make_sequence(10000, 0, 64);
	assert_int_equal(check_values(&column, 10000, 10000), PQ_PLAIN);
	/* Few values that are far away from each other. */
	make_sequence(10000, 0, 4);
	for (size_t i = 0; i < 10000; i++)
		values[i].number *= UINT64_C(0x9e3779b97f4a7c15);
	assert_int_equal(check_values(&column, 10000, 10000), PQ_RLE_DICTIONARY);
}

static void a_constant_needs_no_space(void **unused)
{
	static const struct pq_column column = { "period", PQ_INT64, false };
	struct made made;

	(void)unused;
	begin_column(&column, 0, &made);
	for (size_t i = 0; i < 200000; i++) {
		assert_ok(pq_put_int(made.writer, 0, 250000));
		assert_ok(pq_writer_end_rows(made.writer, 1));
	}
	finish(&made);
	assert_true(made.n < 1000);
	free(made.bytes);
}

/* Whether statistics have these bounds: fields 5 to 8. */
static void assert_bounds(const struct node *chunk, const void *least, size_t n_least,
	bool is_least_exact, const void *most, size_t n_most, bool is_most_exact)
{
	const struct node *statistics = field(chunk, 12);

	assert_int_equal(field(statistics, 6)->n, n_least);
	assert_memory_equal(field(statistics, 6)->bytes, least, n_least);
	assert_int_equal(number(statistics, 8), is_least_exact);
	assert_int_equal(field(statistics, 5)->n, n_most);
	assert_memory_equal(field(statistics, 5)->bytes, most, n_most);
	assert_int_equal(number(statistics, 7), is_most_exact);
}

/* Write strings, and check the bounds of the chunk; NULL: it has none. */
static void check_text_bounds(enum pq_type type, const char *const texts[], size_t n,
	const char *least, bool is_least_exact, const char *most, bool is_most_exact)
{
	const struct pq_column column = { "x", type, false };
	struct made made;

	begin_column(&column, 0, &made);
	for (size_t i = 0; i < n; i++)
		assert_ok(pq_put_bytes(made.writer, 0, texts[i], strlen(texts[i])));
	assert_ok(pq_writer_end_rows(made.writer, n));
	finish(&made);
	struct file file = read_file(made.bytes, made.n);
	const struct node *chunk = chunk_of(&file, 0, 0);
	if (least)
		assert_bounds(chunk, least, strlen(least), is_least_exact, most, strlen(most),
			is_most_exact);
	else
		assert_null(find(field(chunk, 12), 5));
	assert_int_equal(number(field(chunk, 12), 3), 0);
	/* A column without bounds has no index of them. */
	const struct node *place = element(field(element(field(file.metadata, 4), 0), 1), 0);
	assert_int_equal(find(place, 6) != NULL, least != NULL);
	assert_non_null(find(place, 4));
	base_arena_deinit(&file.arena);
	free(made.bytes);
}

#define TEN(x) x x x x x x x x x x
#define SIXTY(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x)

static void long_strings_are_cut_in_bounds(void **unused)
{
	static const char *const shorts[] = { "b", "", "é", "a" };
	static const char *const longs[] = { SIXTY("a") "aaaabc", SIXTY("a") "aaaac" };
	/* The character that is cut begins within the bound. */
	static const char *const wide[] = { SIXTY("a") "aaéé" };
	static const char *const split[] = { SIXTY("a") "aaaéé" };
	static const char *const last[] = { TEN("a") SIXTY("\xf4\x8f\xbf\xbf") };
	static const char *const only_last[] = { SIXTY("\xf4\x8f\xbf\xbf") };
	static const char *const before_surrogates[] = { SIXTY("a") "a\xed\x9f\xbf!" };
	static const char *const bytes[] = { TEN("a") SIXTY("\xff") };
	static const char *const only_bytes[] = { SIXTY("\xff") TEN("\xff") };

	(void)unused;
	check_text_bounds(PQ_STRING, shorts, 4, "", true, "é", true);
	check_text_bounds(PQ_STRING, longs, 2, SIXTY("a") "aaaa", false, SIXTY("a") "aaab", false);
	check_text_bounds(PQ_STRING, wide, 1, SIXTY("a") "aaé", false, SIXTY("a") "aaê", false);
	check_text_bounds(PQ_STRING, split, 1, SIXTY("a") "aaa", false, SIXTY("a") "aab", false);
	check_text_bounds(PQ_STRING, last, 1,
		TEN("a") TEN("\xf4\x8f\xbf\xbf") "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf",
		false, "aaaaaaaaab", false);
	check_text_bounds(PQ_STRING, only_last, 1, NULL, false, NULL, false);
	check_text_bounds(PQ_STRING, before_surrogates, 1, SIXTY("a") "a\xed\x9f\xbf", false,
		SIXTY("a") "a\xee\x80\x80", false);
	check_text_bounds(PQ_BINARY, bytes, 1,
		TEN("a") TEN("\xff") TEN("\xff") TEN("\xff") TEN("\xff")
			TEN("\xff") "\xff\xff\xff\xff",
		false, "aaaaaaaaab", false);
	check_text_bounds(PQ_BINARY, only_bytes, 1, NULL, false, NULL, false);
}

/* Write doubles, and return the statistics of their chunk. */
static const struct node *double_statistics(
	const double *numbers, size_t n, struct made *made, struct file *file)
{
	static const struct pq_column column = { "x", PQ_DOUBLE, false };

	begin_column(&column, 0, made);
	for (size_t i = 0; i < n; i++)
		assert_ok(pq_put_double(made->writer, 0, numbers[i]));
	assert_ok(pq_writer_end_rows(made->writer, n));
	finish(made);
	*file = read_file(made->bytes, made->n);
	return field(chunk_of(file, 0, 0), 12);
}

static void nan_is_not_a_bound(void **unused)
{
	const double numbers[] = { (double)NAN, 0.0, -1.0, (double)NAN };
	const double none[] = { (double)NAN };
	struct made made;
	struct file file;
	const struct node *statistics = double_statistics(numbers, 4, &made, &file);

	(void)unused;
	assert_int_equal(number(statistics, 9), 2);
	/* -1, and the zero that is not less than the other one. */
	assert_memory_equal(field(statistics, 6)->bytes, "\0\0\0\0\0\0\xf0\xbf", 8);
	assert_memory_equal(field(statistics, 5)->bytes, "\0\0\0\0\0\0\0\0", 8);
	base_arena_deinit(&file.arena);
	free(made.bytes);
	statistics = double_statistics(none, 1, &made, &file);
	assert_int_equal(number(statistics, 9), 1);
	assert_null(find(statistics, 5));
	base_arena_deinit(&file.arena);
	free(made.bytes);
}

/* Read the structure whose offset and size are fields @p id and @p id + 1. */
static const struct node *read_index(struct file *file, unsigned id)
{
	const struct node *place = element(field(element(field(file->metadata, 4), 0), 1), 0);
	struct pd_cursor c =
		little_endian(file->bytes + number(place, id), (size_t)number(place, id + 1));
	const struct node *index = read_node(&file->arena, &c, PQ_THRIFT_STRUCT, 0);

	assert_false(c.overrun);
	assert_int_equal(pd_cursor_left(&c), 0);
	return index;
}

/* Three pages: numbers that grow or fall, nulls only, numbers. */
static int64_t write_three_pages(int64_t step, struct made *made, struct file *file)
{
	static const struct pq_column column = { "x", PQ_INT32, true };
	size_t n = 2 * PAGE_ROWS + 10;

	begin_column(&column, 0, made);
	for (size_t i = 0; i < n; i++) {
		if (i / PAGE_ROWS == 1)
			assert_ok(pq_put_null(made->writer, 0));
		else
			assert_ok(pq_put_int(made->writer, 0, (int64_t)i * step));
	}
	assert_ok(pq_writer_end_rows(made->writer, n));
	finish(made);
	*file = read_file(made->bytes, made->n);
	return number(read_index(file, 6), 4);
}

static void pages_have_an_index(void **unused)
{
	struct made made;
	struct file file;

	(void)unused;
	assert_int_equal(write_three_pages(-2, &made, &file), PQ_DESCENDING);
	base_arena_deinit(&file.arena);
	free(made.bytes);
	assert_int_equal(write_three_pages(2, &made, &file), PQ_ASCENDING);
	const struct node *bounds = read_index(&file, 6);
	const struct node *pages = field(read_index(&file, 4), 1);
	assert_int_equal(pages->n, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct node *page = element(pages, i);
		struct pd_cursor c =
			little_endian(file.bytes + number(page, 1), (size_t)number(page, 2));
		struct page content = read_page(&file, &c, number(chunk_of(&file, 0, 0), 4));

		assert_int_equal(pd_cursor_left(&c), 0);
		assert_int_equal(number(page, 3), i * PAGE_ROWS);
		assert_int_equal(element(field(bounds, 1), i)->number, i == 1);
		assert_int_equal(element(field(bounds, 5), i)->number, i == 1 ? PAGE_ROWS : 0);
		assert_int_equal(element(field(bounds, 2), i)->n, i == 1 ? 0 : 4);
		free(content.bytes);
	}
	/* 2 * PAGE_ROWS * 2, and nine steps more. */
	assert_memory_equal(element(field(bounds, 2), 2)->bytes, "\0\0\x04\0", 4);
	assert_memory_equal(element(field(bounds, 3), 2)->bytes, "\x12\0\x04\0", 4);
	base_arena_deinit(&file.arena);
	free(made.bytes);
}

static void a_table_may_be_empty(void **unused)
{
	static const struct pq_column columns[] = { { "a", PQ_UINT64, false },
		{ "b", PQ_TIMESTAMP, true }, { "c", PQ_STRING, true } };
	static const struct pq_note notes[] = { { "key", "value" } };
	const struct pq_opts opts = { .columns = columns,
		.n_columns = PD_ARRAY_LEN(columns),
		.notes = notes,
		.n_notes = 1,
		.created_by = "test version 1" };
	struct made made;

	(void)unused;
	begin(&opts, &made);
	finish(&made);
	struct file file = read_file(made.bytes, made.n);
	const struct node *schema = field(file.metadata, 2);
	assert_int_equal(number(file.metadata, 3), 0);
	assert_int_equal(field(file.metadata, 4)->n, 0);
	assert_int_equal(schema->n, 4);
	assert_int_equal(number(element(schema, 0), 5), 3);
	const struct node *integer = field(field(element(schema, 1), 10), PQ_LOGICAL_INTEGER);
	assert_int_equal(number(integer, 1), 64);
	assert_int_equal(number(integer, 2), false);
	const struct node *time = field(field(element(schema, 2), 10), PQ_LOGICAL_TIMESTAMP);
	assert_int_equal(number(time, 1), true);
	assert_non_null(find(field(time, 2), PQ_UNIT_NANOS));
	assert_int_equal(number(element(schema, 2), 3), PQ_OPTIONAL);
	assert_int_equal(number(element(schema, 3), 6), PQ_CONVERTED_UTF8);
	assert_memory_equal(field(file.metadata, 6)->bytes, "test version 1", 14);
	assert_memory_equal(field(element(field(file.metadata, 5), 0), 2)->bytes, "value", 5);
	assert_int_equal(field(file.metadata, 7)->n, 3);
	base_arena_deinit(&file.arena);
	free(made.bytes);
}

/* Write two columns by calls for @p batch rows. The caller frees the file. */
static void write_batches(size_t batch, size_t jobs, struct made *made)
{
	static const struct pq_column columns[] = { { "a", PQ_INT64, false },
		{ "b", PQ_STRING, true } };
	const struct pq_opts opts = {
		.columns = columns, .n_columns = 2, .group_rows = 6000, .jobs = jobs
	};

	begin(&opts, made);
	for (size_t row = 0; row < 30000; row += batch) {
		for (size_t i = row; i < row + batch; i++)
			assert_ok(pq_put_int(made->writer, 0, (int64_t)(i * i)));
		for (size_t i = row; i < row + batch; i++) {
			char text[16];

			assert_ok(
				i % 3 ? pq_put_bytes(made->writer, 1, text,
						(size_t)snprintf(text, sizeof(text), "%zu", i / 7))
				      : pq_put_null(made->writer, 1));
		}
		assert_ok(pq_writer_end_rows(made->writer, batch));
	}
	finish(made);
}

static void bytes_do_not_depend_on_threads_and_calls(void **unused)
{
	struct made first;

	(void)unused;
	write_batches(1, 1, &first);
	for (size_t jobs = 1; jobs <= 3; jobs++) {
		struct made other;

		write_batches(jobs == 3 ? 6000 : 100, jobs, &other);
		assert_int_equal(first.n, other.n);
		assert_memory_equal(first.bytes, other.bytes, first.n);
		free(other.bytes);
	}
	free(first.bytes);
}

static void a_group_ends_by_its_bytes(void **unused)
{
	static const struct pq_column column = { "x", PQ_BINARY, false };
	const struct pq_opts opts = { .columns = &column, .n_columns = 1, .group_bytes = 1 << 20 };
	static char text[100000];
	struct made made;

	(void)unused;
	begin(&opts, &made);
	for (size_t i = 0; i < 40; i++) {
		memset(text, (int)i, sizeof(text));
		assert_ok(pq_put_bytes(made.writer, 0, text, sizeof(text)));
		assert_ok(pq_writer_end_rows(made.writer, 1));
	}
	finish(&made);
	struct file file = read_file(made.bytes, made.n);
	/* Ten or eleven rows fill a mebibyte. */
	assert_int_equal(field(file.metadata, 4)->n, 4);
	base_arena_deinit(&file.arena);
	free(made.bytes);
}

static void refuse(const struct pq_column *columns, size_t n)
{
	const struct pq_opts opts = { .columns = columns, .n_columns = n };
	struct pq_writer *writer = NULL;

	assert_error(pq_writer_create(stdout, &opts, &writer), PD_ERROR_USAGE);
	assert_null(writer);
}

static void columns_have_names_and_types(void **unused)
{
	static const struct pq_column twice[] = { { "a", PQ_INT32, false },
		{ "a", PQ_INT64, false } };
	static const struct pq_column bad[] = { { "\xff", PQ_INT32, false },
		{ "", PQ_INT32, false }, { "a", PQ_N_TYPES, false }, { NULL, PQ_INT32, false } };

	(void)unused;
	refuse(NULL, 0);
	refuse(twice, 2);
	for (size_t i = 0; i < PD_ARRAY_LEN(bad); i++)
		refuse(&bad[i], 1);
}

static void values_that_do_not_fit_are_refused(void **unused)
{
	static const struct pq_column columns[] = { { "i", PQ_INT32, false },
		{ "u", PQ_UINT32, false }, { "s", PQ_STRING, false }, { "b", PQ_BINARY, true } };
	const struct pq_opts opts = { .columns = columns, .n_columns = 4, .jobs = 1 };
	struct made made;

	(void)unused;
	begin(&opts, &made);
	struct pq_writer *writer = made.writer;
	assert_error(pq_put_int(writer, 0, INT64_C(1) << 31), PD_ERROR_USAGE);
	assert_error(pq_put_int(writer, 1, 0), PD_ERROR_USAGE);
	assert_error(pq_put_uint(writer, 1, UINT64_C(1) << 32), PD_ERROR_USAGE);
	assert_error(pq_put_int(writer, 4, 0), PD_ERROR_USAGE);
	assert_error(pq_put_null(writer, 4), PD_ERROR_USAGE);
	assert_error(pq_put_null(writer, 0), PD_ERROR_USAGE);
	assert_error(pq_put_bytes(writer, 2, "\xff", 1), PD_ERROR_USAGE);
	assert_error(pq_put_bytes(writer, 3, "", PQ_VALUE_BYTES + 1), PD_ERROR_USAGE);
	assert_ok(pq_put_bytes(writer, 3, "\xff", 1));
	/* The other columns have no value in this row. */
	assert_error(pq_writer_end_rows(writer, 1), PD_ERROR_USAGE);
	pq_writer_destroy(writer);
	fclose(made.out);
	free(made.bytes);
}

static void a_full_disk_is_an_error(void **unused)
{
	static const struct pq_column column = { "x", PQ_INT64, false };
	const struct pq_opts opts = { .columns = &column, .n_columns = 1, .jobs = 1 };
	struct pq_writer *writer;
	FILE *out = fopen("/dev/full", "w");

	(void)unused;
	if (!out)
		skip();
	assert_ok(pq_writer_create(out, &opts, &writer));
	assert_ok(pq_put_int(writer, 0, 1));
	assert_ok(pq_writer_end_rows(writer, 1));
	assert_error(pq_writer_finish(writer), PD_ERROR_OS);
	pq_writer_destroy(writer);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_each_type_are_read_again),
		cmocka_unit_test(a_column_may_have_nulls_only),
		cmocka_unit_test(values_of_several_pages_are_read_again),
		cmocka_unit_test(the_smallest_encoding_is_chosen),
		cmocka_unit_test(a_constant_needs_no_space),
		cmocka_unit_test(long_strings_are_cut_in_bounds),
		cmocka_unit_test(nan_is_not_a_bound),
		cmocka_unit_test(pages_have_an_index),
		cmocka_unit_test(a_table_may_be_empty),
		cmocka_unit_test(bytes_do_not_depend_on_threads_and_calls),
		cmocka_unit_test(a_group_ends_by_its_bytes),
		cmocka_unit_test(columns_have_names_and_types),
		cmocka_unit_test(values_that_do_not_fit_are_refused),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
