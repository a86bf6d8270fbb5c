#include "analyze/one_sided.h"

#include <stdlib.h>

#include "base/cleanup.h"

/* Samples by the name of the binary of their leaf, on each side. */
struct leaves {
	uint64_t all[ANA_N_SIDES];
	uint64_t named[ANA_N_SIDES];
};

static void count_leaf(const struct profile *profile, const struct prof_sample *sample,
	uint64_t samples, enum ana_side side, struct leaves *leaves)
{
	uint32_t n, n_lines;
	const struct prof_frame_id *frames = prof_stack(profile, sample->stack, &n);

	if (!n)
		return;
	struct prof_binary_id binary = prof_frame(profile, frames[0])->binary;
	if (prof_is_none(binary))
		return;
	prof_frame_lines(profile, frames[0], &n_lines);
	leaves += prof_binary(profile, binary)->name.i;
	leaves->all[side] += samples;
	leaves->named[side] += n_lines ? samples : 0;
}

/* Whether functions have names on the side @p named, and none on the other. */
static bool is_one_sided(const struct leaves *leaves, const uint64_t *totals, enum ana_side named)
{
	enum ana_side other = named == ANA_BEFORE ? ANA_AFTER : ANA_BEFORE;

	for (int side = 0; side < ANA_N_SIDES; side++) {
		if (!leaves->all[side] || leaves->all[side] < totals[side] / 100)
			return false;
	}
	return leaves->named[named] > leaves->all[named] / 10 * 9 &&
	       leaves->named[other] < leaves->all[other] / 10 + 1;
}

/* Add the binaries of @p leaves, which is indexed by string id. */
static bool add_binaries(const struct leaves *leaves, size_t n, const uint64_t *totals,
	struct ana_one_sided_list *list)
{
	for (struct prof_string_id name = { 0 }; name.i < n; name.i++) {
		for (int side = 0; side < ANA_N_SIDES; side++) {
			struct ana_one_sided found = { name, (enum ana_side)side };

			if (is_one_sided(&leaves[name.i], totals, found.named) &&
				!pd_vec_push(&list->list, found))
				return false;
		}
	}
	return true;
}

struct pd_error *ana_one_sided_find(const struct profile *profile, const struct ana_sides *sides,
	struct prof_event_id event, struct ana_one_sided_list *ret)
{
	size_t n = profile->strings.n;
	_cleanup_free_ struct leaves *leaves = calloc(n, sizeof(*leaves));
	uint64_t totals[ANA_N_SIDES] = { 0 };

	*ret = (struct ana_one_sided_list){ 0 };
	if (!leaves)
		return &pd_enomem;
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		uint64_t samples = prof_value(profile, id)->samples;
		enum ana_side side = ana_side_of(sides, ana_recording_of(sides, sample->tags));

		if (!prof_same_event(sample->event, event))
			continue;
		totals[side] += samples;
		count_leaf(profile, sample, samples, side, leaves);
	}
	if (add_binaries(leaves, n, totals, ret))
		return NULL;
	ana_one_sided_deinit(ret);
	return &pd_enomem;
}

void ana_one_sided_deinit(struct ana_one_sided_list *list)
{
	pd_vec_deinit(&list->list);
}
