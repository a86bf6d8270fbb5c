/**
 * @file Go's table of functions for a small program, in each layout, word size and byte order.
 *
 *     main.outer   0x00 to 0x40, of which the last 8 bytes are padding
 *         0x00   outer.go:10
 *         0x10   inner.go:100, in main.middle inlined at outer.go:10
 *         0x18   inner.go:200, in main.inner inlined at inner.go:100 of main.middle
 *         0x20   outer.go:12
 *         its frame has 24 bytes from 0x04 to 0x30
 *     main.leaf    0x40 to 0x50: leaf.go:30, without a frame
 */
#ifndef PD_TESTS_UNIT_GO_TABLE_H
#define PD_TESTS_UNIT_GO_TABLE_H

#include <assert.h>

#include <pdconv/bytes.h>

#include "base/pclntab.h"

enum {
	GO_TEXT = 0x401000,
	GO_OUTER_END = 0x40,
	GO_CODE_END = 0x38,
	GO_LEAF_END = 0x50,
	GO_FRAME = 24,
	/** Address of data about functions, and where the tree of main.outer is in them. */
	GO_DATA = 0x500000,
	GO_TREE = 0x20,
};

/** Form of a table, and its bytes with those of the tree. */
struct go_table {
	enum base_go_layout layout;
	uint8_t word;
	uint8_t quantum;
	struct pd_bytes bytes;
	struct pd_bytes data;
	/** Flags of main.outer, and its name if it is another one. */
	uint8_t flags;
	const char *name;

	/** Offsets that are known only when the parts are written. */
	uint64_t names[4];
	uint64_t files[3];
	uint64_t tables[5];
};

static inline void go_table_deinit(struct go_table *t)
{
	pd_bytes_deinit(&t->bytes);
	pd_bytes_deinit(&t->data);
}

static inline void go_put_varint(struct pd_bytes *b, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		pd_bytes_u8(b, (uint8_t)(value | 0x80));
	pd_bytes_u8(b, (uint8_t)value);
}

/** Values of a table with the ends of their ranges; the last end is 0. */
struct go_value {
	int32_t value;
	uint32_t end;
};

/** Append a table and return its offset. */
static inline uint64_t go_put_values(struct go_table *t, const struct go_value *values)
{
	uint64_t start = t->bytes.buf.n;
	uint32_t at = 0;
	int32_t last = -1;

	for (; values->end; values++) {
		int32_t change = values->value - last;
		uint32_t zigzag = ((uint32_t)change << 1) ^ (change < 0 ? UINT32_MAX : 0);

		go_put_varint(&t->bytes, zigzag);
		go_put_varint(&t->bytes, (values->end - at) / t->quantum);
		at = values->end;
		last = values->value;
	}
	pd_bytes_u8(&t->bytes, 0);
	return start;
}

static inline uint64_t go_put_text(struct go_table *t, const char *text)
{
	uint64_t start = t->bytes.buf.n;

	pd_bytes_put(&t->bytes, text, strlen(text) + 1);
	return start;
}

static inline void go_align(struct go_table *t)
{
	while (t->bytes.buf.n % 8)
		pd_bytes_u8(&t->bytes, 0);
}

/** Overwrite the integer at @p off. */
static inline void go_set(struct go_table *t, uint64_t off, uint64_t value, size_t size)
{
	struct pd_bytes b = { .swap = t->bytes.swap };

	pd_bytes_uint(&b, value, size);
	memcpy(t->bytes.buf.data + off, b.buf.data, size);
	pd_bytes_deinit(&b);
}

static inline bool go_has_parts(const struct go_table *t)
{
	return t->layout >= PD_GO_1_16;
}

/** Size of an address in the index. */
static inline uint8_t go_entry_size(const struct go_table *t)
{
	return t->layout >= PD_GO_1_18 ? 4 : t->word;
}

static inline void go_put_names(struct go_table *t)
{
	static const char *const names[] = { "main.outer", "main.leaf", "main.middle",
		"main.inner" };

	for (int i = 0; i < 4; i++)
		t->names[i] = go_put_text(t, i || !t->name ? names[i] : t->name);
}

static inline void go_put_files(struct go_table *t)
{
	static const char *const files[] = { "outer.go", "inner.go", "leaf.go" };

	for (int i = 0; i < 3; i++)
		t->files[i] = go_put_text(t, files[i]);
}

static inline void go_put_tables(struct go_table *t)
{
	int32_t first = go_has_parts(t) ? 0 : 1;
	const struct go_value frames[] = { { 0, 4 }, { GO_FRAME, 0x30 }, { 0, GO_CODE_END },
		{ 0 } };
	const struct go_value files[] = { { first, 0x10 }, { first + 1, 0x20 },
		{ first, GO_CODE_END }, { 0 } };
	const struct go_value lines[] = { { 10, 0x10 }, { 100, 0x18 }, { 200, 0x20 },
		{ 12, GO_CODE_END }, { 0 } };
	const struct go_value calls[] = { { -1, 0x10 }, { 0, 0x18 }, { 1, 0x20 },
		{ -1, GO_CODE_END }, { 0 } };
	const struct go_value leaf[] = { { 30, GO_LEAF_END - GO_OUTER_END }, { 0 } };

	t->tables[0] = go_put_values(t, frames);
	t->tables[1] = go_put_values(t, files);
	t->tables[2] = go_put_values(t, lines);
	t->tables[3] = go_put_values(t, calls);
	t->tables[4] = go_put_values(t, leaf);
}

/**
 * Append the entry of a function, Go's runtime._func, with @p tables from go_put_tables(). @p base
 * is what their offsets count from.
 */
static inline uint64_t go_put_func(struct go_table *t, uint32_t start, uint64_t name,
	const uint64_t tables[static 3], uint64_t calls)
{
	struct pd_bytes *b = &t->bytes;
	bool has_tree = calls != 0;

	go_align(t);
	uint64_t off = b->buf.n;
	pd_bytes_uint(b, t->layout >= PD_GO_1_18 ? start : GO_TEXT + start, go_entry_size(t));
	pd_bytes_u32(b, (uint32_t)name);
	pd_bytes_u32(b, 0);
	pd_bytes_u32(b, 0);
	for (int i = 0; i < 3; i++)
		pd_bytes_u32(b, (uint32_t)tables[i]);
	pd_bytes_u32(b, has_tree ? 3 : 0);
	if (go_has_parts(t))
		pd_bytes_u32(b, 1); /* first file of its unit */
	if (t->layout >= PD_GO_1_20)
		pd_bytes_u32(b, 9); /* line of the declaration */
	pd_bytes_u8(b, 0);
	pd_bytes_u8(b, go_has_parts(t) && has_tree ? t->flags : 0);
	pd_bytes_u8(b, 0);
	uint8_t n_data = !has_tree ? 0 : go_has_parts(t) ? 4 : 5;
	pd_bytes_u8(b, n_data);
	for (int i = 0; i < 3 && has_tree; i++)
		pd_bytes_u32(b, i == 2 ? (uint32_t)calls : 0);
	if (t->layout >= PD_GO_1_18) {
		for (int i = 0; i < n_data; i++)
			pd_bytes_u32(b, i == 3 ? GO_TREE : UINT32_MAX);
		return off;
	}
	while (b->buf.n % t->word)
		pd_bytes_u8(b, 0);
	for (int i = 0; i < n_data; i++)
		pd_bytes_uint(b, i == n_data - 1 ? GO_DATA + GO_TREE : 0, t->word);
	return off;
}

/** Write the tree of main.outer. @p base: what offsets of names count from. */
static inline void go_put_tree(struct go_table *t, uint64_t base)
{
	static const uint32_t parent_pcs[] = { 0x08, 0x10 };
	int32_t first = go_has_parts(t) ? 0 : 1;
	struct pd_bytes *b = &t->data;

	pd_bytes_zeros(b, GO_TREE);
	for (int i = 0; i < 2; i++) {
		if (t->layout < PD_GO_1_20) {
			pd_bytes_u16(b, (uint16_t)(i - 1));
			pd_bytes_u16(b, 0);
			pd_bytes_u32(b, (uint32_t)(first + i));
			pd_bytes_u32(b, i ? 100 : 10);
		} else {
			pd_bytes_u32(b, 0);
		}
		pd_bytes_u32(b, (uint32_t)(t->names[2 + i] - base));
		pd_bytes_u32(b, parent_pcs[i]);
		if (t->layout >= PD_GO_1_20)
			pd_bytes_u32(b, i ? 99 : 90);
	}
}

/** Write the index at @p at, with the functions at the offsets @p funcs. */
static inline void go_set_index(struct go_table *t, uint64_t at, const uint64_t funcs[static 2])
{
	uint64_t base = t->layout >= PD_GO_1_18 ? 0 : GO_TEXT;
	uint8_t size = go_entry_size(t);
	const uint64_t words[] = { base, funcs[0], base + GO_OUTER_END, funcs[1],
		base + GO_LEAF_END };

	for (int i = 0; i < 5; i++)
		go_set(t, at + (uint64_t)i * size, words[i], size);
}

static inline void go_put_prefix(struct go_table *t)
{
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };

	pd_bytes_u32(&t->bytes, magics[t->layout]);
	pd_bytes_u16(&t->bytes, 0);
	pd_bytes_u8(&t->bytes, t->quantum);
	pd_bytes_u8(&t->bytes, t->word);
	pd_bytes_uint(&t->bytes, 2, t->word);
}

/** Layout of Go 1.2: everything counts from the start of the table. */
static inline void go_make_old(struct go_table *t)
{
	uint64_t index = t->bytes.buf.n, funcs[2];

	pd_bytes_zeros(&t->bytes, 5 * (size_t)t->word + 4);
	go_put_names(t);
	go_put_files(t);
	go_put_tables(t);
	const uint64_t leaf[] = { 0, 0, t->tables[4] };
	funcs[0] = go_put_func(t, 0, t->names[0], t->tables, t->tables[3]);
	funcs[1] = go_put_func(t, GO_OUTER_END, t->names[1], leaf, 0);
	go_set_index(t, index, funcs);
	go_align(t);
	go_set(t, index + 5 * (uint64_t)t->word, t->bytes.buf.n, 4);
	pd_bytes_u32(&t->bytes, 4);
	for (int i = 0; i < 3; i++)
		pd_bytes_u32(&t->bytes, (uint32_t)t->files[i]);
	go_put_tree(t, 0);
}

/** Layouts since Go 1.16: the header has the offsets of five parts. */
static inline void go_make_new(struct go_table *t)
{
	bool has_text = t->layout >= PD_GO_1_18;
	uint64_t header = t->bytes.buf.n, parts[5], funcs[2];

	pd_bytes_zeros(&t->bytes, (has_text ? 7 : 6) * (size_t)t->word);
	parts[0] = t->bytes.buf.n;
	go_put_names(t);
	go_align(t);
	parts[1] = t->bytes.buf.n;
	pd_bytes_zeros(&t->bytes, 16);
	parts[2] = t->bytes.buf.n;
	go_put_files(t);
	for (int i = 0; i < 4; i++)
		go_set(t, parts[1] + 4 * (uint64_t)i, i ? t->files[i - 1] - parts[2] : UINT32_MAX,
			4);
	go_align(t);
	parts[3] = t->bytes.buf.n;
	pd_bytes_u8(&t->bytes, 0);
	go_put_tables(t);
	for (int i = 0; i < 5; i++)
		t->tables[i] -= parts[3];
	go_align(t);
	parts[4] = t->bytes.buf.n;
	pd_bytes_zeros(&t->bytes, 5 * (size_t)go_entry_size(t));
	const uint64_t leaf[] = { 0, 0, t->tables[4] };
	funcs[0] = go_put_func(t, 0, t->names[0] - parts[0], t->tables, t->tables[3]) - parts[4];
	funcs[1] = go_put_func(t, GO_OUTER_END, t->names[1] - parts[0], leaf, 0) - parts[4];
	go_set_index(t, parts[4], funcs);
	go_set(t, header, 3, t->word);
	if (has_text)
		go_set(t, header + t->word, GO_TEXT, t->word);
	for (int i = 0; i < 5; i++)
		go_set(t, header + (uint64_t)(i + (has_text ? 2 : 1)) * t->word, parts[i], t->word);
	go_put_tree(t, parts[0]);
}

/** Make @p t, of which the members up to the bytes, the flags and the name are set. */
static inline struct go_table go_table_make_of(struct go_table t)
{
	go_put_prefix(&t);
	if (t.layout == PD_GO_1_2)
		go_make_old(&t);
	else
		go_make_new(&t);
	assert(!t.bytes.failed && !t.data.failed);
	return t;
}

/** Make a table. @p swap: in the opposite of the host byte order. */
static inline struct go_table go_table_make(
	enum base_go_layout layout, uint8_t word, uint8_t quantum, bool swap)
{
	return go_table_make_of((struct go_table){
		.layout = layout,
		.word = word,
		.quantum = quantum,
		.bytes = { .swap = swap },
		.data = { .swap = swap },
		.flags = PD_GO_TOP_FRAME,
	});
}

/** Make a table of Go 1.18 for a machine of 64 bits, with @p name instead of main.outer. */
static inline struct go_table go_table_make_named(uint8_t quantum, const char *name)
{
	bool swap = pd_is_big_endian(false);

	return go_table_make_of((struct go_table){
		.layout = PD_GO_1_18,
		.word = 8,
		.quantum = quantum,
		.bytes = { .swap = swap },
		.data = { .swap = swap },
		.name = name,
	});
}

/** Call @p check with a table of each form. */
static inline void go_for_each_form(void (*check)(struct go_table *t))
{
	for (int layout = PD_GO_1_2; layout <= PD_GO_1_20; layout++) {
		for (int form = 0; form < 8; form++) {
			struct go_table t = go_table_make((enum base_go_layout)layout,
				form & 1 ? 8 : 4, form & 2 ? 4 : 1, form & 4);

			check(&t);
			go_table_deinit(&t);
		}
	}
}

#endif
