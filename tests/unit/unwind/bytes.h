/**
 * @file Builder of .eh_frame sections in memory, for tests.
 */
#ifndef PD_TESTS_UNIT_TEST_UNW_BYTES_H
#define PD_TESTS_UNIT_TEST_UNW_BYTES_H

#include <assert.h>
#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct test_bytes {
	uint8_t data[4096];
	size_t n;
	bool is_big_endian;
};

/** Store a number of @p size bytes at @p to. */
static inline void store(uint8_t *to, uint64_t value, size_t size, bool is_big_endian)
{
	for (size_t i = 0; i < size; i++)
		to[is_big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static inline void put(struct test_bytes *b, uint64_t value, size_t size)
{
	assert(b->n + size <= sizeof(b->data));
	store(b->data + b->n, value, size, b->is_big_endian);
	b->n += size;
}

static inline void put_bytes(struct test_bytes *b, const void *bytes, size_t len)
{
	assert(b->n + len <= sizeof(b->data));
	if (len)
		memcpy(b->data + b->n, bytes, len);
	b->n += len;
}

/** Begin an entry. Pass the result to end_entry(). */
static inline size_t begin_entry(struct test_bytes *b)
{
	put(b, 0, 4);
	return b->n;
}

static inline void end_entry(struct test_bytes *b, size_t start)
{
	while (b->n % 8)
		put(b, DW_CFA_nop, 1);
	store(b->data + start - 4, b->n - start, 4, b->is_big_endian);
}

/**
 * Append an .eh_frame CIE as compilers make it for x86-64 (CFA = rsp + 8, return address at CFA -
 * 8), with addresses of 8 bytes. @p augmentation: "zR" or "zRS". Returns its offset.
 */
static inline size_t put_cie(struct test_bytes *b, const char *augmentation)
{
	static const uint8_t program[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };
	size_t off = b->n;
	size_t start = begin_entry(b);

	put(b, 0, 4);
	put(b, 1, 1);
	put_bytes(b, augmentation, strlen(augmentation) + 1);
	put(b, 1, 1);
	put(b, 0x78, 1); // -8
	put(b, 16, 1);
	put(b, 1, 1);
	put(b, DW_EH_PE_absptr, 1);
	put_bytes(b, program, sizeof(program));
	end_entry(b, start);
	return off;
}

static inline void put_fde(
	struct test_bytes *b, size_t cie, uint64_t vaddr, const uint8_t *program, size_t len)
{
	size_t start = begin_entry(b);

	put(b, b->n - cie, 4);
	put(b, vaddr, 8);
	put(b, 0x100, 8);
	put(b, 0, 1);
	put_bytes(b, program, len);
	end_entry(b, start);
}

/** Append an FDE for 0x100 bytes at @p vaddr with the given instructions. */
#define PUT_FDE(b, cie, vaddr, ...) \
	put_fde(b, cie, vaddr, (const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ }))

#endif
