/*
 * Compare every row of real binaries with that of libdw.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/array.h"
#include "tests/unit/unwind/elf.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/binary_rows.h"
#include "unwind/rules/cfi_row.h"

static bool is_same_expr(const struct unw_expr *expr, const Dwarf_Op *ops, size_t n_ops)
{
	return expr->len && n_ops && expr->bytes[0] == ops[0].atom;
}

static bool is_same_cfa(const struct unw_row *row, const Dwarf_Op *ops, size_t n_ops)
{
	if (row->cfa_expr.bytes)
		return is_same_expr(&row->cfa_expr, ops, n_ops);
	return n_ops == 1 && ops[0].atom == DW_OP_bregx && ops[0].number == row->cfa_reg &&
	       (int64_t)ops[0].number2 == row->cfa_off;
}

/** Match DW_OP_call_frame_cfa, followed by DW_OP_plus_uconst unless the offset is 0. */
static bool is_cfa_plus(int64_t off, const Dwarf_Op *ops, size_t n_ops)
{
	if (!n_ops || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	return n_ops == 1 ? off == 0
			  : ops[1].atom == DW_OP_plus_uconst && (int64_t)ops[1].number == off;
}

static bool is_same_rule(
	const struct unw_rule *rule, const Dwarf_Op *mem, const Dwarf_Op *ops, size_t n_ops)
{
	switch (rule->kind) {
	case UNW_RULE_UNSPECIFIED:
		return n_ops == 0;
	case UNW_RULE_UNDEFINED:
		return n_ops == 0 && ops == mem;
	case UNW_RULE_SAME:
		/*
		 * ops is not tested: elfutils confuses rbx with register 0 in its callee-saved
		 * list.
		 */
		return n_ops == 0;
	case UNW_RULE_OFFSET:
		return is_cfa_plus(rule->off, ops, n_ops);
	case UNW_RULE_VAL_OFFSET:
		return n_ops > 1 && ops[n_ops - 1].atom == DW_OP_stack_value &&
		       is_cfa_plus(rule->off, ops, n_ops - 1);
	case UNW_RULE_REGISTER:
		return n_ops == 1 && ops[0].atom == DW_OP_regx && ops[0].number == rule->reg;
	case UNW_RULE_AT_REGISTER:
		/* Only the analysis of instructions makes this rule. */
		return false;
	case UNW_RULE_EXPR:
	case UNW_RULE_VAL_EXPR:
		/* libdw prepends the CFA. */
		return n_ops > 1 && ops[0].atom == DW_OP_call_frame_cfa &&
		       is_same_expr(&rule->expr, ops + 1, n_ops - 1);
	}
	return false;
}

static void compare_row(const struct unw_row *row, Dwarf_Frame *frame, uint64_t addr)
{
	Dwarf_Op mem[3];
	Dwarf_Op *ops;
	size_t n_ops;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &n_ops), 0);
	if (!is_same_cfa(row, ops, n_ops))
		fail_msg("CFA differs at 0x%lx", (unsigned long)addr);
	for (int reg = 0; reg < unw_arch_x86_64.n_regs; reg++) {
		assert_int_equal(dwarf_frame_register(frame, reg, mem, &ops, &n_ops), 0);
		if (!is_same_rule(&row->regs[reg], mem, ops, n_ops))
			fail_msg("register %d differs at 0x%lx: ours %d, %zu ops%s", reg,
				(unsigned long)addr, row->regs[reg].kind, n_ops,
				ops == mem ? " in place" : "");
	}
}

/** Compare the rows at @p addr. Returns the end of the row, or the next address without a row. */
static uint64_t compare_at(const struct unw_binary *binary, Dwarf_CFI *theirs, uint64_t addr)
{
	enum unw_cfi_result result;
	struct unw_row row;
	Dwarf_Frame *frame;
	Dwarf_Addr start;
	Dwarf_Addr end;
	bool is_signal;

	assert_null(unw_binary_find_row(binary, addr, false, &result, &row));
	if (dwarf_cfi_addrframe(theirs, addr, &frame) != 0) {
		assert_int_equal(result, UNW_CFI_NONE);
		return addr + 1;
	}
	assert_int_equal(result, UNW_CFI_ROW);
	assert_int_equal(dwarf_frame_info(frame, &start, &end, &is_signal), row.ra_column);
	/* In libdw DW_CFA_restore_state also restores the start of the row. */
	assert_true(start <= row.start && row.start <= addr);
	assert_int_equal(end, row.end);
	assert_int_equal(is_signal, row.is_signal);
	compare_row(&row, frame, addr);
	free(frame);
	return end;
}

static bool is_of_x86_64(const struct test_elf *f)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(f->elf, &ehdr) && ehdr.e_machine == EM_X86_64;
}

static size_t compare_text(
	const struct unw_binary_input *input, Dwarf_CFI *theirs, uint64_t from, uint64_t to)
{
	struct unw_binary *binary;
	size_t n = 0;

	assert_null(unw_binary_create(input, &binary));
	for (uint64_t addr = from; addr < to; n++)
		addr = compare_at(binary, theirs, addr);
	unw_binary_destroy(binary);
	return n;
}

static void compare_binary(const char *path)
{
	struct test_elf f;

	if (!test_elf_open(path, &f)) {
		print_message("%s: not here, skipped\n", path);
		return;
	}
	if (!is_of_x86_64(&f)) {
		print_message("%s: of another architecture, skipped\n", path);
		test_elf_close(&f);
		return;
	}
	Dwarf_CFI *theirs = dwarf_getcfi_elf(f.elf);
	assert_non_null(theirs);
	size_t n = compare_text(&f.input, theirs, f.text_start, f.text_end);
	f.input.eh_frame_hdr = (struct unw_section){ 0 };
	assert_int_equal(compare_text(&f.input, theirs, f.text_start, f.text_end), n);
	print_message("%s: %zu rows and gaps\n", path, n);
	dwarf_cfi_end(theirs);
	test_elf_close(&f);
}

static void test_binaries(void **state)
{
	static const char *const paths[] = {
		"/proc/self/exe",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/x86_64-linux-gnu/libdw.so.1",
		"/usr/bin/python3",
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(paths); i++)
		compare_binary(paths[i]);
}

/** Compile @p source with @p flags to a file in @p dir. Returns false without a compiler. */
static bool compile(const char *dir, const char *flags, const char *source, char path_ret[256])
{
	char command[1024];

	snprintf(path_ret, 256, "%s/binary", dir);
	snprintf(command, sizeof(command), "printf '%%s' '%s' | cc -w -x c %s -o %s - 2>/dev/null",
		source, flags, path_ret);
	return system(command) == 0;
}

static void compare_debug_frame(const char *path)
{
	struct test_elf f;

	assert_true(test_elf_open(path, &f));
	if (!is_of_x86_64(&f)) {
		print_message("the compiler is for another architecture, skipped\n");
		test_elf_close(&f);
		return;
	}
	Dwarf *dwarf = dwarf_begin_elf(f.elf, DWARF_C_READ, NULL);
	assert_non_null(dwarf);
	Dwarf_CFI *theirs = dwarf_getcfi(dwarf);
	assert_non_null(theirs);
	assert_non_null(f.input.debug_frame.data);
	f.input.eh_frame = (struct unw_section){ 0 };
	f.input.eh_frame_hdr = (struct unw_section){ 0 };
	size_t n = compare_text(&f.input, theirs, f.text_start, f.text_end);
	print_message("%s: %zu rows and gaps\n", path, n);
	dwarf_end(dwarf);
	test_elf_close(&f);
}

static void test_debug_frame(void **state)
{
	static const char source[] =
		"int f(int *p); int g(int a) { volatile int b[100]; b[a] = a; return b[a / 2]; }"
		"int h(int a) { int x[a]; return f(x) + 1; } int f(int *p) { return g(*p); }"
		"int main(void) { return h(3); }";
	static const char *const flags[] = {
		"-g -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables",
		"-g -O0 -gdwarf-5 -fno-asynchronous-unwind-tables -fno-unwind-tables",
		"-g -O1 -gdwarf-2 -fno-asynchronous-unwind-tables -fno-unwind-tables",
	};
	char dir[] = "/tmp/test_unw_XXXXXX";
	char path[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < PD_ARRAY_LEN(flags); i++) {
		if (!compile(dir, flags[i], source, path)) {
			print_message("no compiler, skipped\n");
			continue;
		}
		compare_debug_frame(path);
		unlink(path);
	}
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_binaries),
		cmocka_unit_test(test_debug_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
