#include "base/containers/slots.h"

#include "base/system/huge.h"

_Static_assert(
	sizeof(struct base_slot) == 8, "eight slots fill a cache line, and none lies in two");

void base_slots_deinit(struct base_slots *slots)
{
	base_huge_release(slots->data, base_slots_bytes(slots->n));
	*slots = (struct base_slots){ 0 };
}

/*
 * Move the first @p n slots, which were all of them, to where they belong now. Starting after a
 * free slot, each group of neighbours is moved from its beginning. So a slot is never further from
 * its first choice than before, and no slot between both has yet to be moved.
 */
static void move(struct base_slots *slots, size_t n)
{
	size_t hole = 0;

	while (slots->data[hole].id_plus_1)
		hole++;
	for (size_t i = 1; i < n; i++) {
		struct base_slot *from = &slots->data[(hole + i) & (n - 1)];
		const struct base_slot slot = *from;

		if (!slot.id_plus_1)
			continue;
		from->id_plus_1 = 0;
		base_slots_put(slots, slot.hash, slot.id_plus_1 - 1);
	}
}

bool base_slots_grow(struct base_slots *slots, size_t n)
{
	size_t before = slots->n;
	struct base_slot *data =
		base_huge_resize(slots->data, base_slots_bytes(before), base_slots_bytes(n));

	if (!data)
		return false;
	slots->data = data;
	slots->n = n;
	if (before)
		move(slots, before);
	return true;
}
