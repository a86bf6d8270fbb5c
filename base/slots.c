#include "base/slots.h"

#include "base/huge.h"

_Static_assert(sizeof(struct pd_slot) == 8, "eight slots fill a cache line, and none lies in two");

void pd_slots_deinit(struct pd_slots *slots)
{
	pd_huge_release(slots->data, pd_slots_bytes(slots->n));
	*slots = (struct pd_slots){ 0 };
}

/*
 * Move the first @p n slots, which were all of them, to where they belong now. Starting after a
 * free slot, each group of neighbours is moved from its beginning. So a slot is never further from
 * its first choice than before, and no slot between both has yet to be moved.
 */
static void move(struct pd_slots *slots, size_t n)
{
	size_t hole = 0;

	while (slots->data[hole].id_plus_1)
		hole++;
	for (size_t i = 1; i < n; i++) {
		struct pd_slot *from = &slots->data[(hole + i) & (n - 1)];
		const struct pd_slot slot = *from;

		if (!slot.id_plus_1)
			continue;
		from->id_plus_1 = 0;
		pd_slots_put(slots, slot.hash, slot.id_plus_1 - 1);
	}
}

bool pd_slots_grow(struct pd_slots *slots, size_t n)
{
	size_t before = slots->n;
	struct pd_slot *data =
		pd_huge_resize(slots->data, pd_slots_bytes(before), pd_slots_bytes(n));

	if (!data)
		return false;
	slots->data = data;
	slots->n = n;
	if (before)
		move(slots, before);
	return true;
}
