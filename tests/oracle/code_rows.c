/*
 * Compare the rows that the analysis of instructions finds with those of the call frame
 * information. Reads hexadecimal addresses of instructions, one per line, with "c" after the last
 * byte of a call, and "l" where the return address was loaded into the link register, but is still
 * in the frame: either rule is right then. Prints how many rows are the same, and COUNT of those
 * that differ. Fails if more than one of 200 is wrong: there are a few in which the call frame
 * information is, or in which a jump to a computed address cannot be followed.
 *
 * usage: code_rows BINARY [COUNT]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/binary.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/binary_rows.h"
#include "unwind/rules/cfi_row.h"

enum result { SAME, OTHER_BASE, NONE, REGS, WRONG, N_RESULTS };

struct run {
	struct sym_binary *binary;
	const struct unw_arch *arch;
	struct unw_binary *cfi;
	/** Without call frame information. */
	struct unw_binary *code;
	struct unw_section text;
	size_t n[2][N_RESULTS];
	long n_shown;
};

static int fail(struct pd_error *err)
{
	char *text = pd_error_string(err);

	fprintf(stderr, "%s\n", text ? text : "no memory");
	free(text);
	pd_error_destroy(err);
	return 2;
}

static struct unw_section section(struct sym_binary *binary, const char *name)
{
	struct sym_section found;

	if (!sym_binary_section(binary, name, &found))
		return (struct unw_section){ 0 };
	return (struct unw_section){ .data = found.data, .size = found.size, .vaddr = found.vaddr };
}

static struct pd_error *open_binary(struct run *run, const char *path)
{
	const struct sym_recorded recorded = { .name = path };
	struct sym_search search = { 0 };
	struct pd_error *err = sym_binary_open(&search, &recorded, &run->binary);

	if (err)
		return err;
	run->text = section(run->binary, ".text");
	const struct unw_binary_input input = {
		.arch = sym_binary_arch(run->binary),
		.eh_frame = section(run->binary, ".eh_frame"),
		.eh_frame_hdr = section(run->binary, ".eh_frame_hdr"),
		.debug_frame = section(run->binary, ".debug_frame"),
	};
	const struct unw_binary_input code = { .arch = input.arch, .text = run->text };
	run->arch = unw_arch_find(input.arch);
	err = unw_binary_create(&code, &run->code);
	return err ? err : unw_binary_create(&input, &run->cfi);
}

/** Whether a register has its value of the caller. Slots below the stack pointer were released. */
static bool is_in_place(const struct unw_arch *arch, const struct unw_row *row, uint8_t reg)
{
	const struct unw_rule *rule = &row->regs[reg];

	if (rule->kind == UNW_RULE_SAME)
		return true;
	return rule->kind == UNW_RULE_OFFSET && row->cfa_reg == arch->sp && !arch->has_red_zone &&
	       row->cfa_off - arch->cfa_above_sp + rule->off < 0;
}

static bool is_same_rule(
	const struct unw_arch *arch, const struct unw_row *a, const struct unw_row *b, uint8_t reg)
{
	if (is_in_place(arch, a, reg) && is_in_place(arch, b, reg))
		return true;
	return a->regs[reg].kind == b->regs[reg].kind && a->regs[reg].off == b->regs[reg].off;
}

static enum result compare(const struct unw_arch *arch, const struct unw_row *cfi,
	const struct unw_row *code, bool is_loaded)
{
	bool is_in_both = is_loaded && cfi->regs[arch->ra].kind == UNW_RULE_OFFSET &&
			  code->regs[arch->ra].kind == UNW_RULE_SAME;

	if (cfi->cfa_expr.bytes || cfi->cfa_reg != code->cfa_reg || code->is_cfa_in_memory)
		return OTHER_BASE;
	if (cfi->cfa_off != code->cfa_off ||
		!(is_in_both || is_same_rule(arch, cfi, code, arch->ra)))
		return WRONG;
	for (size_t i = 0; i < arch->defaults.n; i++) {
		uint8_t reg = arch->defaults.data[i].reg;

		if (arch->defaults.data[i].rule.kind == UNW_RULE_SAME &&
			!is_same_rule(arch, cfi, code, reg))
			return REGS;
	}
	return SAME;
}

static void show(struct run *run, enum result result, uint64_t addr, bool is_at_call,
	const struct unw_row *cfi, const struct unw_row *code)
{
	static const char *const names[] = { "same", "other base", "none", "registers", "WRONG" };

	if (result < NONE || run->n_shown-- <= 0)
		return;
	printf("%llx%s %s", (unsigned long long)addr, is_at_call ? "c" : "", names[result]);
	printf(" cfi %d%+d", (int)cfi->cfa_reg, (int)cfi->cfa_off);
	if (result != NONE)
		printf(" code %d%+d", (int)code->cfa_reg, (int)code->cfa_off);
	putchar('\n');
}

static struct pd_error *check(struct run *run, uint64_t addr, bool is_at_call, bool is_loaded)
{
	enum unw_cfi_result found;
	enum unw_cfi_result found_code;
	struct unw_row cfi;
	struct unw_row code;
	enum result result = NONE;
	struct pd_error *err = unw_binary_find_row(run->cfi, addr, is_at_call, &found, &cfi);

	if (err || found != UNW_CFI_ROW || cfi.regs[cfi.ra_column].kind == UNW_RULE_UNDEFINED ||
		cfi.is_signal)
		return err;
	err = unw_binary_find_row(run->code, addr, is_at_call, &found_code, &code);
	if (err)
		return err;
	if (found_code == UNW_CFI_ROW)
		result = compare(run->arch, &cfi, &code, is_loaded);
	run->n[is_at_call][result]++;
	show(run, result, addr, is_at_call, &cfi, &code);
	return NULL;
}

int main(int argc, char **argv)
{
	struct run run = { 0 };
	struct pd_error *err = argc < 2 ? NULL : open_binary(&run, argv[1]);
	char line[64];
	char *end;

	if (argc < 2 || err)
		return err ? fail(err) : 2;
	run.n_shown = argc > 2 ? atol(argv[2]) : 0;
	while (!err && fgets(line, sizeof(line), stdin)) {
		uint64_t addr = strtoull(line, &end, 16);

		if (addr - run.text.vaddr < run.text.size)
			err = check(&run, addr, strcmp(end, " c\n") == 0, strcmp(end, " l\n") == 0);
	}
	if (err)
		return fail(err);
	size_t n = 0;
	size_t n_wrong = 0;
	for (int i = 0; i < 2; i++) {
		printf("%-6s same %zu, other base %zu, none %zu, registers differ %zu, wrong %zu\n",
			i ? "calls" : "leaves", run.n[i][SAME], run.n[i][OTHER_BASE],
			run.n[i][NONE], run.n[i][REGS], run.n[i][WRONG]);
		n += run.n[i][SAME];
		n_wrong += run.n[i][WRONG];
	}
	unw_binary_destroy(run.cfi);
	unw_binary_destroy(run.code);
	sym_binary_destroy(run.binary);
	return n_wrong * 200 > n;
}
