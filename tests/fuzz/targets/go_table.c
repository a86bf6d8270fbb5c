/*
 * Go's table of functions: names, locations and rows. Input: a byte with flags, a piece with the
 * trees of inlined calls, a piece with code, and the table.
 */
#include <stdlib.h>

#include "symbolize/go/go_calls.h"
#include "symbolize/go/go_names.h"
#include "tests/fuzz/fuzz.h"
#include "unwind/go/go_frames.h"

enum { TEXT = 0x400000, DATA = 0x500000, N_ADDRS = 48 };

static void name(struct sym_go_table *table)
{
	struct sym_ranges ranges = { 0 };
	struct sym_new_ranges fresh = { 0 };
	struct sym_go_reader reader;
	struct sym_symbol symbol;
	struct pd_error *err = NULL;

	sym_go_reader_init(table, &ranges, &fresh, &reader);
	for (uint64_t i = 0; !err && i < N_ADDRS; i++) {
		uint64_t addr = table->functions.text + 8 * i;
		uint64_t start = 0, end = UINT64_MAX;

		sym_go_find_symbol(&reader, addr, &symbol);
		err = sym_go_read_location(&reader, addr, &start, &end);
		/* No range has the very last address, because its end does not belong to it. */
		if (!err && (addr < start || addr >= end) && addr != UINT64_MAX)
			__builtin_trap();
	}
	if (!err)
		err = sym_ranges_merge(&ranges, &fresh);
	if (!err && !sym_ranges_are_sound(&ranges))
		__builtin_trap();
	pd_error_destroy(err);
	sym_go_reader_deinit(&reader);
	sym_new_ranges_deinit(&fresh);
	sym_ranges_deinit(&ranges);
}

static void find_rows(const struct base_pclntab *table, const struct unw_section *text,
	const struct unw_arch *arch)
{
	struct unw_row row;

	for (uint64_t i = 0; i < N_ADDRS; i++) {
		(void)!unw_go_find_row(table, text, arch, table->text + 8 * i, &row);
		unw_go_find_range(table, table->text + 8 * i);
	}
}

void fuzz_target_go_table(struct fuzz_input *in)
{
	static const uint64_t bases[] = { DATA, DATA + 4 };
	uint8_t flags = fuzz_byte(in);
	struct fuzz_input trees = fuzz_piece(in), code = fuzz_piece(in);
	uint8_t *tree_bytes = fuzz_copy(&trees), *code_bytes = fuzz_copy(&code);
	uint8_t *bytes = fuzz_copy(in);
	struct sym_go_table table = { .swap = flags & 1 };
	const struct sym_section data = { tree_bytes, trees.size, DATA };
	const struct unw_section text = { .data = code_bytes, .size = code.size, .vaddr = TEXT };
	const struct pd_arch *arch = flags & 2 ? &base_arch_aarch64 : &base_arch_x86_64;

	if (base_pclntab_init(bytes, in->size, table.swap, &table.functions)) {
		if (!table.functions.text)
			table.functions.text = TEXT;
		if (!pd_vec_push(&table.data, data))
			abort();
		sym_go_trees_detect(&table, bases, 2);
		name(&table);
		find_rows(&table.functions, &text, unw_arch_find(arch));
	}
	sym_go_table_deinit(&table);
	free(tree_bytes);
	free(code_bytes);
	free(bytes);
}
