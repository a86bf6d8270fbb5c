/*
 * Compare the rows from Go's table of functions, in a stripped program, with those from the call
 * frame information of the same program before it was stripped, at each byte of Go code. Only CFA
 * and return address are compared, because Go's call frame information has nothing else. Prints how
 * many rows were compared, and each row that differs.
 *
 * usage: go_rows PROGRAM STRIPPED-PROGRAM
 */
#include <stdio.h>
#include <stdlib.h>

#include "symbolize/binary.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/binary_rows.h"
#include "unwind/go/go_frames.h"
#include "unwind/rules/cfi_row.h"

struct program {
	struct sym_binary *binary;
	const struct base_pclntab *go;
	struct unw_section text;
	/** .debug_frame alone. */
	struct unw_binary *cfi;
	const struct unw_arch *arch;
	bool has_frames;
};

static struct unw_section section(struct sym_binary *binary, const char *name)
{
	struct sym_section found;

	if (!sym_binary_section(binary, name, &found))
		return (struct unw_section){ 0 };
	return (struct unw_section){ .data = found.data, .size = found.size, .vaddr = found.vaddr };
}

static struct pd_error *open_program(const char *path, struct program *ret)
{
	static const struct sym_search search;
	const struct sym_recorded recorded = { .name = path };
	struct pd_error *err = sym_binary_open(&search, &recorded, &ret->binary);

	if (err)
		return err;
	err = sym_binary_go_functions(ret->binary, &ret->go);
	if (err)
		return err;
	const struct pd_arch *arch = sym_binary_arch(ret->binary);
	const struct unw_binary_input input = {
		.arch = arch,
		.debug_frame = section(ret->binary, ".debug_frame"),
	};
	ret->text = section(ret->binary, ".text");
	ret->has_frames = input.debug_frame.data;
	ret->arch = unw_arch_find(arch);
	return unw_binary_create(&input, &ret->cfi);
}

static void close_program(struct program *program)
{
	unw_binary_destroy(program->cfi);
	sym_binary_destroy(program->binary);
}

/* Distance of the caller's stack pointer, and of the return address, from a register. */
struct found {
	bool has_row;
	uint64_t reg;
	int64_t sp;
	/** Rule of the return address; ra is set if that is in memory. */
	enum unw_rule_kind ra_kind;
	int64_t ra;
};

static bool find_row(const struct program *program, uint64_t addr, struct unw_row *ret)
{
	enum unw_cfi_result result;

	if (!program->has_frames)
		return unw_go_find_row(program->go, &program->text, program->arch, addr, ret);
	struct pd_error *err = unw_binary_find_row(program->cfi, addr, false, &result, ret);
	pd_error_destroy(err);
	return !err && result == UNW_CFI_ROW;
}

static struct found find(const struct program *program, uint64_t addr)
{
	struct unw_row row;

	if (!find_row(program, addr, &row))
		return (struct found){ 0 };
	const struct unw_rule *ra = &row.regs[row.ra_column];
	struct found ret = {
		.has_row = true,
		.reg = row.cfa_reg,
		.sp = row.cfa_off,
		.ra_kind = ra->kind,
		.ra = ra->kind == UNW_RULE_OFFSET ? row.cfa_off + ra->off : 0,
	};
	/* Go's linker calls CFA what is the caller's stack pointer on every architecture. */
	if (!program->has_frames)
		ret.sp -= program->arch->cfa_above_sp;
	/*
	 * Go describes the last instruction of some functions by a frame of negative size. Its
	 * effect is that of no row.
	 */
	return ret.sp < 0 ? (struct found){ 0 } : ret;
}

static bool is_same(const struct found *a, const struct found *b)
{
	return a->has_row == b->has_row && a->reg == b->reg && a->sp == b->sp && a->ra == b->ra &&
	       a->ra_kind == b->ra_kind;
}

/* Returns whether all rows are the same. */
static bool compare(const struct program *full, const struct program *stripped)
{
	size_t n = 0, n_rows = 0, n_different = 0;
	struct base_go_func func;

	for (uint64_t i = 0; i < stripped->go->n_funcs; i++) {
		if (!base_pclntab_func(stripped->go, i, &func))
			continue;
		for (uint64_t addr = func.start; addr < func.end; addr++, n++) {
			struct found a = find(full, addr), b = find(stripped, addr);

			n_rows += b.has_row;
			if (is_same(&a, &b))
				continue;
			n_different++;
			printf("%#llx %s: row %d sp %lld ra %lld, stripped row %d sp %lld ra "
			       "%lld\n",
				(unsigned long long)addr, func.name, a.has_row, (long long)a.sp,
				(long long)a.ra, b.has_row, (long long)b.sp, (long long)b.ra);
		}
	}
	printf("%zu addresses, %zu rows, %zu different\n", n, n_rows, n_different);
	return n_rows > 10000 && !n_different;
}

int main(int argc, char **argv)
{
	struct program full = { 0 }, stripped = { 0 };

	if (argc != 3)
		return 2;
	struct pd_error *err = open_program(argv[1], &full);
	if (!err)
		err = open_program(argv[2], &stripped);
	if (err || !full.go || !stripped.go || !full.has_frames || stripped.has_frames) {
		fprintf(stderr, "cannot read the programs\n");
		pd_error_destroy(err);
		return 2;
	}
	bool ok = compare(&full, &stripped);
	close_program(&full);
	close_program(&stripped);
	return ok ? 0 : 1;
}
