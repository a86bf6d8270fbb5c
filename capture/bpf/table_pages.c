#include "capture/bpf/table_pages.h"

#include <stdbool.h>
#include <string.h>

/** Rows that a block should have: then a search looks at few, and the index is small. */
enum { ROWS_OF_BLOCK = 4 };

/** Whether each block of 2^shift bytes has few enough rows for a page, with the one before it. */
static bool fits(const struct unw_table *table, uint32_t shift)
{
	const struct bw_row *rows = table->rows.data;
	size_t first = 0;

	for (size_t i = 0; i < table->rows.n; i++) {
		if (rows[i].start >> shift != rows[first].start >> shift)
			first = i;
		if (i - first + 2 > BW_PAGE_ROWS)
			return false;
	}
	return true;
}

static uint64_t count_blocks(const struct unw_table *table, uint32_t shift)
{
	return ((uint64_t)table->rows.data[table->rows.n - 1].start >> shift) + 1;
}

/**
 * Choose the size of blocks. Large tables with dense code get small blocks, and what is after the
 * last possible block is left out.
 */
static uint32_t choose_shift(const struct unw_table *table)
{
	uint32_t shift = BW_LEAST_SHIFT;

	while (count_blocks(table, shift) > BW_MAX_BLOCKS ||
		count_blocks(table, shift) * ROWS_OF_BLOCK > table->rows.n + ROWS_OF_BLOCK)
		shift++;
	while (shift > BW_LEAST_SHIFT && !fits(table, shift))
		shift--;
	return shift;
}

/** State of the arrangement. */
struct layout {
	struct cap_pages *pages;
	PD_VEC(struct bw_block) blocks;
	/** Number of rows in the last page. */
	size_t n;
};

static bool add_page(struct layout *layout)
{
	const union bw_page empty = { 0 };

	layout->n = 0;
	layout->pages->n_rows++;
	return pd_vec_push(&layout->pages->list, empty);
}

/** Number of the next row, as in struct bw_block. */
static uint32_t next_row(const struct layout *layout)
{
	return (uint32_t)((layout->pages->n_rows - 1) * BW_PAGE_ROWS + layout->n);
}

static void put_rows(struct layout *layout, const struct bw_row *rows, size_t n)
{
	union bw_page *page = &layout->pages->list.data[layout->pages->n_rows - 1];

	memcpy(&page->rows[layout->n], rows, n * sizeof(*rows));
	layout->n += n;
}

/**
 * Add the block with the @p n rows at @p rows, before which there are @p n_before rows of the
 * table. The last one of these reaches into the block.
 */
static bool add_block(struct layout *layout, const struct bw_row *rows, size_t n, size_t n_before)
{
	bool has_before = n_before > 0;
	struct bw_block block = { .n = (uint32_t)(n + has_before) };

	if (layout->n + n > BW_PAGE_ROWS) {
		if (!add_page(layout))
			return false;
		put_rows(layout, rows - has_before, has_before);
	}
	block.first = next_row(layout) - has_before;
	put_rows(layout, rows, n);
	return pd_vec_push(&layout->blocks, block);
}

static bool add_blocks(struct layout *layout, const struct unw_table *table, uint32_t shift)
{
	const struct bw_row *rows = table->rows.data;
	uint64_t n_blocks = count_blocks(table, shift);
	size_t at = 0;

	if (n_blocks > BW_MAX_BLOCKS)
		n_blocks = BW_MAX_BLOCKS;
	for (uint64_t number = 0; number < n_blocks; number++) {
		size_t end = at;

		while (end < table->rows.n && rows[end].start >> shift == number)
			end++;
		if (!add_block(layout, rows + at, end - at, at))
			return false;
		at = end;
	}
	return true;
}

/** Add the index pages, and the top page. */
static bool add_index(struct layout *layout)
{
	struct cap_pages *pages = layout->pages;
	union bw_page top = { 0 };

	for (size_t at = 0; at < layout->blocks.n; at += BW_PAGE_BLOCKS) {
		size_t left = layout->blocks.n - at;
		size_t n = left < BW_PAGE_BLOCKS ? left : BW_PAGE_BLOCKS;
		union bw_page page = { 0 };

		memcpy(page.blocks, &layout->blocks.data[at], n * sizeof(page.blocks[0]));
		top.numbers[pages->n_index] = (uint32_t)pages->list.n;
		if (!pd_vec_push(&pages->list, page))
			return false;
		pages->n_index++;
	}
	return pd_vec_push(&pages->list, top);
}

struct pd_error *cap_pages_make(const struct unw_table *table, struct cap_pages *ret)
{
	struct layout layout = { .pages = ret };

	ret->base = table->base;
	ret->shift = choose_shift(table);
	/* More pages are rare: rows are repeated where a page begins. */
	size_t n = table->rows.n / (BW_PAGE_ROWS - 8) +
		   count_blocks(table, ret->shift) / BW_PAGE_BLOCKS + 4;
	bool done = pd_vec_reserve(&ret->list, n) && add_page(&layout) &&
		    add_blocks(&layout, table, ret->shift) && add_index(&layout);
	pd_vec_deinit(&layout.blocks);
	return done ? NULL : &pd_enomem;
}

void cap_pages_deinit(struct cap_pages *pages)
{
	pd_vec_deinit(&pages->list);
	*pages = (struct cap_pages){ 0 };
}

/** Number that the row @p row of the list has in the memory of the program. */
static uint32_t place_row(uint32_t row, const uint32_t *numbers)
{
	return numbers[row / BW_PAGE_ROWS] * BW_PAGE_ROWS + row % BW_PAGE_ROWS;
}

void cap_pages_copy(
	const struct cap_pages *pages, size_t i, const uint32_t *numbers, union bw_page *to)
{
	const union bw_page *from = &pages->list.data[i];

	*to = *from;
	if (i == pages->n_rows + pages->n_index) {
		for (size_t k = 0; k < pages->n_index; k++)
			to->numbers[k] = numbers[from->numbers[k]];
		return;
	}
	for (size_t k = 0; i >= pages->n_rows && k < BW_PAGE_BLOCKS; k++) {
		if (from->blocks[k].n)
			to->blocks[k].first = place_row(from->blocks[k].first, numbers);
	}
}
