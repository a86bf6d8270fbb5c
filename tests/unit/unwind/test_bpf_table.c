/*
 * Tests of unwind/bpf_table.h and bpf/walk.h: the rows of a real binary against the steps of the
 * unwinder, and the stacks of recordings against its stacks.
 */
#include "tests/unit/test_recording.h"

#include "tests/unit/unwind/elf.h"
#include "tests/unwind/table_walk.h"
#include "unwind/rules/step.h"

/* A program of this machine with all that a table has; skipped if there is none. */
static const char libc_path[] = "/lib/x86_64-linux-gnu/libc.so.6";

static bool open_libc(struct test_elf *f, struct unw_binary **cfi_ret)
{
	if (!test_elf_open(libc_path, f))
		return false;
	assert_ok(unw_binary_create(&f->input, cfi_ret));
	return true;
}

static uint8_t kind_of(uint8_t step)
{
	static const uint8_t kinds[] = {
		[UNW_STEP_SP] = BW_ROW_SP,
		[UNW_STEP_FP] = BW_ROW_FP,
		[UNW_STEP_FP_DEREF] = BW_ROW_FP_DEREF,
		[UNW_STEP_ROOT] = BW_ROW_ROOT,
	};

	return kinds[step];
}

/* Compare @p found, the row of @p addr, with the step of the unwinder. Returns whether it has one. */
static bool expect_row(const struct unw_binary *binary, uint64_t addr, const struct bw_row *found)
{
	enum unw_cfi_result result;
	struct unw_row row;

	assert_ok(unw_binary_find_row(binary, addr, false, &result, &row));
	if (result == UNW_CFI_NONE) {
		assert_int_equal(found->kind, BW_ROW_GAP);
		return false;
	}
	assert_int_equal(result, UNW_CFI_ROW);
	const struct unw_step step = unw_step_from_row(&unw_arch_x86_64, &row, addr);
	if (step.kind == UNW_STEP_FULL)
		return false;
	if (found->kind != BW_ROW_PLT)
		assert_int_equal(found->kind, kind_of((uint8_t)step.kind));
	int more = found->kind == BW_ROW_PLT && (addr & 15) >= found->detail ? 8 : 0;
	assert_int_equal(found->cfa_off + more, step.cfa_off);
	assert_int_equal(found->ra_off, step.ra_off);
	assert_int_equal(found->fp_off, step.fp_off);
	return true;
}

static void rows_of_libc(void **state)
{
	const struct bw_row *last = NULL;
	struct unw_table *table;
	struct test_elf f;
	struct unw_binary *binary;
	size_t n_kinds[BW_N_ROW_KINDS] = { 0 };
	size_t n = 0;

	(void)state;
	if (!open_libc(&f, &binary))
		skip();
	assert_ok(unw_table_create(binary, false, &table));
	assert_true(table->rows.n > 10000);
	for (size_t i = 0; i < table->rows.n; i++) {
		const struct bw_row *row = &table->rows.data[i];
		uint64_t start = table->base + row->start;

		assert_true(!last || last->start < row->start);
		last = row;
		n_kinds[row->kind]++;
		n += expect_row(binary, start, row);
		if (i + 1 == table->rows.n)
			break;
		uint64_t end = table->base + row[1].start;
		n += expect_row(binary, end - 1, row);
		n += expect_row(binary, start + (end - start) / 2, row);
		assert_ptr_equal(unw_table_find(table, start), row);
		assert_ptr_equal(unw_table_find(table, end - 1), row);
	}
	assert_true(n > 30000);
	assert_int_equal(last->kind, BW_ROW_GAP);
	assert_null(unw_table_find(table, table->base - 1));
	assert_true(n_kinds[BW_ROW_SIGNAL] && n_kinds[BW_ROW_ROOT] && n_kinds[BW_ROW_PLT]);
	/* Few frames need an expression or a register that is not followed. */
	assert_true(100 * n_kinds[BW_ROW_END] < table->rows.n);
	unw_table_destroy(table);
	unw_binary_destroy(binary);
	test_elf_close(&f);
}

/* Code without call frame information: the entry point, a PLT, and a trampoline in a gap. */
static void code_without_rows(void **state)
{
	enum { TEXT = 0x1000, PLT = 0x800, TRAMPOLINE = 0x1104, ENTRY_SIZE = 0x24, HLT = 0xf4 };
	static uint8_t code[0x200];
	static const uint8_t restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	const struct unw_binary_input input = {
		.arch = &base_arch_x86_64,
		.text = { .data = code, .size = sizeof(code), .vaddr = TEXT },
		.plts = { .list = { { .start = PLT, .end = PLT + 0x30 } }, .has_header = true },
		.entry_vaddr = TEXT,
	};
	struct unw_table *table;
	struct unw_binary *binary;

	(void)state;
	memset(code, 0x90, sizeof(code));
	memcpy(code + (TRAMPOLINE - TEXT), restorer, sizeof(restorer));
	code[ENTRY_SIZE - 1] = HLT;
	assert_ok(unw_binary_create(&input, &binary));
	assert_ok(unw_table_create(binary, false, &table));
	assert_int_equal(table->base, PLT);
	/* The header pushes a word at its start, and has one of the entry on the stack. */
	assert_int_equal(unw_table_find(table, PLT)->cfa_off, 16);
	assert_int_equal(unw_table_find(table, PLT + 6)->cfa_off, 24);
	const struct bw_row *entry = unw_table_find(table, PLT + 16);
	assert_int_equal(entry->kind, BW_ROW_PLT);
	assert_int_equal(entry->cfa_off, 8);
	assert_int_equal(entry->detail, 11);
	assert_ptr_equal(unw_table_find(table, PLT + 0x2f), entry);
	assert_int_equal(unw_table_find(table, PLT + 0x30)->kind, BW_ROW_GAP);
	assert_int_equal(unw_table_find(table, TEXT)->kind, BW_ROW_ENTRY);
	assert_int_equal(unw_table_find(table, TEXT + ENTRY_SIZE - 1)->kind, BW_ROW_ENTRY);
	assert_int_equal(unw_table_find(table, TEXT + ENTRY_SIZE)->kind, BW_ROW_GAP);
	const struct bw_row *before = unw_table_find(table, TRAMPOLINE - 1);
	assert_int_equal(before->kind, BW_ROW_SIGNAL);
	assert_true(before->flags & BW_ROW_IF_RETURNED);
	const struct bw_row *inside = unw_table_find(table, TRAMPOLINE + 7);
	assert_int_equal(inside->kind, BW_ROW_SIGNAL);
	assert_false(inside->flags & BW_ROW_IF_RETURNED);
	const struct bw_row *after = unw_table_find(table, TRAMPOLINE + sizeof(restorer));
	assert_int_equal(after->kind, BW_ROW_GAP);
	assert_true(after->flags & BW_ROW_AFTER_SYSCALL);
	unw_table_destroy(table);
	unw_binary_destroy(binary);
}

struct totals {
	size_t n;
	size_t n_frames;
};

static void expect_equal(void *ctx, const struct table_walk_stack *stack)
{
	struct totals *totals = ctx;
	const struct unw_stack *unwound = stack->unwound;

	assert_int_equal(stack->env->walk.n, unwound->frames.n);
	for (size_t i = 0; i < unwound->frames.n; i++)
		assert_int_equal(stack->env->pcs[i],
			unw_walker_frame(stack->walker, unwound->frames.data[i])->pc);
	if (unwound->end == PD_UNWIND_END_ROOT)
		assert_int_equal(stack->env->walk.end, BW_END_ROOT);
	totals->n++;
	totals->n_frames += unwound->frames.n;
}

static void stacks_of_recordings(void **state)
{
	static const char *const names[] = { "cxx", "deep", "nested", "signal", "threads",
		"forkexec" };
	struct totals totals = { 0 };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		char dir[64], path[80];
		const struct sym_search search = {
			.symfs = "/nonexistent", .debug_dirs = dir, .buildid_dir = "/nonexistent"
		};
		struct pd_file *file;

		snprintf(dir, sizeof(dir), "testdata/%s", names[i]);
		snprintf(path, sizeof(path), "%s/perf.data", dir);
		assert_ok(pd_file_open(path, NULL, &file));
		assert_ok(table_walk_file(file, &search, expect_equal, &totals));
		pd_file_close(file);
	}
	assert_true(totals.n > 400);
	assert_true(totals.n_frames > 4 * totals.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_libc),
		cmocka_unit_test(code_without_rows),
		cmocka_unit_test(stacks_of_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
