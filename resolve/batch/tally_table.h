/**
 * @file Table of the counts of a tally (resolve/batch/tally.h), by the contents of samples before
 * they are resolved.
 *
 * A slot of the hash table has a part of the hash and the number of a row, which has key and
 * counts. Rows follow each other in the order in which keys were added. So a look-up costs two
 * cache misses; resolve_tally_prefetch() and resolve_tally_guess() start them early.
 */
#ifndef PD_RESOLVE_TALLY_TABLE_H
#define PD_RESOLVE_TALLY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/slots.h"

/** Key of 96 bits. Two samples with the same key are the same sample of the profile. */
struct resolve_tally_key {
	uint64_t low;
	uint32_t high;
};

struct resolve_tally_row {
	struct resolve_tally_key key;
	/** Samples after the first one, and the sum of their periods. */
	uint64_t n_samples;
	uint64_t period;
};

#define RESOLVE_TALLY_NO_ROW UINT32_MAX

/** A zeroed table is empty. */
struct resolve_tally_table {
	/** Numbers of rows. */
	struct base_slots slots;
	/** n rows are in use, of cap. */
	struct resolve_tally_row *rows;
	size_t n;
	size_t cap;
	/** Largest number of slots; 0: no limit. */
	size_t max_slots;
	/** Counts the table; NULL: nothing does. */
	struct base_account *account;
	/** Bytes that are counted. */
	size_t charged;
};

/** Number of rows of a table with @p n_slots: two thirds of the slots are used. */
static inline size_t resolve_tally_n_rows(size_t n_slots)
{
	return n_slots * 2 / 3 + 1;
}

/** Number of bytes of a table with @p n_slots. */
static inline size_t resolve_tally_bytes(size_t n_slots)
{
	return base_slots_bytes(n_slots) +
	       resolve_tally_n_rows(n_slots) * sizeof(struct resolve_tally_row);
}

/** Move the rows of @p table to the result, and empty it. The result is for reading only. */
struct resolve_tally_table resolve_tally_table_take(struct resolve_tally_table *table);

/** Free slots and rows. The table is empty then, and has the same limit and account. */
void resolve_tally_table_deinit(struct resolve_tally_table *table);

/** Hash of @p key, for the functions below. */
static inline uint64_t resolve_tally_hash(struct resolve_tally_key key)
{
	return base_hash_pair(key.low, key.high);
}

/** Start to load the slot of the key with the hash @p hash. */
static inline void resolve_tally_prefetch(const struct resolve_tally_table *table, uint64_t hash)
{
	base_slots_load(&table->slots, (uint32_t)hash);
}

/**
 * Return the row that most likely has the key with the hash @p hash, and start to load it.
 * RESOLVE_TALLY_NO_ROW: the table does not have the key.
 */
uint32_t resolve_tally_guess(const struct resolve_tally_table *table, uint64_t hash);

/** Whether @p row, as resolve_tally_guess() returned it, is that of @p key. */
static inline bool resolve_tally_is_row(
	const struct resolve_tally_table *table, uint32_t row, struct resolve_tally_key key)
{
	return row != RESOLVE_TALLY_NO_ROW && table->rows[row].key.low == key.low &&
	       table->rows[row].key.high == key.high;
}

/** Find the row of @p key. RESOLVE_TALLY_NO_ROW: the table does not have it. */
uint32_t resolve_tally_find(
	const struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash);

/**
 * Add @p key, which the table does not have, with a count of 0, and return its row. Returns
 * RESOLVE_TALLY_NO_ROW if that needs more slots than allowed, or more memory than there is.
 */
uint32_t resolve_tally_add(
	struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash);

#endif
