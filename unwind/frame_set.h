/**
 * @file Set of the distinct frames that a walker has found, each with the step to its caller.
 *
 * Address space, program counter and how a frame was reached determine the frame and its step. So
 * one look-up in a hash table finds both, without a search for the module.
 */
#ifndef PD_UNWIND_FRAME_SET_H
#define PD_UNWIND_FRAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/containers/hash.h"
#include "unwind/rules/step.h"
#include "unwind/unwind.h"

/** Identity of a frame. */
struct unw_frame_key {
	uint64_t space_id;
	/** Process address. */
	uint64_t pc;
	/** Flags, except UNW_FRAME_SIGNAL. */
	uint32_t how;
};

/** Slot of the hash table: half a cache line. */
struct unw_frame_slot {
	/** Id of the address space; 0 if the slot is free. */
	uint64_t space_id;
	uint64_t pc;
	uint32_t how;
	/** unw_frame_set.first_id + index in frames. */
	uint32_t id;
	struct unw_step step;
};

_Static_assert(sizeof(struct unw_frame_slot) == 32, "no slot lies across two cache lines");

/** A zeroed set is empty. */
struct unw_frame_set {
	struct unw_frame_slot *slots;
	/** Number of slots: a power of two, or 0. */
	size_t n_slots;
	PD_VEC(struct unw_frame) frames;
	/** Id of frames.data[0]. */
	uint32_t first_id;
};

/** Remove all frames. Their ids are not reused before 2^32 others. */
void unw_frame_set_clear(struct unw_frame_set *set);
void unw_frame_set_deinit(struct unw_frame_set *set);

/** Insert a key that is not in the set. Returns NULL if out of memory or ids. */
const struct unw_frame_slot *unw_frame_set_add(struct unw_frame_set *set,
	const struct unw_frame_key *key, const struct unw_frame *frame, struct unw_step step);

static inline size_t unw_frame_set_hash(const struct unw_frame_key *key)
{
	enum { SPREAD_HOW = 0x85ebca6b };

	return base_hash_pair(key->pc + key->how * SPREAD_HOW, key->space_id);
}

/** Find @p key, or NULL. The pointer is valid until the next insertion. */
static inline const struct unw_frame_slot *unw_frame_set_find(
	const struct unw_frame_set *set, const struct unw_frame_key *key)
{
	if (!set->n_slots)
		return NULL;
	for (size_t i = unw_frame_set_hash(key);; i++) {
		const struct unw_frame_slot *slot = &set->slots[i & (set->n_slots - 1)];

		if (!slot->space_id)
			return NULL;
		if (slot->pc == key->pc && slot->space_id == key->space_id && slot->how == key->how)
			return slot;
	}
}

#endif
