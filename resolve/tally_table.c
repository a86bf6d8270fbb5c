#include "resolve/tally_table.h"

#include "base/huge.h"

enum { FIRST_SLOTS = 1024 };

/* Neither may lie across two cache lines. */
_Static_assert(sizeof(struct resolve_tally_slot) == 8, "eight slots fill a cache line");
_Static_assert(sizeof(struct resolve_tally_row) == 32, "two rows fill a cache line");

static size_t bytes_of_slots(size_t n_slots)
{
	return pd_huge_round(n_slots * sizeof(struct resolve_tally_slot));
}

static size_t bytes_of_rows(size_t n_slots)
{
	return pd_huge_round(resolve_tally_n_rows(n_slots) * sizeof(struct resolve_tally_row));
}

void resolve_tally_table_deinit(struct resolve_tally_table *table)
{
	pd_account_release(table->account, table->charged);
	pd_huge_release(table->slots, bytes_of_slots(table->max_slots));
	pd_huge_release(table->rows, bytes_of_rows(table->max_slots));
	table->slots = NULL;
	table->rows = NULL;
	table->n_slots = table->n = table->charged = 0;
}

/* Reserve slots and rows for the largest table. */
static bool reserve(struct resolve_tally_table *table)
{
	if (!table->slots)
		table->slots = pd_huge_reserve(bytes_of_slots(table->max_slots));
	if (!table->rows)
		table->rows = pd_huge_reserve(bytes_of_rows(table->max_slots));
	return table->slots && table->rows;
}

static void put_slot(struct resolve_tally_table *table, struct resolve_tally_slot slot)
{
	size_t i = slot.hash & (table->n_slots - 1);

	while (table->slots[i].row)
		i = (i + 1) & (table->n_slots - 1);
	table->slots[i] = slot;
}

/*
 * Move the slots of a table of @p n to where they belong in one that is twice as large. Starting
 * after a free slot, each group of neighbours is moved from its beginning. So a slot is never
 * further from its first choice than before, and no slot between both has yet to be moved.
 */
static void move_slots(struct resolve_tally_table *table, size_t n)
{
	size_t hole = 0;

	while (table->slots[hole].row)
		hole++;
	for (size_t i = 1; i < n; i++) {
		struct resolve_tally_slot *from = &table->slots[(hole + i) & (n - 1)];
		const struct resolve_tally_slot slot = *from;

		if (!slot.row)
			continue;
		from->row = 0;
		put_slot(table, slot);
	}
}

static void set_n_slots(struct resolve_tally_table *table, size_t n)
{
	size_t before = table->n_slots;

	pd_huge_advise(table->slots, n * sizeof(*table->slots));
	pd_huge_advise(table->rows, resolve_tally_n_rows(n) * sizeof(*table->rows));
	table->n_slots = n;
	if (before)
		move_slots(table, before);
}

static bool grow(struct resolve_tally_table *table)
{
	size_t n = table->n_slots ? table->n_slots * 2 : FIRST_SLOTS;
	size_t bytes = resolve_tally_bytes(n) - table->charged;

	if (n > table->max_slots || !reserve(table) || !pd_account_charge(table->account, bytes))
		return false;
	table->charged += table->account ? bytes : 0;
	set_n_slots(table, n);
	return true;
}

uint32_t resolve_tally_guess(const struct resolve_tally_table *table, uint64_t hash)
{
	if (!table->n_slots)
		return RESOLVE_TALLY_NO_ROW;
	for (size_t i = hash & (table->n_slots - 1); table->slots[i].row;
		i = (i + 1) & (table->n_slots - 1)) {
		if (table->slots[i].hash != (uint32_t)hash)
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

		if (table->slots[i].hash == (uint32_t)hash && resolve_tally_is_row(table, row, key))
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
	put_slot(table, (struct resolve_tally_slot){ (uint32_t)hash, (uint32_t)row + 1 });
	return (uint32_t)row;
}
