/* Counting the samples of a table. */
#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"

#include "analyze/key_text.h"
#include "analyze/table_private.h"

/* A sample, branch or access that is counted in all levels. */
struct unit {
	struct ana_at at;
	struct ana_hit hit;
};

/* Intern the texts of the keys of @p level that are of places, or else of samples. */
static uint32_t intern_texts(struct ana_table *t, struct ana_level *level, const struct ana_at *at,
	bool of_place, struct pd_intern *to)
{
	uint32_t ids[ANA_MAX_KEYS];
	struct ana_at own = *at;
	size_t n = 0;
	char buf[ANA_KEY_TEXT_SIZE];

	for (size_t i = 0; i < level->n_keys; i++) {
		if (ana_key_is_of_place(t, i) != of_place)
			continue;
		own.field = &t->opts.keys.fields[i];
		ids[n] = pd_intern_str(&t->texts, ana_key_text(t->opts.keys.list[i], &own, buf));
		if (ids[n++] == PD_INTERN_NONE)
			return PD_INTERN_NONE;
	}
	return pd_intern_add(to, ids, n * sizeof(*ids));
}

static bool add_place(struct ana_table *t, struct ana_level *level, const struct ana_at *at)
{
	uint32_t id = intern_texts(t, level, at, true, &level->of_places);

	return id != PD_INTERN_NONE && pd_vec_push(&level->places.list, id);
}

static bool add_places_of_frame(
	struct ana_table *t, struct ana_level *level, struct prof_frame_id id)
{
	struct ana_at at = { .profile = t->profile, .frame = prof_frame(t->profile, id) };
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(t->profile, id, &n);

	if (!n)
		return add_place(t, level, &at);
	for (uint32_t i = 0; i < (t->opts.has_leaf_only ? 1 : n); i++) {
		at.line = &lines[i];
		if (!add_place(t, level, &at))
			return false;
	}
	return true;
}

static bool add_places(struct ana_table *t, struct ana_level *level)
{
	const struct ana_at none = { .profile = t->profile };
	bool ok = ana_places_next(&level->places);

	for (struct prof_frame_id id = { 0 }; ok && id.i < t->profile->frames.n; id.i++)
		ok = add_places_of_frame(t, level, id) && ana_places_next(&level->places);
	level->no_place = ok ? intern_texts(t, level, &none, true, &level->of_places) : PROF_NONE;
	return level->no_place != PROF_NONE;
}

/* Whether the text of a key is the same for all samples of a thread. */
static bool is_of_thread(enum ana_key key)
{
	return key == ANA_KEY_COMM || key == ANA_KEY_PID || key == ANA_KEY_TID;
}

/* Prepare to find the part of a thread once, if that is all that parts depend on. */
static bool begin_parts(struct ana_table *t, struct ana_level *level)
{
	size_t n = t->profile->threads.n;

	for (size_t i = 0; i < level->n_keys; i++) {
		if (!ana_key_is_of_place(t, i) && !is_of_thread(t->opts.keys.list[i]))
			return true;
	}
	level->part_of_thread = reallocarray(NULL, n + 1, sizeof(*level->part_of_thread));
	for (size_t i = 0; level->part_of_thread && i < n; i++)
		level->part_of_thread[i] = PROF_NONE;
	return level->part_of_thread != NULL;
}

static bool begin_level(struct ana_table *t, struct ana_level *level, size_t n_keys)
{
	bool has_sample = false;
	bool has_place = false;

	level->n_keys = n_keys;
	for (size_t i = 0; i < n_keys; i++) {
		has_place |= ana_key_is_of_place(t, i);
		has_sample |= !ana_key_is_of_place(t, i);
	}
	level->rows = (struct ana_rows){
		.kind = !has_place   ? ANA_ROWS_BY_PART
			: has_sample ? ANA_ROWS_BY_BOTH
				     : ANA_ROWS_BY_PLACE,
		.places = &level->places,
		.has_leaf_only = t->opts.has_leaf_only,
		.n_columns = t->opts.n_columns * t->n_modes,
	};
	if ((has_place && !add_places(t, level)) || (has_sample && !begin_parts(t, level)))
		return false;
	return level->rows.kind != ANA_ROWS_BY_PLACE ||
	       ana_rows_expect(&level->rows, level->of_places.n);
}

static enum ana_mode mode_of(const struct profile *profile, const struct unit *unit)
{
	const struct prof_frame *leaf =
		unit->hit.n_frames ? prof_frame(profile, unit->hit.frames[0]) : NULL;

	if (!leaf || prof_is_none(leaf->binary))
		return ANA_MODE_US;
	const struct prof_binary *binary = prof_binary(profile, leaf->binary);
	const char *name = prof_string(profile, binary->name);
	if (strcmp(name, "[guest.kernel]") == 0)
		return ANA_MODE_GUEST_SYS;
	if (strcmp(name, "[guest]") == 0 || strcmp(name, "[guest.user]") == 0)
		return ANA_MODE_GUEST_US;
	return binary->is_kernel ? ANA_MODE_SYS : ANA_MODE_US;
}

/* Return the part of a sample, or PROF_NONE if out of memory. */
static uint32_t find_part(struct ana_table *t, struct ana_level *level, const struct ana_at *at)
{
	uint32_t *known =
		level->part_of_thread ? &level->part_of_thread[at->sample->thread.i] : NULL;

	if (known && *known != PROF_NONE)
		return *known;
	uint32_t part = intern_texts(t, level, at, false, &level->parts);
	if (known)
		*known = part;
	return part;
}

static bool count_in_level(struct ana_table *t, struct ana_level *level, struct unit *unit)
{
	unit->hit.no_place = level->no_place;
	if (level->rows.kind != ANA_ROWS_BY_PLACE) {
		unit->hit.part = find_part(t, level, &unit->at);
		if (unit->hit.part == PROF_NONE)
			return false;
	}
	return ana_rows_add(&level->rows, &unit->hit);
}

static bool count_unit(struct ana_table *t, struct unit *unit)
{
	struct prof_value *whole = &t->wholes[unit->at.sample->event.i];

	whole->samples += unit->hit.value.samples;
	whole->period += unit->hit.value.period;
	for (size_t i = 0; i < t->n_levels; i++) {
		if (!count_in_level(t, &t->levels[i], unit))
			return false;
	}
	return true;
}

static bool count_branches(struct ana_table *t, struct unit *unit)
{
	uint32_t size;

	PD_IS_TRUE(unit->at.detail, "every row has details, which may be empty");
	const struct prof_branch *branches =
		prof_bytes(t->profile, unit->at.detail->branches, &size);

	/* Branches count as one each, whatever the period of their sample is. */
	unit->hit.value = (struct prof_value){ 1, 1 };
	for (size_t i = 0; i < size / sizeof(*branches); i++) {
		unit->at.branch = &branches[i];
		ana_at_frame(&unit->at, branches[i].to_frame);
		if (!count_unit(t, unit))
			return false;
	}
	return true;
}

/*
 * Return what a sample with @p weight counts: 1 if it has no weight, as in perf, and 0 if the sum
 * of weights would get too large, because the weight is negative or damaged.
 */
static uint64_t take_weight(struct ana_table *t, uint64_t weight)
{
	weight = weight ? weight : 1;
	if (weight > PROF_MAX_PERIODS - t->weights)
		return 0;
	t->weights += weight;
	return weight;
}

static bool count_access(struct ana_table *t, struct unit *unit)
{
	uint32_t n;
	const struct prof_line *lines;

	if (unit->hit.n_frames) {
		lines = prof_frame_lines(t->profile, unit->hit.frames[0], &n);
		unit->at.frame = prof_frame(t->profile, unit->hit.frames[0]);
		unit->at.line = n ? &lines[0] : NULL;
	}
	unit->hit.value.period = take_weight(t, ana_weight(&unit->at));
	return count_unit(t, unit);
}

/* Count a sample whose sample, row and value are set. */
static bool count_sample(struct ana_table *t, struct unit *unit)
{
	uint32_t column = t->opts.columns[unit->at.sample->event.i];

	if (column == PROF_NONE)
		return true;
	unit->hit.frames = prof_stack(t->profile, unit->at.sample->stack, &unit->hit.n_frames);
	unit->hit.column = column * t->n_modes;
	if (t->n_modes > 1)
		unit->hit.column += mode_of(t->profile, unit);
	switch (t->opts.keys.counted) {
	case ANA_COUNT_SAMPLES:
		return count_unit(t, unit);
	case ANA_COUNT_BRANCHES:
		return count_branches(t, unit);
	case ANA_COUNT_ACCESSES:
		return count_access(t, unit);
	}
	return true;
}

static struct unit begin_unit(const struct ana_table *t, struct prof_sample_id id)
{
	return (struct unit){
		.at = {
			.profile = t->profile,
			.time_quantum = t->opts.time_quantum,
			.parent = t->opts.parent,
			.sample = prof_sample(t->profile, id),
		},
		.hit = { .value = *prof_value(t->profile, id) },
	};
}

static bool count_rows(struct ana_table *t)
{
	static const struct prof_detail no_detail = { .addr_frame = { PROF_NONE } };

	for (size_t i = 0; i < t->profile->rows.n; i++) {
		const struct prof_row *row = &t->profile->rows.data[i];
		bool has_detail = i < t->profile->details.n;

		pd_spill_pass(&t->profile->rows, i);
		pd_spill_pass(&t->profile->details, i);
		struct unit unit = begin_unit(t, row->sample);

		unit.at.row = row;
		unit.at.detail = has_detail ? &t->profile->details.data[i] : &no_detail;
		unit.hit.value = (struct prof_value){ 1, row->period };
		if (!count_sample(t, &unit))
			return false;
	}
	return true;
}

static bool count_samples(struct ana_table *t)
{
	for (struct prof_sample_id id = { 0 }; id.i < t->profile->samples.n; id.i++) {
		struct unit unit = begin_unit(t, id);

		if (!count_sample(t, &unit))
			return false;
	}
	return true;
}

bool ana_table_count(struct ana_table *t)
{
	t->wholes = calloc(t->profile->events.n + 1, sizeof(*t->wholes));
	if (!t->wholes)
		return false;
	for (size_t i = 0; i < t->n_levels; i++) {
		size_t n_keys = i < t->opts.n_groups ? i + 1 : t->opts.keys.n;

		if (!begin_level(t, &t->levels[i], n_keys))
			return false;
	}
	return ana_keys_need_rows(&t->opts.keys) ? count_rows(t) : count_samples(t);
}
