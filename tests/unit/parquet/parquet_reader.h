/**
 * @file A reader of what parquet/ writes, for tests: structures of the compact protocol as trees,
 * and values of pages. It fails the test if something is not as the format has it.
 */
#ifndef PD_TESTS_UNIT_PARQUET_READER_H
#define PD_TESTS_UNIT_PARQUET_READER_H

#include "tests/unit/test.h"

#include <libdeflate.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/integer.h"
#include "base/leb.h"
#include "parquet/parquet_ids.h"
#include "parquet/thrift.h"

/** A value of the compact protocol: a number, bytes, or fields of a struct or elements of a list. */
struct node {
	unsigned id;
	unsigned type;
	int64_t number;
	const uint8_t *bytes;
	size_t n;
	struct node *next;
	struct node *children;
};

static inline int64_t read_zigzag(struct pd_cursor *c)
{
	uint64_t value = base_cursor_uleb(c);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static inline struct node *read_node(
	struct base_arena *arena, struct pd_cursor *c, unsigned type, unsigned id);

static inline void read_struct(struct base_arena *arena, struct pd_cursor *c, struct node *node)
{
	struct node **end = &node->children;
	unsigned id = 0;

	for (;;) {
		uint8_t head = pd_cursor_u8(c);

		if (!head)
			break;
		assert_false(c->overrun);
		id = head >> 4 ? id + (head >> 4) : (unsigned)read_zigzag(c);
		*end = read_node(arena, c, head & 15, id);
		end = &(*end)->next;
		node->n++;
	}
}

static inline void read_list(struct base_arena *arena, struct pd_cursor *c, struct node *node)
{
	struct node **end = &node->children;
	uint8_t head = pd_cursor_u8(c);

	node->n = head >> 4 == 15 ? base_cursor_uleb(c) : head >> 4;
	for (size_t i = 0; i < node->n; i++) {
		assert_false(c->overrun);
		*end = read_node(arena, c, head & 15, 0);
		end = &(*end)->next;
	}
}

static inline struct node *read_node(
	struct base_arena *arena, struct pd_cursor *c, unsigned type, unsigned id)
{
	struct node *node = base_arena_alloc(arena, sizeof(*node));

	assert_non_null(node);
	*node = (struct node){ .id = id, .type = type };
	switch (type) {
	case PQ_THRIFT_TRUE:
	case PQ_THRIFT_FALSE:
		/* Elements of lists have a byte. */
		node->number = (id ? type : pd_cursor_u8(c)) == PQ_THRIFT_TRUE;
		break;
	case PQ_THRIFT_BYTE:
		node->number = (int8_t)pd_cursor_u8(c);
		break;
	case PQ_THRIFT_I32:
	case PQ_THRIFT_I64:
		node->number = read_zigzag(c);
		break;
	case PQ_THRIFT_BINARY:
		node->n = base_cursor_uleb(c);
		node->bytes = pd_cursor_bytes(c, node->n);
		break;
	case PQ_THRIFT_LIST:
		read_list(arena, c, node);
		break;
	case PQ_THRIFT_STRUCT:
		read_struct(arena, c, node);
		break;
	default:
		fail_msg("type %u", type);
	}
	return node;
}

/** Find field @p id of a struct; NULL: it is not set. */
static inline const struct node *find(const struct node *node, unsigned id)
{
	for (const struct node *child = node->children; child; child = child->next) {
		if (child->id == id)
			return child;
	}
	return NULL;
}

static inline const struct node *field(const struct node *node, unsigned id)
{
	const struct node *found = find(node, id);

	assert_non_null(found);
	return found;
}

static inline int64_t number(const struct node *node, unsigned id)
{
	return field(node, id)->number;
}

static inline const struct node *element(const struct node *list, size_t i)
{
	const struct node *node = list->children;

	assert_true(i < list->n);
	while (i--)
		node = node->next;
	return node;
}

/* Inlined, gcc 12 warns about what it takes for arithmetic on "". */
__attribute__((noinline, unused)) static struct pd_cursor little_endian(
	const uint8_t *bytes, size_t n)
{
	return pd_cursor_init(bytes, n, pd_is_big_endian(false));
}

/** Read packed bits: value number @p i of @p width bits. */
static inline uint64_t unpack(const uint8_t *bytes, size_t i, unsigned width)
{
	uint64_t value = 0;

	for (unsigned bit = 0; bit < width; bit++) {
		size_t at = i * width + bit;

		value |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << bit;
	}
	return value;
}

/** Read @p n values of the hybrid of runs and packed bits, which are followed by nothing. */
static inline void read_runs(struct pd_cursor *c, size_t n, unsigned width, uint64_t *ret)
{
	for (size_t i = 0; i < n;) {
		uint64_t head = base_cursor_uleb(c);
		size_t n_run = head & 1 ? head / 2 * 8 : head / 2;
		size_t size = head & 1 ? head / 2 * width : (width + 7) / 8;
		const uint8_t *bytes = pd_cursor_bytes(c, size);

		assert_non_null(bytes);
		assert_true(n_run > 0);
		/* Only the last packed values are filled up. */
		assert_true(n_run <= n - i || (head & 1 && n_run - (n - i) < 8));
		for (size_t k = 0; k < n_run && i < n; k++)
			ret[i++] = unpack(bytes, head & 1 ? k : 0, width);
	}
	assert_int_equal(pd_cursor_left(c), 0);
}

/** Read differences: @p n values of @p width bits, sign-extended, which are followed by nothing. */
static inline void read_deltas(struct pd_cursor *c, size_t n, unsigned width, uint64_t *ret)
{
	size_t n_block = base_cursor_uleb(c);
	size_t n_parts = base_cursor_uleb(c);

	assert_int_equal(n_block % 128, 0);
	assert_int_equal(n_block / n_parts % 32, 0);
	assert_int_equal(base_cursor_uleb(c), n);
	uint64_t value = (uint64_t)read_zigzag(c);
	if (n)
		ret[0] = value;
	for (size_t i = 1; i < n;) {
		uint64_t least = (uint64_t)read_zigzag(c);
		const uint8_t *widths = pd_cursor_bytes(c, n_parts);

		assert_non_null(widths);
		for (size_t part = 0; part < n_parts && i < n; part++) {
			const uint8_t *bytes =
				pd_cursor_bytes(c, n_block / n_parts * widths[part] / 8);

			assert_true(widths[part] <= width);
			assert_non_null(bytes);
			for (size_t k = 0; k < n_block / n_parts && i < n; k++) {
				value += least + unpack(bytes, k, widths[part]);
				value = (uint64_t)base_sign_extend(value, width / 8);
				ret[i++] = value;
			}
		}
	}
	assert_int_equal(pd_cursor_left(c), 0);
}

/** A file in memory, and the structure at its end. */
struct file {
	const uint8_t *bytes;
	size_t n;
	struct base_arena arena;
	const struct node *metadata;
};

static inline struct file read_file(const void *bytes, size_t n)
{
	struct file file = { .bytes = bytes, .n = n };

	assert_true(n >= 12);
	assert_memory_equal(bytes, "PAR1", 4);
	assert_memory_equal(file.bytes + n - 4, "PAR1", 4);
	struct pd_cursor tail = little_endian(file.bytes + n - 8, 4);
	size_t size = pd_cursor_u32(&tail);
	assert_true(size <= n - 12);
	struct pd_cursor c = little_endian(file.bytes + n - 8 - size, size);
	file.metadata = read_node(&file.arena, &c, PQ_THRIFT_STRUCT, 0);
	assert_false(c.overrun);
	assert_int_equal(pd_cursor_left(&c), 0);
	return file;
}

/** The structure of a column chunk: field 3 of an element of the columns of a row group. */
static inline const struct node *chunk_of(const struct file *file, size_t group, size_t column)
{
	const struct node *groups = field(file->metadata, 4);

	return field(element(field(element(groups, group), 1), column), 3);
}

/** Bytes of a page without compression. */
struct page {
	const struct node *header;
	uint8_t *bytes;
	size_t n;
};

/** Read the page at @p c, and check its sum. Free its bytes. */
static inline struct page read_page(struct file *file, struct pd_cursor *c, int64_t codec)
{
	struct page page = { .header = read_node(&file->arena, c, PQ_THRIFT_STRUCT, 0) };
	size_t n_stored = (size_t)number(page.header, 3);
	const uint8_t *stored = pd_cursor_bytes(c, n_stored);

	page.n = (size_t)number(page.header, 2);
	page.bytes = malloc(page.n + 1);
	assert_non_null(stored);
	assert_non_null(page.bytes);
	assert_int_equal(number(page.header, 4), (int32_t)libdeflate_crc32(0, stored, n_stored));
	if (codec == PQ_ZSTD) {
		assert_int_equal(ZSTD_decompress(page.bytes, page.n, stored, n_stored), page.n);
		return page;
	}
	assert_int_equal(codec, PQ_UNCOMPRESSED);
	assert_int_equal(page.n, n_stored);
	memcpy(page.bytes, stored, page.n);
	return page;
}

#endif
