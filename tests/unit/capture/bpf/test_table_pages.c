/* Tests of capture/bpf/table_pages.h: rows are found in pages as in the table, by bpf/search.h. */
#include "tests/unit/test_recording.h"

#include <stdlib.h>

#include "bpf/search.h"
#include "capture/bpf/table_pages.h"
#include "tests/unit/unwind/elf.h"
#include "unwind/bpf_table.h"

/* The memory of the program: pages in another order than in the list. */
struct memory {
	union bw_page *pages;
	size_t n;
	uint32_t top;
	uint32_t shift;
};

static void load(const struct unw_table *table, struct memory *ret)
{
	struct cap_pages pages = { 0 };

	assert_ok(cap_pages_make(table, &pages));
	assert_int_equal(pages.list.n, pages.n_rows + pages.n_index + 1);
	assert_int_equal(pages.base, table->base);
	ret->n = pages.list.n + 1;
	ret->shift = pages.shift;
	ret->pages = calloc(ret->n, sizeof(*ret->pages));
	uint32_t *numbers = calloc(pages.list.n, sizeof(*numbers));
	assert_true(ret->pages && numbers);
	for (size_t i = 0; i < pages.list.n; i++)
		numbers[i] = (uint32_t)(pages.list.n - i);
	for (size_t i = 0; i < pages.list.n; i++)
		cap_pages_copy(&pages, i, numbers, &ret->pages[numbers[i]]);
	ret->top = numbers[pages.list.n - 1];
	free(numbers);
	cap_pages_deinit(&pages);
}

/* Find a row as find_row() of bpf/sample.bpf.c does. NULL: a gap. */
static const struct bw_row *find(const struct memory *memory, uint32_t distance)
{
	uint32_t number = distance >> memory->shift;

	if (number >= BW_MAX_BLOCKS)
		return NULL;
	uint32_t index = memory->pages[memory->top].numbers[number / BW_PAGE_BLOCKS];
	assert_true(index < memory->n);
	struct bw_block block = memory->pages[index].blocks[number % BW_PAGE_BLOCKS];
	if (!block.n)
		return NULL;
	assert_true(block.n <= BW_PAGE_ROWS && block.first / BW_PAGE_ROWS < memory->n);
	assert_true(block.first % BW_PAGE_ROWS + block.n <= BW_PAGE_ROWS);
	return bw_search(&memory->pages[block.first / BW_PAGE_ROWS], block, distance);
}

static void expect_row(
	const struct unw_table *table, const struct memory *memory, uint64_t distance)
{
	if (distance >= UINT32_MAX)
		return;
	const struct bw_row *expected = unw_table_find(table, table->base + distance);
	const struct bw_row *found = find(memory, (uint32_t)distance);

	/* Code after the last block is left out. */
	if (distance >> memory->shift >= BW_MAX_BLOCKS)
		assert_null(found);
	else if (!found)
		assert_true(!expected || expected->kind == BW_ROW_GAP);
	else
		assert_memory_equal(found, expected, sizeof(*found));
}

/* Compare at both ends of each row, and in its middle. */
static void expect_rows(const struct unw_table *table)
{
	struct memory memory = { 0 };

	load(table, &memory);
	for (size_t i = 0; i < table->rows.n; i++) {
		uint64_t start = table->rows.data[i].start;
		uint64_t end =
			i + 1 < table->rows.n ? table->rows.data[i + 1].start : start + 99999;

		expect_row(table, &memory, start);
		expect_row(table, &memory, (start + end) / 2);
		expect_row(table, &memory, end - 1);
	}
	free(memory.pages);
}

static void add_row(struct unw_table *table, uint64_t start, uint8_t kind)
{
	const struct bw_row row = {
		.start = (uint32_t)start, .kind = kind, .cfa_off = (int32_t)table->rows.n
	};

	assert_true(pd_vec_push(&table->rows, row));
}

/* @p n rows with distances of 1 to @p most bytes, and then a gap after @p gap bytes. */
static void expect_random(size_t n, uint32_t most, uint32_t gap)
{
	struct unw_table table = { .base = 0x401000 };
	uint64_t at = 0;

	for (size_t i = 0; i < n; i++) {
		add_row(&table, at, BW_ROW_SP);
		at += 1 + (uint32_t)rand() % most;
	}
	add_row(&table, at + gap, BW_ROW_GAP);
	expect_rows(&table);
	pd_vec_deinit(&table.rows);
}

static void random_tables(void **state)
{
	(void)state;
	srand(1);
	expect_random(0, 1, 0);
	expect_random(1, 1, 1000);
	expect_random(3000, 1, 0);
	expect_random(3000, 5, 0);
	expect_random(100000, 80, 1 << 20);
	expect_random(5000, 100000, 1 << 30);
	expect_random(300, 1, 3u << 30);
}

static void real_table(void **state)
{
	struct test_elf f;
	struct unw_binary *binary;
	struct unw_table *table;

	(void)state;
	if (!test_elf_open("/proc/self/exe", &f))
		skip();
	assert_ok(unw_binary_create(&f.input, &binary));
	assert_ok(unw_table_create(binary, false, &table));
	assert_true(table->rows.n > 100);
	expect_rows(table);
	unw_table_destroy(table);
	unw_binary_destroy(binary);
	test_elf_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_tables),
		cmocka_unit_test(real_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
