#include "resolve/batch/tally_table.h"

#include "base/system/huge.h"
#include "base/prefetch.h"

enum { FIRST_SLOTS = 1024 };

_Static_assert(sizeof(void *) != 8 || sizeof(struct resolve_tally_row) == 32,
	"two rows fill a cache line");

void resolve_tally_table_deinit(struct resolve_tally_table *table)
{
	base_account_release(table->account, table->charged);
	base_slots_deinit(&table->slots);
	base_huge_release(table->rows, table->cap * sizeof(*table->rows));
	table->rows = NULL;
	table->n = table->cap = table->charged = 0;
}

struct resolve_tally_table resolve_tally_table_take(struct resolve_tally_table *table)
{
	struct resolve_tally_table ret = *table;

	*table = (struct resolve_tally_table){
		.max_slots = ret.max_slots,
		.account = ret.account,
	};
	if (ret.charged) {
		base_account_release(ret.account, base_slots_bytes(ret.slots.n));
		ret.charged -= base_slots_bytes(ret.slots.n);
	}
	base_slots_deinit(&ret.slots);
	return ret;
}

static bool grow_rows(struct resolve_tally_table *table, size_t cap)
{
	struct resolve_tally_row *rows;

	if (cap <= table->cap)
		return true;
	rows = base_huge_resize(table->rows, table->cap * sizeof(*rows), cap * sizeof(*rows));
	if (!rows)
		return false;
	table->rows = rows;
	table->cap = cap;
	return true;
}

static bool grow(struct resolve_tally_table *table)
{
	size_t n = table->slots.n ? table->slots.n * 2 : FIRST_SLOTS;
	size_t bytes = resolve_tally_bytes(n) - table->charged;

	if ((table->max_slots && n > table->max_slots) ||
		!base_account_charge(table->account, bytes))
		return false;
	if (!grow_rows(table, resolve_tally_n_rows(n)) || !base_slots_grow(&table->slots, n)) {
		base_account_release(table->account, bytes);
		return false;
	}
	table->charged += table->account ? bytes : 0;
	return true;
}

uint32_t resolve_tally_guess(const struct resolve_tally_table *table, uint64_t hash)
{
	const struct base_slots *slots = &table->slots;

	if (!slots->n)
		return RESOLVE_TALLY_NO_ROW;
	for (size_t i = base_slots_first(slots, (uint32_t)hash); slots->data[i].id_plus_1;
		i = base_slots_next(slots, i)) {
		uint32_t row = slots->data[i].id_plus_1 - 1;

		if (slots->data[i].hash != (uint32_t)hash)
			continue;
		base_prefetch(&table->rows[row]);
		return row;
	}
	return RESOLVE_TALLY_NO_ROW;
}

uint32_t resolve_tally_find(
	const struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	const struct base_slots *slots = &table->slots;

	if (!slots->n)
		return RESOLVE_TALLY_NO_ROW;
	for (size_t i = base_slots_first(slots, (uint32_t)hash); slots->data[i].id_plus_1;
		i = base_slots_next(slots, i)) {
		uint32_t row = slots->data[i].id_plus_1 - 1;

		if (slots->data[i].hash == (uint32_t)hash && resolve_tally_is_row(table, row, key))
			return row;
	}
	return RESOLVE_TALLY_NO_ROW;
}

uint32_t resolve_tally_add(
	struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash)
{
	if (base_slots_are_full(table->slots.n, table->n) && !grow(table))
		return RESOLVE_TALLY_NO_ROW;
	size_t row = table->n++;
	table->rows[row] = (struct resolve_tally_row){ .key = key };
	base_slots_put(&table->slots, (uint32_t)hash, (uint32_t)row);
	return (uint32_t)row;
}
