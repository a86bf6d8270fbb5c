#include "tests/unit/test.h"

#include "tests/unit/go_table.h"
#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind/row.h"

static struct unw_cfi *create(
	const struct pd_arch *arch, const struct pd_pclntab *tab, const uint8_t *code, size_t size)
{
	struct unw_cfi_input input = {
		.arch = arch,
		.go = tab,
		.text = { .data = code, .size = size, .vaddr = GO_TEXT },
	};
	struct unw_cfi *cfi;

	assert_ok(unw_cfi_create(&input, &cfi));
	return cfi;
}

static struct pd_pclntab read_table(const struct go_table *t)
{
	struct pd_pclntab tab;

	assert_true(pd_pclntab_init(t->bytes.buf.data, t->bytes.buf.n, t->bytes.swap, &tab));
	return tab;
}

static struct unw_row find(const struct unw_cfi *cfi, uint64_t off)
{
	enum unw_cfi_result result;
	struct unw_row row;

	assert_ok(unw_cfi_find_row(cfi, GO_TEXT + off, false, &result, &row));
	assert_int_equal(result, UNW_CFI_ROW);
	assert_true(row.start <= GO_TEXT + off && GO_TEXT + off < row.end);
	assert_int_equal(row.cfa_reg, unw_cfi_arch(cfi)->sp);
	assert_false(row.is_guess || row.is_inexact || row.is_signal);
	return row;
}

static void check_rule(const struct unw_rule *rule, enum unw_rule_kind kind, int64_t off)
{
	assert_int_equal(rule->kind, kind);
	assert_int_equal(rule->off, off);
}

static void check_none(const struct unw_cfi *cfi, uint64_t off)
{
	enum unw_cfi_result result;
	struct unw_row row;

	assert_ok(unw_cfi_find_row(cfi, GO_TEXT + off, false, &result, &row));
	assert_int_equal(result, UNW_CFI_NONE);
}

enum { RBX = 3, RBP = 6, RA = 16 };

/* Until Go 1.20: sub $24, %rsp; mov %rbp, 16(%rsp); lea 16(%rsp), %rbp. */
static void test_x86_64_saved_in_frame(void **state)
{
	static const uint8_t code[GO_LEAF_END] = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24,
		0x10, 0x48, 0x8d, 0x6c, 0x24, 0x10 };
	struct go_table t = go_table_make(PD_GO_1_18, 8, 1, pd_is_big_endian(false));
	struct pd_pclntab tab = read_table(&t);
	struct unw_cfi *cfi = create(&pd_arch_x86_64, &tab, code, sizeof(code));

	(void)state;
	struct unw_row row = find(cfi, 3);
	assert_int_equal(row.cfa_off, 8);
	check_rule(&row.regs[RA], UNW_RULE_OFFSET, -8);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	row = find(cfi, 4);
	assert_int_equal(row.cfa_off, GO_FRAME + 8);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	assert_int_equal(row.end, GO_TEXT + 9);
	row = find(cfi, 9);
	assert_int_equal(row.start, GO_TEXT + 9);
	check_rule(&row.regs[RBP], UNW_RULE_OFFSET, -16);
	/* Go code does not preserve registers. */
	assert_int_equal(row.regs[RBX].kind, UNW_RULE_UNSPECIFIED);
	row = find(cfi, 0x30);
	assert_int_equal(row.cfa_off, 8);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	/* Padding, and a function without a table of frame sizes. */
	check_none(cfi, GO_CODE_END);
	check_none(cfi, GO_OUTER_END);
	unw_cfi_destroy(cfi);
	go_table_deinit(&t);
}

/* A store elsewhere, and code that is not in the file: nothing is known about the register. */
static void test_x86_64_not_saved(void **state)
{
	static const uint8_t code[GO_LEAF_END] = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24,
		0x08 };
	struct go_table t = go_table_make(PD_GO_1_20, 8, 1, pd_is_big_endian(false));
	struct pd_pclntab tab = read_table(&t);

	(void)state;
	for (size_t size = 0; size <= sizeof(code); size++) {
		struct unw_cfi *cfi = create(&pd_arch_x86_64, &tab, code, size);
		struct unw_row row = find(cfi, 0x20);

		assert_int_equal(row.cfa_off, GO_FRAME + 8);
		check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
		unw_cfi_destroy(cfi);
	}
	go_table_deinit(&t);
}

/* Since Go 1.21: push %rbp; mov %rsp, %rbp; sub $16, %rsp. */
static void test_x86_64_pushed(void **state)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3 };
	static const struct go_value frames[] = { { 0, 1 }, { 8, 8 }, { 24, 9 }, { 0 } };
	struct go_table t = go_table_make(PD_GO_1_20, 8, 1, pd_is_big_endian(false));
	struct pd_go_func func;

	(void)state;
	/* Replace the table of frame sizes of the first function by one at the end. */
	struct pd_pclntab tab = read_table(&t);
	assert_true(pd_pclntab_func(&tab, 0, &func));
	enum { FRAME_TABLE = 16 };
	uint64_t entry = func.tables - 44;
	uint64_t added = go_put_values(&t, frames) - tab.values;
	go_set(&t, entry + FRAME_TABLE, added, 4);
	tab = read_table(&t);
	struct unw_cfi *cfi = create(&pd_arch_x86_64, &tab, code, sizeof(code));

	struct unw_row row = find(cfi, 0);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	row = find(cfi, 1);
	assert_int_equal(row.cfa_off, 16);
	check_rule(&row.regs[RBP], UNW_RULE_OFFSET, -16);
	row = find(cfi, 8);
	assert_int_equal(row.cfa_off, 32);
	check_rule(&row.regs[RBP], UNW_RULE_OFFSET, -16);
	unw_cfi_destroy(cfi);
	go_table_deinit(&t);
}

/* The link register is saved at the bottom of the frame, the frame pointer below it. */
static void test_aarch64(void **state)
{
	enum { FP = 29, LR = 30 };
	struct go_table t = go_table_make_flags(PD_GO_1_18, 8, 4, pd_is_big_endian(false), 0);
	struct pd_pclntab tab = read_table(&t);
	struct unw_cfi *cfi = create(&pd_arch_aarch64, &tab, NULL, 0);

	(void)state;
	struct unw_row row = find(cfi, 0);
	assert_int_equal(row.cfa_off, 0);
	check_rule(&row.regs[LR], UNW_RULE_SAME, 0);
	check_rule(&row.regs[FP], UNW_RULE_SAME, 0);
	row = find(cfi, 8);
	assert_int_equal(row.cfa_off, GO_FRAME);
	check_rule(&row.regs[LR], UNW_RULE_OFFSET, -GO_FRAME);
	check_rule(&row.regs[FP], UNW_RULE_OFFSET, -GO_FRAME - 8);
	unw_cfi_destroy(cfi);
	go_table_deinit(&t);
}

/* A function at the base of a stack has no return address. */
static void test_base(void **state)
{
	enum { LR = 14 };
	struct go_table t = go_table_make(PD_GO_1_16, 8, 2, !pd_is_big_endian(false));
	struct pd_pclntab tab = read_table(&t);
	struct unw_cfi *cfi = create(&pd_arch_s390x, &tab, NULL, 0);

	(void)state;
	struct unw_row row = find(cfi, 8);
	assert_int_equal(row.regs[LR].kind, UNW_RULE_UNDEFINED);
	/* Between CFA and stack pointer is the save area, which Go does not use. */
	assert_int_equal(row.cfa_off, GO_FRAME + 160);
	unw_cfi_destroy(cfi);
	go_table_deinit(&t);
}

/* The frame pointer is a register like any other on i386, where addresses have 4 bytes. */
static void test_i386(void **state)
{
	enum { EBP = 5, EIP = 8 };
	struct go_table t = go_table_make(PD_GO_1_2, 4, 1, pd_is_big_endian(false));
	struct pd_pclntab tab = read_table(&t);
	struct unw_cfi *cfi = create(&pd_arch_i386, &tab, NULL, 0);

	(void)state;
	struct unw_row row = find(cfi, 8);
	assert_int_equal(row.cfa_off, GO_FRAME + 4);
	check_rule(&row.regs[EIP], UNW_RULE_OFFSET, -4);
	assert_int_equal(row.regs[EBP].kind, UNW_RULE_UNSPECIFIED);
	unw_cfi_destroy(cfi);
	/* The table is one of another machine. */
	cfi = create(&pd_arch_x86_64, &tab, NULL, 0);
	check_none(cfi, 8);
	unw_cfi_destroy(cfi);
	go_table_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64_saved_in_frame),
		cmocka_unit_test(test_x86_64_not_saved),
		cmocka_unit_test(test_x86_64_pushed),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_i386),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
