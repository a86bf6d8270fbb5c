#include "resolve/tally_table.h"

#include <stdlib.h>

#include "base/huge.h"

enum { FIRST_SLOTS = 1024 };

/* Slots must not lie across two cache lines. */
_Static_assert(sizeof(struct resolve_tally_slot) == 16, "four slots fill a cache line");

void resolve_tally_table_deinit(struct resolve_tally_table *table)
{
	pd_account_release(table->account, table->charged);
	free(table->slots);
	free(table->rows);
	table->slots = NULL;
	table->rows = NULL;
	table->n_slots = table->n = table->charged = 0;
}

static uint64_t hash_of(const struct resolve_tally_slot *slot)
{
	return resolve_tally_hash((struct resolve_tally_key){ slot->low, slot->high });
}

static struct resolve_tally_slot *free_slot(
	struct resolve_tally_slot *slots, size_t n_slots, uint64_t hash)
{
	size_t i = hash & (n_slots - 1);

	while (slots[i].row)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static bool grow_rows(struct resolve_tally_table *table, size_t n_slots)
{
	struct resolve_tally_row *rows =
		reallocarray(table->rows, resolve_tally_n_rows(n_slots), sizeof(*table->rows));

	if (rows)
		table->rows = rows;
	return rows;
}

static bool grow_slots(struct resolve_tally_table *table, size_t n)
{
	struct resolve_tally_slot *slots = pd_huge_calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < table->n_slots; i++) {
		if (table->slots[i].row)
			*free_slot(slots, n, hash_of(&table->slots[i])) = table->slots[i];
	}
	free(table->slots);
	table->slots = slots;
	table->n_slots = n;
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

uint32_t resolve_tally_find(
	const struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	if (!table->n_slots)
		return RESOLVE_TALLY_NO_ROW;
	for (size_t i = hash & (table->n_slots - 1); table->slots[i].row;
		i = (i + 1) & (table->n_slots - 1)) {
		if (table->slots[i].low == key.low && table->slots[i].high == key.high)
			return table->slots[i].row - 1;
	}
	return RESOLVE_TALLY_NO_ROW;
}

uint32_t resolve_tally_add(
	struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	if (table->n * 3 >= table->n_slots * 2 && !grow(table))
		return RESOLVE_TALLY_NO_ROW;
	uint32_t row = (uint32_t)table->n++;
	table->rows[row] = (struct resolve_tally_row){ .sample = prof_no_sample() };
	*free_slot(table->slots, table->n_slots, hash) =
		(struct resolve_tally_slot){ key.low, key.high, row + 1 };
	return row;
}
