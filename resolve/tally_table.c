#include "resolve/tally_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

enum { FIRST_SLOTS = 1024 };

/* Neither may lie across two cache lines. */
_Static_assert(sizeof(struct resolve_tally_slot) == 8, "eight slots fill a cache line");
_Static_assert(sizeof(struct resolve_tally_row) == 32, "two rows fill a cache line");

void resolve_tally_table_deinit(struct resolve_tally_table *table)
{
	pd_account_release(table->account, table->charged);
	free(table->slots);
	free(table->rows);
	table->slots = NULL;
	table->rows = NULL;
	table->n_slots = table->n = table->charged = 0;
}

static void fill_slot(struct resolve_tally_table *table, uint64_t hash, size_t row)
{
	size_t i = hash & (table->n_slots - 1);

	while (table->slots[i].row)
		i = (i + 1) & (table->n_slots - 1);
	table->slots[i] = (struct resolve_tally_slot){ hash >> 32, (uint32_t)row + 1 };
}

static bool grow_rows(struct resolve_tally_table *table, size_t n_slots)
{
	struct resolve_tally_row *rows =
		pd_huge_alloc(resolve_tally_n_rows(n_slots) * sizeof(*rows));

	if (!rows)
		return false;
	if (table->n)
		memcpy(rows, table->rows, table->n * sizeof(*rows));
	free(table->rows);
	table->rows = rows;
	return true;
}

static bool grow_slots(struct resolve_tally_table *table, size_t n)
{
	struct resolve_tally_slot *slots = pd_huge_calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	free(table->slots);
	table->slots = slots;
	table->n_slots = n;
	for (size_t i = 0; i < table->n; i++) {
		const struct resolve_tally_row *row = &table->rows[i];

		fill_slot(table,
			resolve_tally_hash((struct resolve_tally_key){ row->low, row->high }), i);
	}
	return true;
}

static bool grow(struct resolve_tally_table *table)
{
	size_t n = table->n_slots ? table->n_slots * 2 : FIRST_SLOTS;
	size_t bytes = resolve_tally_bytes(n);

	if ((table->max_slots && n > table->max_slots) || !pd_account_charge(table->account, bytes))
		return false;
	if (!grow_rows(table, n) || !grow_slots(table, n)) {
		pd_account_release(table->account, bytes);
		return false;
	}
	pd_account_release(table->account, table->charged);
	table->charged = table->account ? bytes : 0;
	return true;
}

uint32_t resolve_tally_guess(const struct resolve_tally_table *table, uint64_t hash)
{
	if (!table->n_slots)
		return RESOLVE_TALLY_NO_ROW;
	for (size_t i = hash & (table->n_slots - 1); table->slots[i].row;
		i = (i + 1) & (table->n_slots - 1)) {
		if (table->slots[i].tag != hash >> 32)
			continue;
		__builtin_prefetch(&table->rows[table->slots[i].row - 1], 1);
		return table->slots[i].row - 1;
	}
	return RESOLVE_TALLY_NO_ROW;
}

uint32_t resolve_tally_find(
	const struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	if (!table->n_slots)
		return RESOLVE_TALLY_NO_ROW;
	for (size_t i = hash & (table->n_slots - 1); table->slots[i].row;
		i = (i + 1) & (table->n_slots - 1)) {
		uint32_t row = table->slots[i].row - 1;

		if (table->slots[i].tag == hash >> 32 && resolve_tally_is_row(table, row, key))
			return row;
	}
	return RESOLVE_TALLY_NO_ROW;
}

uint32_t resolve_tally_add(
	struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	if (table->n * 3 >= table->n_slots * 2 && !grow(table))
		return RESOLVE_TALLY_NO_ROW;
	size_t row = table->n++;
	table->rows[row] = (struct resolve_tally_row){
		.low = key.low,
		.high = key.high,
		.sample = prof_no_sample(),
	};
	fill_slot(table, hash, row);
	return (uint32_t)row;
}
