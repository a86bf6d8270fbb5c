#include "tests/unit/test.h"

#include "tests/unit/made_go_table.h"
#include "tests/unit/unwind/bytes.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/binary_rows.h"
#include "unwind/rules/cfi_row.h"

static struct unw_binary *create(const struct pd_arch *arch, const struct base_pclntab *tab,
	const uint8_t *code, size_t size)
{
	struct unw_binary_input input = {
		.arch = arch,
		.go = tab,
		.text = { .data = code, .size = size, .vaddr = GO_TEXT },
	};
	struct unw_binary *binary;

	assert_ok(unw_binary_create(&input, &binary));
	return binary;
}

static struct base_pclntab read_table(const struct go_table *t)
{
	struct base_pclntab tab;

	assert_true(base_pclntab_init(t->bytes.buf.data, t->bytes.buf.n, t->bytes.swap, &tab));
	return tab;
}

static struct unw_row find(const struct unw_binary *binary, uint64_t off)
{
	enum unw_cfi_result result;
	struct unw_row row;

	assert_ok(unw_binary_find_row(binary, GO_TEXT + off, false, &result, &row));
	assert_int_equal(result, UNW_CFI_ROW);
	assert_true(row.start <= GO_TEXT + off && GO_TEXT + off < row.end);
	assert_int_equal(row.cfa_reg, binary->arch->sp);
	assert_false(row.is_guess || row.is_inexact || row.is_signal);
	return row;
}

static void check_rule(const struct unw_rule *rule, enum unw_rule_kind kind, int64_t off)
{
	assert_int_equal(rule->kind, kind);
	assert_int_equal(rule->off, off);
}

static void check_none(const struct unw_binary *binary, uint64_t off)
{
	enum unw_cfi_result result;
	struct unw_row row;

	assert_ok(unw_binary_find_row(binary, GO_TEXT + off, false, &result, &row));
	assert_int_equal(result, UNW_CFI_NONE);
}

enum { RBX = 3, RBP = 6, RA = 16 };

/* Until Go 1.20: sub $24, %rsp; mov %rbp, 16(%rsp); lea 16(%rsp), %rbp. */
static void test_x86_64_saved_in_frame(void **state)
{
	static const uint8_t code[GO_LEAF_END] = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24,
		0x10, 0x48, 0x8d, 0x6c, 0x24, 0x10 };
	struct go_table t = go_table_make(PD_GO_1_18, 8, 1, pd_is_big_endian(false));
	struct base_pclntab tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_x86_64, &tab, code, sizeof(code));

	(void)state;
	struct unw_row row = find(binary, 3);
	assert_int_equal(row.cfa_off, 8);
	check_rule(&row.regs[RA], UNW_RULE_OFFSET, -8);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	row = find(binary, 4);
	assert_int_equal(row.cfa_off, GO_FRAME + 8);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	assert_int_equal(row.end, GO_TEXT + 9);
	row = find(binary, 9);
	assert_int_equal(row.start, GO_TEXT + 9);
	check_rule(&row.regs[RBP], UNW_RULE_OFFSET, -16);
	/* Go code does not preserve registers. */
	assert_int_equal(row.regs[RBX].kind, UNW_RULE_UNSPECIFIED);
	row = find(binary, 0x30);
	assert_int_equal(row.cfa_off, 8);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	/* Padding, and a function without a table of frame sizes. */
	check_none(binary, GO_CODE_END);
	check_none(binary, GO_OUTER_END);
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/* Functions are where their frames are described: it is asked whether two frames are in one. */
static void test_ranges(void **state)
{
	struct go_table t = go_table_make(PD_GO_1_20, 8, 1, pd_is_big_endian(false));
	struct base_pclntab tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_x86_64, &tab, NULL, 0);
	struct unw_range range;
	bool is_same;

	(void)state;
	assert_ok(unw_binary_find_fde(binary, GO_TEXT + 8, &range));
	assert_int_equal(range.start, GO_TEXT);
	assert_int_equal(range.end, GO_TEXT + GO_OUTER_END);
	assert_ok(unw_binary_is_same_function(binary, GO_TEXT, GO_TEXT + 0x20, &is_same));
	assert_true(is_same);
	assert_ok(unw_binary_is_same_function(binary, GO_TEXT, GO_TEXT + GO_OUTER_END, &is_same));
	assert_false(is_same);
	/* A function without frame sizes, and no function. */
	for (uint64_t off = GO_OUTER_END; off <= GO_LEAF_END; off++) {
		assert_ok(unw_binary_find_fde(binary, GO_TEXT + off, &range));
		assert_int_equal(range.start, range.end);
	}
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/* A store elsewhere, and code that is not in the file: nothing is known about the register. */
static void test_x86_64_not_saved(void **state)
{
	static const uint8_t code[GO_LEAF_END] = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24,
		0x08 };
	struct go_table t = go_table_make(PD_GO_1_20, 8, 1, pd_is_big_endian(false));
	struct base_pclntab tab = read_table(&t);

	(void)state;
	for (size_t size = 0; size <= sizeof(code); size++) {
		struct unw_binary *binary = create(&base_arch_x86_64, &tab, code, size);
		struct unw_row row = find(binary, 0x20);

		assert_int_equal(row.cfa_off, GO_FRAME + 8);
		check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
		unw_binary_destroy(binary);
	}
	go_table_deinit(&t);
}

/* Since Go 1.21: push %rbp; mov %rsp, %rbp; sub $16, %rsp. */
static void test_x86_64_pushed(void **state)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3 };
	static const struct go_value frames[] = { { 0, 1 }, { 8, 8 }, { 24, 9 }, { 0 } };
	struct go_table t = go_table_make(PD_GO_1_20, 8, 1, pd_is_big_endian(false));
	struct base_go_func func;

	(void)state;
	/* Replace the table of frame sizes of the first function by one at the end. */
	struct base_pclntab tab = read_table(&t);
	assert_true(base_pclntab_func(&tab, 0, &func));
	enum { FRAME_TABLE = 16 };
	uint64_t entry = func.tables - 44;
	uint64_t added = go_put_values(&t, frames) - tab.values;
	go_set(&t, entry + FRAME_TABLE, added, 4);
	tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_x86_64, &tab, code, sizeof(code));

	struct unw_row row = find(binary, 0);
	check_rule(&row.regs[RBP], UNW_RULE_SAME, 0);
	row = find(binary, 1);
	assert_int_equal(row.cfa_off, 16);
	check_rule(&row.regs[RBP], UNW_RULE_OFFSET, -16);
	row = find(binary, 8);
	assert_int_equal(row.cfa_off, 32);
	check_rule(&row.regs[RBP], UNW_RULE_OFFSET, -16);
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/* The link register is saved at the bottom of the frame, the frame pointer below it. */
static void test_aarch64(void **state)
{
	enum { FP = 29, LR = 30 };
	struct go_table t = go_table_make_named(4, NULL);
	struct base_pclntab tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_aarch64, &tab, NULL, 0);

	(void)state;
	struct unw_row row = find(binary, 0);
	assert_int_equal(row.cfa_off, 0);
	check_rule(&row.regs[LR], UNW_RULE_SAME, 0);
	check_rule(&row.regs[FP], UNW_RULE_SAME, 0);
	row = find(binary, 8);
	assert_int_equal(row.cfa_off, GO_FRAME);
	check_rule(&row.regs[LR], UNW_RULE_OFFSET, -GO_FRAME);
	check_rule(&row.regs[FP], UNW_RULE_OFFSET, -GO_FRAME - 8);
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/* A function at the base of a stack has no return address. */
static void test_base(void **state)
{
	enum { LR = 14 };
	struct go_table t = go_table_make(PD_GO_1_16, 8, 2, !pd_is_big_endian(false));
	struct base_pclntab tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_s390x, &tab, NULL, 0);

	(void)state;
	struct unw_row row = find(binary, 8);
	assert_int_equal(row.regs[LR].kind, UNW_RULE_UNDEFINED);
	/* Between CFA and stack pointer is the save area, which Go does not use. */
	assert_int_equal(row.cfa_off, GO_FRAME + 160);
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/*
 * Go's call frame information calls CFA what is the caller's stack pointer. On s390x the CFA is 160
 * bytes above that, so Go's table comes first there.
 */
static void test_s390x_has_frames(void **state)
{
	enum { SP = 15, LR = 14 };
	static const uint8_t cie[] = { 0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0x78, LR, DW_CFA_def_cfa,
		SP, GO_FRAME };
	struct go_table t = go_table_make(PD_GO_1_18, 8, 2, !pd_is_big_endian(false));
	struct base_pclntab tab = read_table(&t);
	struct test_bytes b = { .n = 0, .is_big_endian = true };
	struct unw_binary *binary;

	(void)state;
	put(&b, sizeof(cie), 4);
	put_bytes(&b, cie, sizeof(cie));
	put(&b, 20, 4);
	put(&b, 0, 4);
	put(&b, GO_TEXT, 8);
	put(&b, 0x1000, 8);
	struct unw_binary_input input = {
		.arch = &base_arch_s390x, .go = &tab, .debug_frame = { .data = b.data, .size = b.n }
	};
	assert_ok(unw_binary_create(&input, &binary));
	assert_int_equal(find(binary, 8).cfa_off, GO_FRAME + 160);
	/* Code that is not Go's. */
	assert_int_equal(find(binary, GO_LEAF_END).cfa_off, GO_FRAME);
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/* The frame pointer is a register like any other on i386, where addresses have 4 bytes. */
static void test_i386(void **state)
{
	enum { EBP = 5, EIP = 8 };
	struct go_table t = go_table_make(PD_GO_1_2, 4, 1, pd_is_big_endian(false));
	struct base_pclntab tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_i386, &tab, NULL, 0);

	(void)state;
	struct unw_row row = find(binary, 8);
	assert_int_equal(row.cfa_off, GO_FRAME + 4);
	check_rule(&row.regs[EIP], UNW_RULE_OFFSET, -4);
	assert_int_equal(row.regs[EBP].kind, UNW_RULE_UNSPECIFIED);
	unw_binary_destroy(binary);
	/* The table is one of another machine. */
	binary = create(&base_arch_x86_64, &tab, NULL, 0);
	check_none(binary, 8);
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/*
 * runtime.nanotime1 of Go 1.19, shortened: it calls on another stack, and keeps its stack pointer in
 * r12 there. After the return it does the same by a system call.
 */
static void test_x86_64_switch(void **state)
{
	static const uint8_t code[GO_LEAF_END] = {
		[0x00] = 0x48,
		0x83,
		0xec,
		0x18, /* sub $0x18, %rsp */
		[0x04] = 0x48,
		0x89,
		0x6c,
		0x24,
		0x10, /* mov %rbp, 0x10(%rsp) */
		[0x09] = 0x49,
		0x89,
		0xe4, /* mov %rsp, %r12 */
		[0x0c] = 0x48,
		0x8b,
		0x62,
		0x38, /* mov 0x38(%rdx), %rsp */
		[0x10] = 0xff,
		0xd0, /* call *%rax */
		[0x12] = 0x4c,
		0x89,
		0xe4, /* mov %r12, %rsp */
		[0x15] = 0x90,
		[0x30] = 0xc3, /* ret */
		[0x31] = 0x0f,
		0x05, /* syscall */
	};
	struct go_table t = go_table_make_named(1, "runtime.nanotime1");
	struct base_pclntab tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_x86_64, &tab, code, sizeof(code));
	enum unw_cfi_result result;
	struct unw_row row;
	enum { R12 = 12, RSP = 7 };

	(void)state;
	for (uint64_t off = 0; off < GO_CODE_END; off++) {
		bool is_kept = (off >= 0x0c && off < 0x15) || off > 0x30;

		assert_ok(unw_binary_find_row(binary, GO_TEXT + off, false, &result, &row));
		assert_int_equal(result, UNW_CFI_ROW);
		assert_int_equal(row.cfa_reg, is_kept ? R12 : RSP);
		if (is_kept) {
			assert_int_equal(row.cfa_off, GO_FRAME + 8);
			check_rule(&row.regs[RA], UNW_RULE_OFFSET, -8);
			check_rule(&row.regs[RBP], UNW_RULE_OFFSET, -16);
		}
	}
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

static void test_aarch64_switch(void **state)
{
	/* mov x20, sp; mov x1, sp; mov sp, x1; blr x2; mov sp, x20 */
	static const uint32_t insns[] = { 0xd503201f, 0x910003f4, 0x910003e1, 0x9100003f,
		0xd63f0040, 0x9100029f };
	uint8_t code[GO_LEAF_END] = { 0 };
	struct go_table t = go_table_make_named(4, "time.now");
	struct base_pclntab tab = read_table(&t);
	enum { X20 = 20, SP = 31, LR = 30 };

	(void)state;
	for (size_t i = 0; i < sizeof(insns); i++)
		code[i] = (uint8_t)(insns[i / 4] >> 8 * (i % 4));
	struct unw_binary *binary = create(&base_arch_aarch64, &tab, code, sizeof(code));
	for (uint64_t off = 0; off < 0x20; off += 4) {
		enum unw_cfi_result result;
		struct unw_row row;

		assert_ok(unw_binary_find_row(binary, GO_TEXT + off, true, &result, &row));
		assert_int_equal(row.cfa_reg, off >= 8 && off < 0x18 ? X20 : SP);
		if (off >= 8)
			check_rule(&row.regs[LR], UNW_RULE_OFFSET, -GO_FRAME);
	}
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

/* The caller of such a function was interrupted, so it is looked up at its own address. */
static void test_injected(void **state)
{
	struct go_table t = go_table_make_named(1, "runtime.asyncPreempt");
	struct base_pclntab tab = read_table(&t);
	struct unw_binary *binary = create(&base_arch_x86_64, &tab, NULL, 0);
	enum unw_cfi_result result;
	struct unw_row row;

	(void)state;
	assert_ok(unw_binary_find_row(binary, GO_TEXT + 8, true, &result, &row));
	assert_int_equal(result, UNW_CFI_ROW);
	assert_true(row.is_signal && !row.is_guess);
	unw_binary_destroy(binary);
	go_table_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64_saved_in_frame),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_x86_64_not_saved),
		cmocka_unit_test(test_x86_64_pushed),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_s390x_has_frames),
		cmocka_unit_test(test_i386),
		cmocka_unit_test(test_x86_64_switch),
		cmocka_unit_test(test_aarch64_switch),
		cmocka_unit_test(test_injected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
