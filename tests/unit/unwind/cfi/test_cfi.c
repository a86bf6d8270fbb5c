#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "tests/unit/unwind/bytes.h"
#include "tests/unit/unwind/elf.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/binary_rows.h"
#include "unwind/rules/cfi_row.h"

enum { EH_VADDR = 0x8000, RBX = 3, RBP = 6, RSP = 7, RA = 16 };

static struct unw_binary *create(const uint8_t *bytes, size_t size, bool is_debug_frame)
{
	struct unw_binary_input input = { .arch = &base_arch_x86_64 };
	struct unw_section *section = is_debug_frame ? &input.debug_frame : &input.eh_frame;
	struct unw_binary *binary;

	*section = (struct unw_section){ .data = bytes, .size = size, .vaddr = EH_VADDR };
	assert_null(unw_binary_create(&input, &binary));
	return binary;
}

static enum unw_cfi_result find(const struct unw_binary *binary, uint64_t addr, struct unw_row *row)
{
	enum unw_cfi_result result;

	assert_null(unw_binary_find_row(binary, addr, false, &result, row));
	return result;
}

static void check_rule(
	const struct unw_row *row, unsigned int reg, enum unw_rule_kind kind, int64_t off)
{
	assert_int_equal(row->regs[reg].kind, kind);
	assert_int_equal(row->regs[reg].off, off);
}

static void test_ranges(void **state)
{
	struct test_bytes b = { .n = 0 };
	struct unw_row row;

	(void)state;
	size_t cie = put_cie(&b, "zR");
	PUT_FDE(&b, cie, 0x2000, DW_CFA_nop);
	PUT_FDE(&b, cie, 0x1000, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16,
		DW_CFA_advance_loc1, 0x20, DW_CFA_def_cfa_offset, 24);
	struct unw_binary *binary = create(b.data, b.n, false);

	assert_int_equal(find(binary, 0xfff, &row), UNW_CFI_NONE);
	assert_int_equal(find(binary, 0x1003, &row), UNW_CFI_ROW);
	assert_int_equal(row.start, 0x1000);
	assert_int_equal(row.end, 0x1004);
	assert_int_equal(row.cfa_reg, RSP);
	assert_int_equal(row.cfa_off, 8);
	check_rule(&row, RA, UNW_RULE_OFFSET, -8);
	assert_int_equal(find(binary, 0x1004, &row), UNW_CFI_ROW);
	assert_int_equal(row.cfa_off, 16);
	assert_int_equal(row.end, 0x1024);
	assert_int_equal(find(binary, 0x10ff, &row), UNW_CFI_ROW);
	assert_int_equal(row.cfa_off, 24);
	assert_int_equal(row.end, 0x1100);
	/* A gap after an FDE is not covered. */
	assert_int_equal(find(binary, 0x1100, &row), UNW_CFI_NONE);
	assert_int_equal(find(binary, 0x2000, &row), UNW_CFI_ROW);
	assert_int_equal(find(binary, 0x2100, &row), UNW_CFI_NONE);
	unw_binary_destroy(binary);
}

static void test_instructions(void **state)
{
	struct test_bytes b = { .n = 0 };
	struct unw_row row;

	(void)state;
	size_t cie = put_cie(&b, "zRS");
	PUT_FDE(&b, cie, 0x1000, DW_CFA_remember_state, DW_CFA_def_cfa, RBP, 32,
		DW_CFA_offset_extended, 0, 2, DW_CFA_offset_extended_sf, 1, 0x7f, DW_CFA_val_offset,
		2, 3, DW_CFA_val_offset_sf, RBX, 0x7e, DW_CFA_undefined, 4, DW_CFA_same_value, 5,
		DW_CFA_register, 8, 9, DW_CFA_expression, 9, 1, DW_OP_lit1, DW_CFA_val_expression,
		10, 1, DW_OP_lit2, DW_CFA_GNU_negative_offset_extended, 11, 4, DW_CFA_GNU_args_size,
		8, DW_CFA_undefined, 200, 1, DW_CFA_offset | 12, 5, DW_CFA_advance_loc1, 1,
		DW_CFA_restore | 12, DW_CFA_restore_extended, RA, DW_CFA_def_cfa_offset_sf, 0x7c,
		DW_CFA_advance_loc2, 1, 0, DW_CFA_restore_state, DW_CFA_advance_loc4, 1, 0, 0, 0,
		DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 0);
	struct unw_binary *binary = create(b.data, b.n, false);

	assert_int_equal(find(binary, 0x1000, &row), UNW_CFI_ROW);
	assert_true(row.is_signal);
	assert_int_equal(row.cfa_reg, RBP);
	assert_int_equal(row.cfa_off, 32);
	check_rule(&row, 0, UNW_RULE_OFFSET, -16);
	check_rule(&row, 1, UNW_RULE_OFFSET, 8);
	check_rule(&row, 2, UNW_RULE_VAL_OFFSET, -24);
	check_rule(&row, RBX, UNW_RULE_VAL_OFFSET, 16);
	assert_int_equal(row.regs[4].kind, UNW_RULE_UNDEFINED);
	assert_int_equal(row.regs[5].kind, UNW_RULE_SAME);
	check_rule(&row, 8, UNW_RULE_REGISTER, 9);
	assert_int_equal(row.regs[9].kind, UNW_RULE_EXPR);
	assert_int_equal(row.regs[9].expr.bytes[0], DW_OP_lit1);
	assert_int_equal(row.regs[10].kind, UNW_RULE_VAL_EXPR);
	check_rule(&row, 11, UNW_RULE_OFFSET, 32);
	check_rule(&row, 12, UNW_RULE_OFFSET, -40);
	assert_int_equal(find(binary, 0x1001, &row), UNW_CFI_ROW);
	assert_int_equal(row.regs[12].kind, UNW_RULE_SAME);
	check_rule(&row, RA, UNW_RULE_OFFSET, -8);
	assert_int_equal(row.cfa_off, 32);
	assert_int_equal(find(binary, 0x1002, &row), UNW_CFI_ROW);
	assert_int_equal(row.cfa_reg, RSP);
	assert_int_equal(row.cfa_off, 8);
	assert_int_equal(row.regs[0].kind, UNW_RULE_UNSPECIFIED);
	assert_int_equal(row.start, 0x1002);
	assert_int_equal(find(binary, 0x1003, &row), UNW_CFI_ROW);
	assert_int_equal(row.cfa_expr.len, 2);
	unw_binary_destroy(binary);
}

static void test_damaged_programs(void **state)
{
	struct test_bytes b = { .n = 0 };
	struct unw_row row;

	(void)state;
	size_t cie = put_cie(&b, "zR");
	PUT_FDE(&b, cie, 0x1000, DW_CFA_restore_state);
	PUT_FDE(&b, cie, 0x1100, 0x3f);
	PUT_FDE(&b, cie, 0x1200, DW_CFA_def_cfa_expression, 0x70);
	PUT_FDE(&b, cie, 0x1300, DW_CFA_def_cfa_expression, 1, DW_OP_lit0, DW_CFA_def_cfa_offset,
		8);
	PUT_FDE(&b, cie, 0x1400, DW_CFA_remember_state, DW_CFA_remember_state,
		DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
		DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
		DW_CFA_remember_state);
	struct unw_binary *binary = create(b.data, b.n, false);

	for (uint64_t addr = 0x1000; addr < 0x1500; addr += 0x100)
		assert_int_equal(find(binary, addr, &row), UNW_CFI_BAD);
	unw_binary_destroy(binary);
}

/** Build a .debug_frame of one CIE and one FDE for 0x1000. */
static void put_debug_frame(struct test_bytes *b, unsigned int version, bool is_64)
{
	static const uint8_t program[] = { DW_CFA_def_cfa, RSP, 8, DW_CFA_offset | RA, 1 };
	unsigned int word = is_64 ? 8 : 4;
	size_t cie = b->n;

	for (int is_fde = 0; is_fde < 2; is_fde++) {
		struct test_bytes body = { .n = 0, .is_big_endian = b->is_big_endian };

		put(&body, is_fde ? cie : UINT64_MAX, word);
		if (is_fde) {
			put(&body, 0x1000, 8);
			put(&body, 0x100, 8);
		} else {
			put(&body, version, 1);
			put(&body, 0, 1);
			if (version == 4)
				put(&body, 8, 2);
			put(&body, 0x7801, 2);
			put(&body, RA, 1);
			put_bytes(&body, program, sizeof(program));
		}
		if (is_64)
			put(b, 0xffffffff, 4);
		put(b, body.n, word);
		put_bytes(b, body.data, body.n);
	}
}

static void test_debug_frame(void **state)
{
	static const unsigned int versions[] = { 1, 3, 4 };

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		struct test_bytes b = { .n = 0 };
		struct unw_row row;

		put(&b, 0, 4); // an empty entry, so no other entry is at offset 0
		put_debug_frame(&b, versions[i % 3], i >= 3);
		struct unw_binary *binary = create(b.data, b.n, true);
		assert_int_equal(find(binary, 0x10ff, &row), UNW_CFI_ROW);
		assert_int_equal(row.cfa_off, 8);
		check_rule(&row, RA, UNW_RULE_OFFSET, -8);
		assert_int_equal(find(binary, 0x1100, &row), UNW_CFI_NONE);
		unw_binary_destroy(binary);
	}
}

static void test_debug_frame_fills_gaps(void **state)
{
	struct test_bytes eh = { .n = 0 };
	struct test_bytes debug = { .n = 0 };
	struct unw_binary_input input = { .arch = &base_arch_x86_64 };
	struct unw_binary *binary;
	struct unw_row row;

	(void)state;
	PUT_FDE(&eh, put_cie(&eh, "zR"), 0x2000, DW_CFA_def_cfa_offset, 16);
	put_debug_frame(&debug, 4, false);
	input.eh_frame = (struct unw_section){ .data = eh.data, .size = eh.n };
	input.debug_frame = (struct unw_section){ .data = debug.data, .size = debug.n };
	assert_null(unw_binary_create(&input, &binary));
	assert_int_equal(find(binary, 0x1000, &row), UNW_CFI_ROW);
	assert_int_equal(row.cfa_off, 8);
	assert_int_equal(find(binary, 0x2000, &row), UNW_CFI_ROW);
	assert_int_equal(row.cfa_off, 16);
	unw_binary_destroy(binary);
}

/**
 * Build a .debug_frame like that of Free Pascal: pointers to the CIE have 8 bytes, and 4 are read.
 */
static void put_pascal_debug_frame(struct test_bytes *b, bool is_big_endian, uint64_t vaddr)
{
	static const uint8_t cie[] = { 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, RA, DW_CFA_def_cfa,
		RSP, 8 };

	b->is_big_endian = is_big_endian;
	put(b, sizeof(cie), 4);
	put_bytes(b, cie, sizeof(cie));
	put(b, 24, 4);
	put(b, 0, 8);
	put(b, vaddr, 8);
	put(b, 0x100, 8);
}

static bool is_unusable(const struct unw_binary_input *input, uint64_t addr)
{
	struct unw_binary *binary;
	struct unw_row row;

	assert_null(unw_binary_create(input, &binary));
	/* The section is not read before an address is looked up. */
	assert_false(unw_binary_has_unusable_debug_frame(binary));
	find(binary, addr, &row);
	bool ret = unw_binary_has_unusable_debug_frame(binary);
	unw_binary_destroy(binary);
	return ret;
}

static void test_unusable_debug_frame(void **state)
{
	static const uint8_t code[0x100] = { 0xc3 };
	struct unw_binary_input input = {
		.text = { .data = code, .size = sizeof(code), .vaddr = 0x1000 }
	};

	(void)state;
	for (int is_big_endian = 0; is_big_endian < 2; is_big_endian++) {
		struct test_bytes pascal = { .n = 0 };
		struct test_bytes valid = { .n = 0, .is_big_endian = is_big_endian };

		input.arch = is_big_endian ? &base_arch_s390x : &base_arch_x86_64;
		put_pascal_debug_frame(&pascal, is_big_endian, 0x1000);
		input.debug_frame = (struct unw_section){ .data = pascal.data, .size = pascal.n };
		assert_true(is_unusable(&input, 0x1000));
		put_debug_frame(&valid, 3, false);
		input.debug_frame = (struct unw_section){ .data = valid.data, .size = valid.n };
		assert_false(is_unusable(&input, 0x1000));
		/* An FDE before or after the code does not cover it. */
		input.text.vaddr = 0x1001;
		assert_true(is_unusable(&input, 0x1010));
		input.text.vaddr = 0xf00;
		assert_true(is_unusable(&input, 0xf00));
		input.text.vaddr = 0x1000;
		/* A section without FDEs is not invalid. */
		input.debug_frame.size = 16;
		assert_false(is_unusable(&input, 0x1000));
	}
}

/** Truncate the section at every byte, in memory of that size, so that reads past the end show. */
static void test_truncated(void **state)
{
	struct test_bytes b = { .n = 0 };

	(void)state;
	size_t cie = put_cie(&b, "zR");
	PUT_FDE(&b, cie, 0x1000, DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16);
	cie = put_cie(&b, "zRS");
	PUT_FDE(&b, cie, 0x2000, DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 0);
	for (size_t len = 1; len < b.n; len++) {
		for (int is_debug_frame = 0; is_debug_frame < 2; is_debug_frame++) {
			struct unw_row row;
			uint8_t *bytes = malloc(len);

			assert_non_null(bytes);
			memcpy(bytes, b.data, len);
			struct unw_binary *binary = create(bytes, len, is_debug_frame);
			find(binary, 0x1010, &row);
			find(binary, 0x2010, &row);
			unw_binary_destroy(binary);
			free(bytes);
		}
	}
}

/** Make an .eh_frame_hdr of FDEs, by their addresses and offsets. */
static void put_hdr(struct test_bytes *b, const uint64_t (*fdes)[2], size_t n)
{
	enum { HDR_VADDR = 0x9000 };

	b->n = 0;
	put(b, 1, 1);
	put(b, DW_EH_PE_omit, 1);
	put(b, DW_EH_PE_udata4, 1);
	put(b, DW_EH_PE_datarel | DW_EH_PE_sdata4, 1);
	put(b, n, 4);
	for (size_t i = 0; i < n; i++) {
		put(b, fdes[i][0] - HDR_VADDR, 4);
		put(b, fdes[i][1] + EH_VADDR - HDR_VADDR, 4);
	}
}

/** Find a row in functions whose FDEs the table has in an order that hides them. */
static void test_order_of_hdr(void **state)
{
	enum { SIZE_AT = 16 };
	struct test_bytes frames = { .n = 0 }, hdr = { .n = 0 };
	struct unw_row row;
	struct unw_binary *binary;

	(void)state;
	size_t cie = put_cie(&frames, "zR");
	uint64_t first = frames.n;
	PUT_FDE(&frames, cie, 0x1000, DW_CFA_def_cfa_offset, 16);
	uint64_t second = frames.n;
	PUT_FDE(&frames, cie, 0x1100, DW_CFA_def_cfa_offset, 24);
	uint64_t empty = frames.n;
	PUT_FDE(&frames, cie, 0x1000, DW_CFA_nop);
	memset(frames.data + empty + SIZE_AT, 0, 8);
	const uint64_t orders[][3][2] = {
		{ { 0x1000, first }, { 0x1100, second }, { 0x1100, second } },
		{ { 0x1100, second }, { 0x1000, first }, { 0x1000, first } },
		{ { 0x1000, first }, { 0x1000, empty }, { 0x1100, second } },
	};
	for (size_t i = 0; i < 3; i++) {
		put_hdr(&hdr, orders[i], 3);
		const struct unw_binary_input input = {
			.arch = &base_arch_x86_64,
			.eh_frame = { .data = frames.data, .size = frames.n, .vaddr = EH_VADDR },
			.eh_frame_hdr = { .data = hdr.data, .size = hdr.n, .vaddr = 0x9000 },
		};
		assert_null(unw_binary_create(&input, &binary));
		assert_int_equal(find(binary, 0x1010, &row), UNW_CFI_ROW);
		assert_int_equal(row.cfa_off, 16);
		assert_int_equal(find(binary, 0x1110, &row), UNW_CFI_ROW);
		assert_int_equal(row.cfa_off, 24);
		assert_int_equal(find(binary, 0x1200, &row), UNW_CFI_NONE);
		unw_binary_destroy(binary);
	}
}

static uint64_t random_u64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void flip_bytes(const struct unw_section *section, uint8_t *copy, uint64_t *seed)
{
	memcpy(copy, section->data, section->size);
	for (size_t i = 0; i < section->size / 64; i++)
		copy[random_u64(seed) % section->size] = (uint8_t)random_u64(seed);
}

static void search_damaged(const struct test_elf *f, struct unw_binary_input *input, uint64_t *seed)
{
	struct unw_binary *binary;
	struct unw_row row;

	assert_null(unw_binary_create(input, &binary));
	for (int i = 0; i < 2000; i++)
		find(binary, f->text_start + random_u64(seed) % (f->text_end - f->text_start),
			&row);
	unw_binary_destroy(binary);
}

static void test_random_damage(void **state)
{
	uint64_t seed = 0x123456789abcdef;
	struct test_elf f;

	(void)state;
	if (!test_elf_open("/proc/self/exe", &f) || !f.input.eh_frame_hdr.data)
		skip();
	struct unw_binary_input input = f.input;
	uint8_t *eh_frame = malloc(f.input.eh_frame.size);
	uint8_t *hdr = malloc(f.input.eh_frame_hdr.size);
	assert_true(eh_frame && hdr);
	for (int i = 0; i < 100; i++) {
		flip_bytes(&f.input.eh_frame, eh_frame, &seed);
		flip_bytes(&f.input.eh_frame_hdr, hdr, &seed);
		input.eh_frame.data = eh_frame;
		input.eh_frame_hdr = f.input.eh_frame_hdr;
		search_damaged(&f, &input, &seed);
		input.eh_frame_hdr.data = hdr;
		search_damaged(&f, &input, &seed);
		input.eh_frame_hdr.data = NULL;
		search_damaged(&f, &input, &seed);
	}
	free(eh_frame);
	free(hdr);
	test_elf_close(&f);
}

static void *find_rows(void *binary)
{
	struct unw_row row;
	size_t n = 0;

	for (uint64_t addr = 0x1000; addr < 0x9000; addr += 0x40)
		n += find(binary, addr, &row) == UNW_CFI_ROW;
	assert_int_equal(n, 16 * 4);
	return NULL;
}

/** Several threads look up addresses while the table is not built yet. */
static void test_concurrent(void **state)
{
	enum { N_THREADS = 4 };
	struct test_bytes b = { .n = 0 };
	pthread_t threads[N_THREADS];

	(void)state;
	size_t cie = put_cie(&b, "zR");
	for (uint64_t i = 0; i < 16; i++)
		PUT_FDE(&b, cie, 0x1000 + i * 0x200, DW_CFA_def_cfa_offset, 16);
	struct unw_binary *binary = create(b.data, b.n, false);
	for (int i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, find_rows, binary), 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	unw_binary_destroy(binary);
}

/* Begin an FDE for 0x2000 bytes at 0x1000. */
static size_t begin_long_fde(struct test_bytes *b)
{
	size_t cie = put_cie(b, "zR"), start = begin_entry(b);

	put(b, b->n - cie, 4);
	put(b, 0x1000, 8);
	put(b, 0x2000, 8);
	put(b, 0, 1);
	return start;
}

/* Rows of a long program are the same in whichever order they are looked up. */
static void test_long_program(void **state)
{
	enum { N_ROWS = 1200, REMEMBERED = 700, RESTORED = 1100 };
	struct test_bytes b = { .n = 0 };
	struct unw_row row;

	(void)state;
	size_t start = begin_long_fde(&b);
	for (unsigned int i = 1; i < N_ROWS; i++) {
		put(&b, DW_CFA_advance_loc | 1, 1);
		if (i == RESTORED) {
			put(&b, DW_CFA_restore_state, 1);
			continue;
		}
		put(&b, DW_CFA_def_cfa_offset, 1);
		put(&b, i % 128, 1);
		if (i == REMEMBERED)
			put(&b, DW_CFA_remember_state, 1);
	}
	end_entry(&b, start);
	/* Up, down and in between, with steps that have no divisor in common with the number. */
	static const unsigned int steps[] = { 1, N_ROWS - 1, 307 };
	for (size_t k = 0; k < 3; k++) {
		struct unw_binary *binary = create(b.data, b.n, false);

		for (unsigned int i = 0; i < N_ROWS; i++) {
			unsigned int at = i * steps[k] % N_ROWS;
			unsigned int set = at == RESTORED ? REMEMBERED : at;

			assert_int_equal(find(binary, 0x1000 + at, &row), UNW_CFI_ROW);
			assert_int_equal(row.start, 0x1000 + at);
			assert_int_equal(row.end, at < N_ROWS - 1 ? 0x1001 + at : 0x3000);
			assert_int_equal(row.cfa_off, at ? set % 128 : 8);
			check_rule(&row, RA, UNW_RULE_OFFSET, -8);
		}
		unw_binary_destroy(binary);
	}
}

/* A program that goes back to lower addresses ends at the first one above that which is wanted. */
static void test_long_program_goes_back(void **state)
{
	enum { N_ROWS = 2000, N_LATER = 100 };
	struct test_bytes b = { .n = 0 };
	struct unw_row row;

	(void)state;
	size_t start = begin_long_fde(&b);
	for (unsigned int i = 1; i <= N_ROWS; i++)
		put(&b, DW_CFA_advance_loc | 1, 1);
	put(&b, DW_CFA_set_loc, 1);
	put(&b, 0x1000, 8);
	put_bytes(&b, (const uint8_t[]){ DW_CFA_def_cfa_offset, 99 }, 2);
	for (unsigned int i = 1; i <= N_LATER; i++)
		put(&b, DW_CFA_advance_loc | 1, 1);
	end_entry(&b, start);
	struct unw_binary *binary = create(b.data, b.n, false);

	for (int i = 0; i < 2; i++) {
		assert_int_equal(find(binary, 0x1000 + N_ROWS, &row), UNW_CFI_ROW);
		assert_int_equal(row.start, 0x1000 + N_LATER);
		assert_int_equal(row.cfa_off, 99);
		assert_int_equal(find(binary, 0x1000 + N_ROWS - 1, &row), UNW_CFI_ROW);
		assert_int_equal(row.start, 0x1000 + N_ROWS - 1);
		assert_int_equal(row.cfa_off, 8);
		assert_int_equal(find(binary, 0x1000 + N_LATER, &row), UNW_CFI_ROW);
		assert_int_equal(row.cfa_off, 8);
	}
	unw_binary_destroy(binary);
}

/** Rows that were visited are compared with those found by address. */
struct expected {
	const struct unw_binary *binary;
	uint64_t next;
	size_t n;
};

static bool expect_same_row(void *ctx, struct unw_row *row)
{
	struct expected *e = ctx;
	struct unw_row found;

	assert_int_equal(row->start, e->next);
	for (uint64_t addr = row->start; addr < row->end; addr++) {
		assert_int_equal(find(e->binary, addr, &found), UNW_CFI_ROW);
		assert_int_equal(found.start, row->start);
		assert_true(found.end >= row->end);
		assert_int_equal(found.cfa_reg, row->cfa_reg);
		assert_int_equal(found.cfa_off, row->cfa_off);
		assert_ptr_equal(found.cfa_expr.bytes, row->cfa_expr.bytes);
		for (unsigned int i = 0; i <= RA; i++)
			assert_int_equal(found.regs[i].kind, row->regs[i].kind);
	}
	e->next = row->end;
	e->n++;
	return true;
}

static uint64_t visit(const struct unw_binary *binary, uint64_t start, uint64_t end, size_t n)
{
	struct expected e = { .binary = binary, .next = start };
	uint64_t done;

	assert_null(unw_binary_visit_rows(
		binary, (struct unw_range){ start, end }, expect_same_row, &e, &done));
	assert_int_equal(done, e.next);
	assert_int_equal(e.n, n);
	return done;
}

static void test_visit(void **state)
{
	struct test_bytes b = { .n = 0 };

	(void)state;
	size_t cie = put_cie(&b, "zR");
	PUT_FDE(&b, cie, 0x1000, DW_CFA_remember_state, DW_CFA_def_cfa_offset, 16,
		DW_CFA_advance_loc | 4, DW_CFA_advance_loc | 0, DW_CFA_offset | RBX, 2,
		DW_CFA_advance_loc1, 0x20, DW_CFA_restore_state, DW_CFA_advance_loc2, 0xff, 0x1f);
	/* After its third row comes an operation that is not known. */
	PUT_FDE(&b, cie, 0x2000, DW_CFA_advance_loc | 8, DW_CFA_def_cfa_offset, 24,
		DW_CFA_advance_loc | 8, 0x3f);
	PUT_FDE(&b, cie, 0x3000, DW_CFA_advance_loc | 16, DW_CFA_def_cfa_offset, 32, DW_CFA_set_loc,
		8, 0x30, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 40);
	struct unw_binary *binary = create(b.data, b.n, false);

	assert_int_equal(visit(binary, 0x1000, 0x1100, 3), 0x1100);
	assert_int_equal(visit(binary, 0x1000, 0x1020, 2), 0x1020);
	assert_int_equal(visit(binary, 0x2000, 0x2100, 2), 0x2010);
	/* The program goes back to a lower address. */
	assert_int_equal(visit(binary, 0x3000, 0x3100, 1), 0x3010);
	assert_int_equal(visit(binary, 0x4000, 0x4100, 0), 0x4000);
	unw_binary_destroy(binary);
}

static void test_nothing(void **state)
{
	const struct unw_binary_input input = { .arch = &base_arch_x86_64 };
	struct unw_binary *binary;
	struct unw_row row;

	(void)state;
	assert_null(unw_binary_create(&input, &binary));
	assert_int_equal(find(binary, 0x1000, &row), UNW_CFI_NONE);
	unw_binary_destroy(binary);
	unw_binary_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_order_of_hdr),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_damaged_programs),
		cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_debug_frame_fills_gaps),
		cmocka_unit_test(test_unusable_debug_frame),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_random_damage),
		cmocka_unit_test(test_concurrent),
		cmocka_unit_test(test_long_program),
		cmocka_unit_test(test_long_program_goes_back),
		cmocka_unit_test(test_visit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
