#include "profile/ahead.h"

#include "base/containers/intern_ahead.h"
#include "base/prefetch.h"

/* Start to load the stack of @p frame alone. False if the profile has none. */
static bool load_single_stack(const struct profile *profile, struct prof_frame_id frame)
{
	if (frame.i >= profile->single_stacks.n)
		return false;
	base_prefetch(&profile->single_stacks.data[frame.i]);
	return true;
}

bool prof_add_stacks(struct profile *profile, const struct prof_frame_id *frames,
	const size_t *ends, size_t n, struct prof_stack_id *ret)
{
	static const struct prof_frame_id no_frames;
	struct base_intern_item items[PROF_GROUP];

	for (size_t i = 0, at = 0; i < n; at = ends[i++]) {
		bool is_single = ends[i] - at == 1 && load_single_stack(profile, frames[at]);

		items[i] = (struct base_intern_item){
			.bytes = is_single	? NULL
				 : ends[i] > at ? frames + at
						: &no_frames,
			.len = (ends[i] - at) * sizeof(*frames),
		};
	}
	base_intern_load_items(&profile->stacks, items, n);
	for (size_t i = 0, at = 0; i < n; at = ends[i++]) {
		if (ends[i] - at == 1)
			ret[i] = prof_add_single_stack(profile, frames[at]);
		else
			ret[i].i = base_intern_add_item(&profile->stacks, &items[i]);
		if (prof_is_none(ret[i]))
			return false;
	}
	return true;
}

bool prof_add_pcs_lists(struct profile *profile, const uint64_t *pcs, const size_t *ends, size_t n,
	struct prof_pcs_id *ret)
{
	static const uint64_t no_pcs;
	struct base_intern_item items[PROF_GROUP];

	for (size_t i = 0, at = 0; i < n; at = ends[i++]) {
		items[i] = (struct base_intern_item){
			.bytes = ends[i] > at ? pcs + at : &no_pcs,
			.len = (ends[i] - at) * sizeof(*pcs),
		};
	}
	base_intern_load_items(&profile->pcs, items, n);
	for (size_t i = 0; i < n; i++) {
		ret[i].i = base_intern_add_item(&profile->pcs, &items[i]);
		if (prof_is_none(ret[i]))
			return false;
	}
	return true;
}

void prof_load_sample(const struct profile *profile, const struct prof_sample *sample)
{
	if (sample->stack.i < profile->first_samples.n)
		base_prefetch(&profile->first_samples.data[sample->stack.i]);
	prof_sample_index_load(&profile->other_samples, sample);
}

void prof_load_first_sample(const struct profile *profile, const struct prof_sample *sample)
{
	uint32_t first = sample->stack.i < profile->first_samples.n
				 ? profile->first_samples.data[sample->stack.i]
				 : 0;

	if (first)
		base_prefetch(&profile->samples.data[first - 1]);
}

void prof_load_stacks_after(const struct profile *profile, struct prof_sample_id id)
{
	enum { ENTRY = 32, FRAMES = 16 };
	const struct prof_sample *sample = &profile->samples.data[id.i];

	if (profile->samples.n - id.i <= ENTRY)
		return;
	base_intern_load_id(&profile->stacks, sample[ENTRY].stack.i);
	base_prefetch(base_intern_bytes(&profile->stacks, sample[FRAMES].stack.i));
}
