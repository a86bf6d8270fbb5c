#include "resolve/tally_table.h"

#include <stdlib.h>

#include "base/huge.h"

enum { FIRST_SLOTS = 1024 };

/* Bit of resolve_tally_slot.high that marks slots in use. */
static const uint32_t used = (uint32_t)RESOLVE_TALLY_HIGH_MASK + 1;

/* Two slots must share a cache line, not lie across two. */
_Static_assert(sizeof(struct resolve_tally_slot) == 32, "two slots fill a cache line");

void resolve_tally_table_deinit(struct resolve_tally_table *table)
{
	pd_account_release(table->account, table->charged);
	free(table->slots);
	table->slots = NULL;
	table->n_slots = table->n = table->charged = 0;
}

static uint64_t hash_of(const struct resolve_tally_slot *slot)
{
	const struct resolve_tally_key key = { slot->low, slot->high & RESOLVE_TALLY_HIGH_MASK };

	return resolve_tally_hash(key);
}

static struct resolve_tally_slot *free_slot(
	struct resolve_tally_slot *slots, size_t n_slots, uint64_t hash)
{
	size_t i = hash & (n_slots - 1);

	while (slots[i].high)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static bool grow(struct resolve_tally_table *table)
{
	size_t n = table->n_slots ? table->n_slots * 2 : FIRST_SLOTS;
	size_t bytes = n * sizeof(*table->slots);

	if ((table->max_slots && n > table->max_slots) || !pd_account_charge(table->account, bytes))
		return false;
	struct resolve_tally_slot *slots = pd_huge_calloc(n, sizeof(*slots));
	if (!slots) {
		pd_account_release(table->account, bytes);
		return false;
	}
	for (size_t i = 0; i < table->n_slots; i++) {
		if (table->slots[i].high)
			*free_slot(slots, n, hash_of(&table->slots[i])) = table->slots[i];
	}
	pd_account_release(table->account, table->charged);
	free(table->slots);
	table->slots = slots;
	table->n_slots = n;
	table->charged = table->account ? bytes : 0;
	return true;
}

struct resolve_tally_slot *resolve_tally_find(
	const struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	uint32_t high = key.high | used;

	if (!table->n_slots)
		return NULL;
	for (size_t i = hash & (table->n_slots - 1); table->slots[i].high;
		i = (i + 1) & (table->n_slots - 1)) {
		if (table->slots[i].low == key.low && table->slots[i].high == high)
			return &table->slots[i];
	}
	return NULL;
}

bool resolve_tally_add(
	struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	if (table->n * 3 >= table->n_slots * 2 && !grow(table))
		return false;
	struct resolve_tally_slot *slot = free_slot(table->slots, table->n_slots, hash);
	*slot = (struct resolve_tally_slot){
		.low = key.low, .high = key.high | used, .sample = prof_no_sample()
	};
	table->n++;
	return true;
}
