#include "analyze/sides.h"

#include "base/analyzer.h"

static uint32_t find_recording(
	struct prof_string_id label, const struct prof_string_id *labels, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (prof_same_string(label, labels[i]))
			return (uint32_t)i;
	}
	return 0;
}

struct pd_error *ana_sides_create(const struct profile *profile,
	const struct prof_string_id *labels, size_t n_before, size_t n_after, struct ana_sides *ret)
{
	*ret = (struct ana_sides){ .n = { n_before, n_after } };
	for (struct prof_tags_id id = { 0 }; id.i < profile->tags.n; id.i++) {
		const struct prof_tags *tags = prof_tags(profile, id);
		PD_IS_TRUE(tags, "tags are NULL for no id only");
		struct prof_string_id label = tags->input;
		uint32_t recording = find_recording(label, labels, n_before + n_after);

		if (pd_vec_push(&ret->of_tags, recording))
			continue;
		ana_sides_deinit(ret);
		return &pd_enomem;
	}
	return NULL;
}

void ana_sides_deinit(struct ana_sides *sides)
{
	pd_vec_deinit(&sides->of_tags);
}
