/* Rows of hand-made unwind tables of 32-bit ARM. */
#include "base/array.h"
#include "tests/unit/test.h"
#include "tests/unit/unwind/bytes.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/cfi/exidx.h"

enum { INDEX = 0x8000, EXTAB = 0x9000, CANTUNWIND = 1, LR = 14, SP = 13, PC = 15 };

struct tables {
	struct test_bytes index;
	struct test_bytes extab;
};

/** Encode a signed distance of 31 bits from @p from to @p to. */
static uint32_t prel31(uint64_t from, uint64_t to)
{
	return (uint32_t)(to - from) & 0x7fffffff;
}

static void put_entry(struct tables *t, uint64_t start, uint32_t word)
{
	put(&t->index, prel31(INDEX + t->index.n, start), 4);
	put(&t->index, word, 4);
}

/** Add an entry whose instructions are @p words in .ARM.extab. */
static void put_table_entry(struct tables *t, uint64_t start, const uint32_t *words, size_t n_words)
{
	put(&t->index, prel31(INDEX + t->index.n, start), 4);
	put(&t->index, prel31(INDEX + t->index.n, EXTAB + t->extab.n), 4);
	for (size_t i = 0; i < n_words; i++)
		put(&t->extab, words[i], 4);
}

static enum unw_cfi_result find(const struct tables *t, uint64_t addr, struct unw_row *ret)
{
	const struct unw_exidx exidx = {
		.index = { .data = t->index.data, .size = t->index.n, .vaddr = INDEX },
		.extab = { .data = t->extab.data, .size = t->extab.n, .vaddr = EXTAB },
		.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};

	return unw_exidx_find_row(&exidx, &unw_arch_arm, addr, ret);
}

/**
 * Instructions and the expected row: CFA, and the registers of a mask, saved in order at an offset.
 */
struct row_case {
	uint8_t ops[3];
	uint8_t cfa_reg;
	int64_t cfa_off;
	uint32_t popped;
	int64_t first_off;
};

static const struct row_case row_cases[] = {
	{ { 0x00, 0xb0, 0xb0 }, SP, 4, 0, 0 },			// vsp += 4
	{ { 0x3f, 0x01, 0xb0 }, SP, 264, 0, 0 },		// vsp += 256; vsp += 8
	{ { 0x9b, 0x41, 0xb0 }, 11, -8, 0, 0 },			// vsp = r11; vsp -= 8
	{ { 0xa8, 0xb0, 0xb0 }, SP, 8, 1 << 4 | 1 << LR, -8 },	// pop r4, lr
	{ { 0xa3, 0xb0, 0xb0 }, SP, 16, 0xf << 4, -16 },	// pop r4 to r7
	{ { 0x84, 0x80, 0xb0 }, SP, 8, 1 << 11 | 1 << LR, -8 }, // pop r11, lr
	{ { 0xb1, 0x09, 0xa8 }, SP, 16, 1 | 1 << 3 | 1 << 4 | 1 << LR, -16 }, // pop r0, r3; ...
	{ { 0xb2, 0x81, 0x01 }, SP, 0x204 + (129 << 2), 0, 0 }, // vsp += 0x204 + n * 4
	{ { 0xb3, 0x01, 0xb0 }, SP, 20, 0, 0 },			// pop d0, d1 by fstmx
	{ { 0xb4, 0xb5, 0xb0 }, SP, 4, 0, 0 },			// pop the authentication code
	{ { 0xb9, 0xb0, 0xb0 }, SP, 20, 0, 0 },			// pop d8, d9 by fstmx
	{ { 0xc1, 0xb0, 0xb0 }, SP, 16, 0, 0 },			// pop wr10, wr11
	{ { 0xc6, 0x12, 0xb0 }, SP, 24, 0, 0 },			// pop wr1 to wr3
	{ { 0xc7, 0x05, 0xb0 }, SP, 8, 0, 0 },			// pop wcgr0, wcgr2
	{ { 0xc8, 0x01, 0xb0 }, SP, 16, 0, 0 },			// pop d16, d17
	{ { 0xc9, 0x83, 0xb0 }, SP, 32, 0, 0 },			// pop d8 to d11
	{ { 0xd1, 0x84, 0x00 }, SP, 20, 1 << LR, -4 },		// pop d8, d9; pop lr
};

static uint32_t compact(const uint8_t ops[static 3])
{
	return 0x80U << 24 | (uint32_t)ops[0] << 16 | (uint32_t)ops[1] << 8 | ops[2];
}

static void check_row(const struct unw_row *row, const struct row_case *c)
{
	int64_t off = c->first_off;

	assert_int_equal(row->cfa_reg, c->cfa_reg);
	assert_int_equal(row->cfa_off, c->cfa_off);
	assert_true(row->is_inexact);
	assert_false(row->is_signal);
	assert_int_equal(row->ra_column, LR);
	assert_int_equal(row->regs[SP].kind, UNW_RULE_VAL_OFFSET);
	for (int reg = 0; reg < SP; reg++) {
		if (!(c->popped >> reg & 1)) {
			assert_int_not_equal(row->regs[reg].kind, UNW_RULE_OFFSET);
			continue;
		}
		assert_int_equal(row->regs[reg].kind, UNW_RULE_OFFSET);
		assert_int_equal(row->regs[reg].off, off);
		off += 4;
	}
	bool has_lr = c->popped >> LR & 1;
	assert_int_equal(row->regs[LR].kind, has_lr ? UNW_RULE_OFFSET : UNW_RULE_SAME);
	if (has_lr)
		assert_int_equal(row->regs[LR].off, off);
}

static void instructions(void **state)
{
	struct unw_row row;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(row_cases); i++) {
		struct tables t = { 0 };

		put_entry(&t, 0x1000, compact(row_cases[i].ops));
		assert_int_equal(find(&t, 0x1010, &row), UNW_CFI_ROW);
		check_row(&row, &row_cases[i]);
	}
}

/** All forms of entries give the same row for the same instructions. */
static void models(void **state)
{
	static const struct row_case expected = { { 0 }, 7, 28, 1 << 4 | 1 << LR, -8 };
	/* vsp = r7; vsp += 20; pop r4, lr */
	static const struct {
		uint32_t words[3];
		size_t n;
	} forms[] = {
		{ { 0x809704a8 }, 1 },
		{ { 0x81019704, 0xa8b0b0b0 }, 2 },
		{ { 0x82019704, 0xa8b0b0b0 }, 2 },
		{ { 0x00001234, 0x009704a8 }, 2 },
		{ { 0x00001234, 0x01979704, 0xa8b0b0b0 }, 3 },
	};
	struct unw_row row;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(forms); i++) {
		struct tables t = { 0 };

		put_table_entry(&t, 0x1000, forms[i].words, forms[i].n);
		assert_int_equal(find(&t, 0x1000, &row), UNW_CFI_ROW);
		check_row(&row, &expected);
	}
}

static void bad_entries(void **state)
{
	static const uint32_t words[] = {
		0x808000b0,		 // refuses to be unwound
		0x809d04a8,		 // vsp = sp
		0x80a89b00,		 // a new base after a pop
		0x80b1f000,		 // spare
		0x80b000b0 ^ 0x00060000, // 0xb6: spare
		0x80cab0b0,		 // spare
		0x81019704,		 // a model that needs .ARM.extab
	};
	static const uint32_t too_short[] = { 0x81059704 };
	static const uint32_t unknown_model[] = { 0x83019704, 0xa8b0b0b0 };
	struct unw_row row;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(words); i++) {
		struct tables t = { 0 };

		put_entry(&t, 0x1000, words[i]);
		assert_int_equal(find(&t, 0x1000, &row), UNW_CFI_BAD);
	}
	struct tables t = { 0 };
	put_table_entry(&t, 0x1000, too_short, 1);
	put_table_entry(&t, 0x2000, unknown_model, 2);
	put_entry(&t, 0x3000, 0x7000);
	assert_int_equal(find(&t, 0x1000, &row), UNW_CFI_BAD);
	assert_int_equal(find(&t, 0x3000, &row), UNW_CFI_BAD);
	t.extab.n = 4;
	assert_int_equal(find(&t, 0x2000, &row), UNW_CFI_BAD);
}

static void entries_are_searched(void **state)
{
	static const uint8_t pop_lr[] = { 0x84, 0x00, 0xb0 };
	struct tables t = { 0 };
	struct unw_row row;

	(void)state;
	assert_int_equal(find(&t, 0x1000, &row), UNW_CFI_NONE);
	for (uint32_t i = 0; i < 100; i++)
		put_entry(&t, 0x1000 + 0x10 * i,
			compact((uint8_t[]){ (uint8_t)(i % 64), 0xb0, 0xb0 }));
	put_entry(&t, 0x2000, CANTUNWIND);
	put_entry(&t, 0x2010, compact(pop_lr));
	assert_int_equal(find(&t, 0xfff, &row), UNW_CFI_NONE);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(find(&t, 0x1000 + 0x10 * i + i % 16, &row), UNW_CFI_ROW);
		assert_int_equal(row.start, 0x1000 + 0x10 * i);
		assert_int_equal(row.end, i == 99 ? 0x2000 : row.start + 0x10);
		assert_int_equal(row.cfa_off, 4 * (i % 64) + 4);
	}
	assert_int_equal(find(&t, 0x2008, &row), UNW_CFI_NONE);
	assert_int_equal(find(&t, 0xffff0000, &row), UNW_CFI_ROW);
	assert_int_equal(row.regs[LR].kind, UNW_RULE_OFFSET);
}

/** A table that restores all registers describes a signal frame. */
static void frames_of_signals(void **state)
{
	/* vsp += 160; pop r0 to r3; pop r4 to pc */
	static const uint32_t words[] = { 0x810127b1, 0x0f8fffb0 };
	struct tables t = { 0 };
	struct unw_row row;

	(void)state;
	put_table_entry(&t, 0x1000, words, 2);
	assert_int_equal(find(&t, 0x1000, &row), UNW_CFI_ROW);
	assert_true(row.is_signal);
	assert_int_equal(row.ra_column, PC);
	assert_int_equal(row.cfa_off, 160 + 64);
	for (int reg = 0; reg <= PC; reg++) {
		assert_int_equal(row.regs[reg].kind, UNW_RULE_OFFSET);
		assert_int_equal(row.regs[reg].off, 4 * reg - 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions),
		cmocka_unit_test(models),
		cmocka_unit_test(bad_entries),
		cmocka_unit_test(entries_are_searched),
		cmocka_unit_test(frames_of_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
