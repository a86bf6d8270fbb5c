#include "unwind/frame_set.h"

#include <stdlib.h>

#include "base/system/huge.h"

enum { FIRST_N_SLOTS = 4096 };

void unw_frame_set_deinit(struct unw_frame_set *set)
{
	free(set->slots);
	pd_vec_deinit(&set->frames);
	*set = (struct unw_frame_set){ 0 };
}

void unw_frame_set_clear(struct unw_frame_set *set)
{
	uint32_t first_id = set->first_id + (uint32_t)set->frames.n;

	unw_frame_set_deinit(set);
	set->first_id = first_id;
}

static struct unw_frame_slot *insert(
	struct unw_frame_slot *slots, size_t n_slots, const struct unw_frame_slot *slot)
{
	const struct unw_frame_key key = {
		.space_id = slot->space_id, .pc = slot->pc, .how = slot->how
	};
	size_t i = unw_frame_set_hash(&key) & (n_slots - 1);

	while (slots[i].space_id)
		i = (i + 1) & (n_slots - 1);
	slots[i] = *slot;
	return &slots[i];
}

/** Keep at least half of the slots free. */
static bool make_room(struct unw_frame_set *set)
{
	if (set->frames.n < set->n_slots / 2)
		return true;
	size_t n_slots = set->n_slots ? set->n_slots * 2 : FIRST_N_SLOTS;
	struct unw_frame_slot *slots = base_huge_calloc(n_slots, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < set->n_slots; i++) {
		if (set->slots[i].space_id)
			insert(slots, n_slots, &set->slots[i]);
	}
	free(set->slots);
	set->slots = slots;
	set->n_slots = n_slots;
	return true;
}

const struct unw_frame_slot *unw_frame_set_add(struct unw_frame_set *set,
	const struct unw_frame_key *key, const struct unw_frame *frame, struct unw_step step)
{
	if (set->frames.n >= UINT32_MAX || !make_room(set) || !pd_vec_push(&set->frames, *frame))
		return NULL;
	const struct unw_frame_slot slot = {
		.space_id = key->space_id,
		.pc = key->pc,
		.how = key->how,
		.id = set->first_id + (uint32_t)(set->frames.n - 1),
		.step = step,
	};
	return insert(set->slots, set->n_slots, &slot);
}
