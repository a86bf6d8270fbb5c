/* Sides of a comparison, binaries with names on one side only, and pairs of binaries. */
#include "analyze/comparison/sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/integer.h"
#include "base/text.h"

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

/* Periods of the samples whose stacks have a binary, by side and binary id. */
struct periods {
	uint64_t *of[ANA_N_SIDES];
	/** Last sample that was counted for a binary, plus 1. */
	uint32_t *counted;
};

static void periods_deinit(struct periods *periods)
{
	free(periods->of[ANA_BEFORE]);
	free(periods->of[ANA_AFTER]);
	free(periods->counted);
}

static void count_sample(const struct profile *profile, struct prof_sample_id id,
	enum ana_side side, struct periods *periods)
{
	uint32_t n;
	const struct prof_frame_id *frames =
		prof_stack(profile, prof_sample(profile, id)->stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct prof_binary_id binary = prof_frame(profile, frames[i])->binary;

		if (prof_is_none(binary) || periods->counted[binary.i] == id.i + 1)
			continue;
		periods->counted[binary.i] = id.i + 1;
		base_add_capped(&periods->of[side][binary.i], prof_value(profile, id)->period + 1);
	}
}

static struct pd_error *periods_init(
	const struct profile *profile, const struct ana_sides *sides, struct periods *ret)
{
	size_t n = profile->binaries.n + 1;

	*ret = (struct periods){
		.of = { calloc(n, sizeof(uint64_t)), calloc(n, sizeof(uint64_t)) },
		.counted = calloc(n, sizeof(*ret->counted)),
	};
	if (!ret->of[ANA_BEFORE] || !ret->of[ANA_AFTER] || !ret->counted)
		return &pd_enomem;
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		size_t recording = ana_recording_of(sides, prof_sample(profile, id)->tags);

		count_sample(profile, id, ana_side_of(sides, recording), ret);
	}
	return NULL;
}

static const char *base_of(const struct profile *profile, struct prof_binary_id id)
{
	return prof_binary_base(profile, id);
}

static bool is_program(const struct profile *profile, struct prof_binary_id id)
{
	const struct prof_binary *binary = prof_binary(profile, id);

	return binary->has_image && !binary->is_kernel && !binary->is_generated &&
	       !strstr(base_of(profile, id), ".so");
}

/* The program with the largest period on a side. */
static struct prof_binary_id find_program(
	const struct profile *profile, const struct periods *periods, enum ana_side side)
{
	struct prof_binary_id best = prof_no_binary();

	for (struct prof_binary_id id = { 0 }; id.i < profile->binaries.n; id.i++) {
		if (periods->of[side][id.i] && is_program(profile, id) &&
			(prof_is_none(best) || periods->of[side][id.i] > periods->of[side][best.i]))
			best = id;
	}
	return best;
}

/* Whether a binary of the same file name is on a side. */
static bool is_on_side(const struct profile *profile, const struct periods *periods,
	enum ana_side side, struct prof_binary_id wanted)
{
	for (struct prof_binary_id id = { 0 }; id.i < profile->binaries.n; id.i++) {
		if (periods->of[side][id.i] &&
			strcmp(base_of(profile, id), base_of(profile, wanted)) == 0)
			return true;
	}
	return false;
}

struct pd_error *ana_pair_programs(
	const struct profile *profile, const struct ana_sides *sides, struct ana_pair *ret)
{
	_cleanup_(periods_deinit) struct periods periods = { 0 };
	struct pd_error *err = periods_init(profile, sides, &periods);

	*ret = (struct ana_pair){ prof_no_binary(), prof_no_binary() };
	if (err)
		return err;
	const struct ana_pair pair = {
		find_program(profile, &periods, ANA_BEFORE),
		find_program(profile, &periods, ANA_AFTER),
	};
	if (prof_is_none(pair.before) || prof_is_none(pair.after) ||
		is_on_side(profile, &periods, ANA_AFTER, pair.before) ||
		is_on_side(profile, &periods, ANA_BEFORE, pair.after))
		return NULL;
	*ret = pair;
	return NULL;
}

/* Find a binary of a side by its path or file name. */
static struct prof_binary_id find_named(const struct profile *profile,
	const struct periods *periods, enum ana_side side, const char *name)
{
	for (struct prof_binary_id id = { 0 }; id.i < profile->binaries.n; id.i++) {
		const char *path = prof_string(profile, prof_binary(profile, id)->name);

		if (periods->of[side][id.i] &&
			(strcmp(path, name) == 0 || strcmp(base_file_name(path), name) == 0))
			return id;
	}
	return prof_no_binary();
}

struct pd_error *ana_pair_named(const struct profile *profile, const struct ana_sides *sides,
	const struct pd_path_map *map, struct ana_pair *ret)
{
	_cleanup_(periods_deinit) struct periods periods = { 0 };
	struct pd_error *err = periods_init(profile, sides, &periods);

	if (err)
		return err;
	*ret = (struct ana_pair){
		find_named(profile, &periods, ANA_BEFORE, map->from),
		find_named(profile, &periods, ANA_AFTER, map->to),
	};
	if (prof_is_none(ret->before))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"no samples are in a binary '%s' before the change", map->from);
	if (prof_is_none(ret->after))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"no samples are in a binary '%s' after the change", map->to);
	return NULL;
}
