/**
 * @file Table of the counts of a tally (resolve/tally.h), by the contents of samples before they
 * are resolved.
 *
 * Keys, counts and periods are in the slots, so that a look-up costs one cache miss.
 * resolve_tally_prefetch() starts that miss early.
 */
#ifndef PD_RESOLVE_TALLY_TABLE_H
#define PD_RESOLVE_TALLY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/hash.h"
#include "profile/ids.h"

/** Key of 95 bits. Two samples with the same key are the same sample of the profile. */
struct resolve_tally_key {
	uint64_t low;
	/** 31 bits; resolve_tally_slot.high has another one. */
	uint32_t high;
};

enum { RESOLVE_TALLY_HIGH_MASK = INT32_MAX };

struct resolve_tally_slot {
	uint64_t low;
	/** resolve_tally_key.high, and a bit that is set if the slot is in use. */
	uint32_t high;
	/** Sample of the profile; refers to nothing until the first sample was resolved. */
	struct prof_sample_id sample;
	/** Samples that were counted here, not in the profile, and the sum of their periods. */
	uint64_t n_samples : 56;
	/** enum prof_stack_source */
	uint64_t source : 8;
	uint64_t period;
};

/** A zeroed table is empty. */
struct resolve_tally_table {
	/** Hash table with open addressing; n_slots is a power of two or 0. */
	struct resolve_tally_slot *slots;
	size_t n_slots;
	size_t n;
	/** Largest number of slots; 0: no limit. */
	size_t max_slots;
	/** Counts the table; NULL: nothing does. */
	struct pd_account *account;
	/** Bytes that are counted. */
	size_t charged;
};

/** Free the slots. The table is empty then, and has the same limit and account. */
void resolve_tally_table_deinit(struct resolve_tally_table *table);

/** Hash of @p key, for the functions below. */
static inline uint64_t resolve_tally_hash(struct resolve_tally_key key)
{
	return pd_hash_pair(key.low, key.high);
}

static inline bool resolve_tally_slot_is_used(const struct resolve_tally_slot *slot)
{
	return slot->high;
}

/** Start to load the slot of the key with the hash @p hash. */
static inline void resolve_tally_prefetch(const struct resolve_tally_table *table, uint64_t hash)
{
	if (table->n_slots)
		__builtin_prefetch(&table->slots[hash & (table->n_slots - 1)]);
}

/** Find the slot of @p key, or NULL. It is valid until a key is added. */
struct resolve_tally_slot *resolve_tally_find(
	const struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash);

/**
 * Add @p key, which the table does not have, with a count of 0. Returns false if that needs more
 * slots than allowed, or more memory than there is.
 */
bool resolve_tally_add(
	struct resolve_tally_table *table, struct resolve_tally_key key, uint64_t hash);

#endif
