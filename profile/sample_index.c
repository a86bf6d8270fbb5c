#include "profile/sample_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/huge.h"
#include "profile/profile.h"

enum { FIRST_SLOTS = 64 };

/** The hash is here so that most samples that differ need not be read. */
struct prof_sample_slot {
	/** Id of the sample plus 1; 0: the slot is free. */
	uint32_t sample;
	uint32_t hash;
};

void prof_sample_index_deinit(struct prof_sample_index *index)
{
	struct pd_account *account = index->account;

	pd_account_release(account, index->charged);
	free(index->slots);
	*index = (struct prof_sample_index){ .account = account };
}

static uint32_t hash_sample(const struct prof_sample *sample)
{
	uint64_t ids = (uint64_t)sample->stack.i << 32 | sample->thread.i;
	uint64_t rest = (uint64_t)sample->event.i << 32 | sample->end;

	return (uint32_t)pd_hash_pair(pd_hash_pair(ids, rest), sample->tags.i);
}

void prof_sample_index_load(const struct prof_sample_index *index, const struct prof_sample *sample)
{
	if (index->n_slots)
		__builtin_prefetch(&index->slots[hash_sample(sample) & (index->n_slots - 1)]);
}

static bool grow(struct prof_sample_index *index)
{
	size_t n = index->n_slots ? index->n_slots * 2 : FIRST_SLOTS;
	size_t bytes = n * sizeof(*index->slots), mask = n - 1;
	struct prof_sample_slot *slots;

	if (!pd_account_charge(index->account, bytes))
		return false;
	slots = pd_huge_calloc(n, sizeof(*slots));
	if (!slots) {
		pd_account_release(index->account, bytes);
		return false;
	}
	for (size_t from = 0; from < index->n_slots; from++) {
		size_t to = index->slots[from].hash & mask;

		if (!index->slots[from].sample)
			continue;
		while (slots[to].sample)
			to = (to + 1) & mask;
		slots[to] = index->slots[from];
	}
	pd_account_release(index->account, index->charged);
	free(index->slots);
	index->slots = slots;
	index->n_slots = n;
	index->charged = index->account ? bytes : 0;
	return true;
}

bool prof_sample_index_add(struct prof_sample_index *index, const struct prof_sample *samples,
	const struct prof_sample *sample, uint32_t id, uint32_t *id_ret)
{
	uint32_t hash = hash_sample(sample);

	if (index->n * 3 >= index->n_slots * 2 && !grow(index))
		return false;
	for (size_t i = hash & (index->n_slots - 1);; i = (i + 1) & (index->n_slots - 1)) {
		struct prof_sample_slot *slot = &index->slots[i];

		if (!slot->sample) {
			*slot = (struct prof_sample_slot){ id + 1, hash };
			index->n++;
			*id_ret = id;
			return true;
		}
		if (slot->hash == hash &&
			memcmp(&samples[slot->sample - 1], sample, sizeof(*sample)) == 0) {
			*id_ret = slot->sample - 1;
			return true;
		}
	}
}
