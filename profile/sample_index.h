/**
 * @file Index of samples by their contents. It refers to samples that a profile keeps, so a sample
 * takes no more of it than its slots in a hash table.
 */
#ifndef PD_PROFILE_SAMPLE_INDEX_H
#define PD_PROFILE_SAMPLE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers/slots.h"

struct base_account;
struct prof_sample;

/** A zeroed index is empty. */
struct prof_sample_index {
	struct base_slots slots;
	size_t n;
	/** Counts the table; may be NULL. */
	struct base_account *account;
	/** Bytes that are counted. */
	size_t charged;
};

/** Free the index, which is then empty and has the same account. */
void prof_sample_index_deinit(struct prof_sample_index *index);

/** Start to load what prof_sample_index_add() looks at first. */
void prof_sample_index_load(
	const struct prof_sample_index *index, const struct prof_sample *sample);

/**
 * Look up a sample equal to @p sample, and add @p sample as @p id if there is none. @p samples are
 * those that the index refers to by id; @p id may follow them. *@p id_ret is the id of the equal
 * sample, or @p id. Returns false if out of memory.
 */
bool prof_sample_index_add(struct prof_sample_index *index, const struct prof_sample *samples,
	const struct prof_sample *sample, uint32_t id, uint32_t *id_ret);

#endif
