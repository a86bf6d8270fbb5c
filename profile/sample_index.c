#include "profile/sample_index.h"

#include <string.h>

#include "base/budget.h"
#include "base/containers/hash.h"
#include "profile/profile.h"

enum { FIRST_SLOTS = 64 };

void prof_sample_index_deinit(struct prof_sample_index *index)
{
	struct base_account *account = index->account;

	base_account_release(account, index->charged);
	base_slots_deinit(&index->slots);
	*index = (struct prof_sample_index){ .account = account };
}

static uint32_t hash_sample(const struct prof_sample *sample)
{
	uint64_t ids = (uint64_t)sample->stack.i << 32 | sample->thread.i;
	uint64_t rest = (uint64_t)sample->event.i << 32 | sample->end;

	return (uint32_t)base_hash_pair(base_hash_pair(ids, rest), sample->tags.i);
}

void prof_sample_index_load(const struct prof_sample_index *index, const struct prof_sample *sample)
{
	base_slots_load(&index->slots, hash_sample(sample));
}

static bool grow(struct prof_sample_index *index)
{
	size_t n = index->slots.n ? index->slots.n * 2 : FIRST_SLOTS;
	size_t bytes = base_slots_bytes(n);

	if (!base_account_charge(index->account, bytes))
		return false;
	if (!base_slots_grow(&index->slots, n)) {
		base_account_release(index->account, bytes);
		return false;
	}
	base_account_release(index->account, index->charged);
	index->charged = index->account ? bytes : 0;
	return true;
}

bool prof_sample_index_add(struct prof_sample_index *index, const struct prof_sample *samples,
	const struct prof_sample *sample, uint32_t id, uint32_t *id_ret)
{
	uint32_t hash = hash_sample(sample);

	if (base_slots_are_full(index->slots.n, index->n) && !grow(index))
		return false;
	const struct base_slots *slots = &index->slots;
	for (size_t i = base_slots_first(slots, hash); slots->data[i].id_plus_1;
		i = base_slots_next(slots, i)) {
		const struct base_slot *slot = &slots->data[i];

		if (slot->hash == hash &&
			memcmp(&samples[slot->id_plus_1 - 1], sample, sizeof(*sample)) == 0) {
			*id_ret = slot->id_plus_1 - 1;
			return true;
		}
	}
	base_slots_put(&index->slots, hash, id);
	index->n++;
	*id_ret = id;
	return true;
}
