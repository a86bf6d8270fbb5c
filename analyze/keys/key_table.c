/* Tables: counting the samples of each level first, then texts, groups and the order of rows. */
#include "analyze/keys/key_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/keys/key_text.h"
#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/system/libc.h"

/* Whether a key of the table differs between frames of a stack, not only between samples. */
static bool is_of_place(const struct ana_table *t, size_t key)
{
	return t->opts.keys.counted == ANA_COUNT_SAMPLES &&
	       ana_key_row(t->opts.keys.list[key])->of == ANA_OF_FRAME;
}

/* A sample, branch or access that is counted in all levels. */
struct unit {
	struct ana_at at;
	struct ana_hit hit;
};

/* Intern the texts of the keys of @p level that are of places, or else of samples. */
static uint32_t intern_texts(struct ana_table *t, struct ana_level *level, const struct ana_at *at,
	bool of_place, struct base_intern *to)
{
	uint32_t ids[ANA_MAX_KEYS];
	struct ana_at own = *at;
	size_t n = 0;
	char buf[ANA_KEY_TEXT_SIZE];

	for (size_t i = 0; i < level->n_keys; i++) {
		if (is_of_place(t, i) != of_place)
			continue;
		own.field = &t->opts.keys.fields[i];
		ids[n] = base_intern_str(&t->texts, ana_key_text(t->opts.keys.list[i], &own, buf));
		if (ids[n++] == PD_INTERN_NONE)
			return PD_INTERN_NONE;
	}
	return base_intern_add(to, ids, n * sizeof(*ids));
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
	return key == ANA_KEY_COMM || key == ANA_KEY_COMM_NODIGIT || key == ANA_KEY_PID ||
	       key == ANA_KEY_TID;
}

/* Prepare to find the part of a thread once, if that is all that parts depend on. */
static bool begin_parts(struct ana_table *t, struct ana_level *level)
{
	size_t n = t->profile->threads.n;

	for (size_t i = 0; i < level->n_keys; i++) {
		if (!is_of_place(t, i) && !is_of_thread(t->opts.keys.list[i]))
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
		has_place |= is_of_place(t, i);
		has_sample |= !is_of_place(t, i);
	}
	level->rows = (struct ana_rows){
		.kind = !has_place   ? ANA_ROWS_BY_PART
			: has_sample ? ANA_ROWS_BY_BOTH
				     : ANA_ROWS_BY_PLACE,
		.places = &level->places,
		.has_leaf_only = t->opts.has_leaf_only,
		.n_columns = t->opts.n_columns * (t->n_modes + t->has_latency),
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

static bool count_in_levels(struct ana_table *t, struct unit *unit)
{
	for (size_t i = 0; i < t->n_levels; i++) {
		if (!count_in_level(t, &t->levels[i], unit))
			return false;
	}
	return true;
}

/*
 * Return the latency of a sample: its period divided by the number of threads that were running,
 * so that all samples of one second of the clock add up to one second.
 */
static uint64_t take_latency(struct ana_table *t, const struct unit *unit)
{
	const struct prof_tags *tags = prof_tags(t->profile, unit->at.sample->tags);
	uint64_t n = tags && tags->parallelism ? tags->parallelism : 1;
	uint64_t period = unit->hit.value.period, latency;

	if (__builtin_mul_overflow(period, (uint64_t)ANA_LATENCY_UNITS, &latency) ||
		latency / n > PROF_MAX_PERIODS - t->latencies[unit->at.sample->event.i])
		return 0;
	t->latencies[unit->at.sample->event.i] += latency / n;
	return latency / n;
}

static bool count_unit(struct ana_table *t, struct unit *unit)
{
	struct prof_value *whole = &t->wholes[unit->at.sample->event.i];

	whole->samples += unit->hit.value.samples;
	whole->period += unit->hit.value.period;
	if (!count_in_levels(t, unit))
		return false;
	if (!t->has_latency)
		return true;
	struct unit latency = *unit;
	latency.hit.value.period = take_latency(t, unit);
	latency.hit.column =
		t->opts.columns[unit->at.sample->event.i] + t->opts.n_columns * t->n_modes;
	return count_in_levels(t, &latency);
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
			.wakers = &t->wakers,
			.sample_id = id,
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

		base_spill_pass(&t->profile->rows, i);
		base_spill_pass(&t->profile->details, i);
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

/* Count all samples. The options, n_modes and n_levels of the table are set. */
static bool count_all(struct ana_table *t)
{
	t->wholes = base_calloc_n(t->profile->events.n, sizeof(*t->wholes));
	t->latencies = base_calloc_n(t->profile->events.n, sizeof(*t->latencies));
	if (!t->wholes || !t->latencies)
		return false;
	for (size_t i = 0; i < t->n_levels; i++) {
		size_t n_keys = i < t->opts.n_groups ? i + 1 : t->opts.keys.n;

		if (!begin_level(t, &t->levels[i], n_keys))
			return false;
	}
	return ana_keys_need_rows(&t->opts.keys) ? count_rows(t) : count_samples(t);
}

/* Store the texts of @p row in the order of the keys in @p ret. */
static void texts_of_row(
	const struct ana_table *t, const struct ana_level *level, uint32_t row, uint32_t *ret)
{
	struct ana_row_id id = { row, row };
	const uint32_t *of_part = NULL;
	const uint32_t *of_place = NULL;

	if (level->rows.kind == ANA_ROWS_BY_BOTH)
		id = *(const struct ana_row_id *)base_intern_bytes(&level->rows.ids, row);
	if (level->rows.kind != ANA_ROWS_BY_PLACE)
		of_part = base_intern_bytes(&level->parts, id.part);
	if (level->rows.kind != ANA_ROWS_BY_PART)
		of_place = base_intern_bytes(&level->of_places, id.place);
	for (size_t i = 0; i < level->n_keys; i++) {
		const uint32_t **next = is_of_place(t, i) ? &of_place : &of_part;

		PD_IS_TRUE(*next, "the kind of the rows says which keys there are");
		ret[i] = *(*next)++;
	}
}

uint64_t ana_table_whole(const struct ana_table *table, size_t column)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < table->profile->events.n; i++)
		ret += table->opts.columns[i] == column ? table->wholes[i].period : 0;
	return ret;
}

uint64_t ana_table_whole_latency(const struct ana_table *table, size_t column)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < table->profile->events.n; i++)
		ret += table->opts.columns[i] == column ? table->latencies[i] : 0;
	return ret;
}

struct ana_sums ana_table_sums(
	const struct ana_table *table, size_t level, uint32_t row, size_t column)
{
	const struct ana_cell *all = ana_rows_at(&table->levels[level].rows, row);
	const struct ana_cell *cells = all + column * table->n_modes;
	struct ana_sums ret = { 0 };

	if (table->has_latency) {
		const struct ana_cell *cell = all + table->opts.n_columns * table->n_modes + column;

		ret.latency = cell->self.period;
		ret.total_latency = cell->total.period;
	}
	for (size_t i = 0; i < table->n_modes; i++) {
		ret.self.samples += cells[i].self.samples;
		ret.self.period += cells[i].self.period;
		ret.total.samples += cells[i].total.samples;
		ret.total.period += cells[i].total.period;
		ret.modes[i] = cells[i].self.period;
	}
	return ret;
}

/* The mode that a key sums up; ANA_N_MODES: all of them. */
static enum ana_mode mode_key(enum ana_key sum)
{
	switch (sum) {
	case ANA_KEY_OVERHEAD_SYS:
		return ANA_MODE_SYS;
	case ANA_KEY_OVERHEAD_US:
		return ANA_MODE_US;
	case ANA_KEY_OVERHEAD_GUEST_SYS:
		return ANA_MODE_GUEST_SYS;
	case ANA_KEY_OVERHEAD_GUEST_US:
		return ANA_MODE_GUEST_US;
	default:
		return ANA_N_MODES;
	}
}

bool ana_is_latency(enum ana_key sum)
{
	return sum == ANA_KEY_LATENCY || sum == ANA_KEY_LATENCY_CHILDREN;
}

uint64_t ana_sum_of(enum ana_key sum, const struct ana_sums *sums)
{
	if (mode_key(sum) != ANA_N_MODES)
		return sums->modes[mode_key(sum)];
	if (ana_is_latency(sum))
		return sum == ANA_KEY_LATENCY ? sums->latency : sums->total_latency;
	if (sum == ANA_KEY_OVERHEAD_CHILDREN)
		return sums->total.period;
	return sum == ANA_KEY_SAMPLES ? sums->self.samples : sums->self.period;
}

/* A level that is sorted. */
struct sorting {
	const struct ana_table *table;
	size_t level;
	/** Key of the level that is the time; PROF_NONE: it has none. */
	uint32_t time_key;
};

/* Order rows by their times. Rows without a time come last. */
static int compare_times(const struct sorting *in, uint32_t x, uint32_t y)
{
	uint32_t texts[ANA_MAX_KEYS];
	char *end_x, *end_y;

	texts_of_row(in->table, &in->table->levels[in->level], x, texts);
	const char *text_x = base_intern_bytes(&in->table->texts, texts[in->time_key]);
	texts_of_row(in->table, &in->table->levels[in->level], y, texts);
	const char *text_y = base_intern_bytes(&in->table->texts, texts[in->time_key]);
	double time_x = strtod(text_x, &end_x), time_y = strtod(text_y, &end_y);

	if (end_x == text_x || end_y == text_y)
		return (end_x == text_x) - (end_y == text_y);
	return (time_x > time_y) - (time_x < time_y);
}

/* Find the key that is the time among those that the level adds to the level before. */
static uint32_t find_time(const struct ana_table *t, size_t level)
{
	for (size_t i = level ? t->levels[level - 1].n_keys : 0; i < t->levels[level].n_keys; i++) {
		if (t->opts.keys.list[i] == ANA_KEY_TIME && !t->opts.keys.n_sums)
			return (uint32_t)i;
	}
	return PROF_NONE;
}

/*
 * Sort rows by time if that is a key, or by their sums, the largest first; equal ones stay in the
 * order of the samples.
 */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct sorting *in = ctx;
	const struct ana_keys *keys = &in->table->opts.keys;
	const enum ana_key by[] = { keys->n_sums ? keys->sums[0] : ANA_KEY_OVERHEAD,
		ANA_KEY_OVERHEAD, ANA_KEY_OVERHEAD_CHILDREN };
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	if (in->time_key != PROF_NONE) {
		int order = compare_times(in, x, y);
		if (order)
			return order;
	}
	for (size_t i = 0; i < in->table->opts.n_columns; i++) {
		struct ana_sums of_x = ana_table_sums(in->table, in->level, x, i);
		struct ana_sums of_y = ana_table_sums(in->table, in->level, y, i);

		for (size_t k = 0; k < PD_ARRAY_LEN(by); k++) {
			uint64_t sum_x = ana_sum_of(by[k], &of_x);
			uint64_t sum_y = ana_sum_of(by[k], &of_y);

			if (sum_x != sum_y)
				return sum_x < sum_y ? 1 : -1;
		}
	}
	return x < y ? -1 : x > y;
}

/* List the rows of @p level that occur, sorted. @p list has room for all of them. */
static size_t list_sorted(const struct ana_table *t, size_t level, uint32_t *list)
{
	const struct ana_rows *rows = &t->levels[level].rows;
	const struct sorting sorting = { t, level, find_time(t, level) };
	size_t n = 0;

	for (uint32_t i = 0; i < rows->n; i++) {
		if (ana_rows_occurs(rows, i))
			list[n++] = i;
	}
	if (n)
		base_sort_with(list, n, sizeof(*list), compare, (void *)&sorting);
	return n;
}

/* Rows of a level by the texts of their keys. */
struct index {
	struct base_intern texts;
	/** Row of each array of texts. */
	PD_VEC(uint32_t) rows;
};

static void index_deinit(struct index *index)
{
	base_intern_deinit(&index->texts);
	pd_vec_deinit(&index->rows);
}

static bool index_row(
	struct index *index, const struct ana_table *t, const struct ana_level *level, uint32_t row)
{
	uint32_t texts[ANA_MAX_KEYS];

	texts_of_row(t, level, row, texts);
	/* Rows differ in their texts, so that each gets the next id. */
	return base_intern_add(&index->texts, texts, level->n_keys * sizeof(*texts)) !=
		       PD_INTERN_NONE &&
	       pd_vec_push(&index->rows, row);
}

/* Return the group of @p row: the row with its first keys in the level before. */
static uint32_t find_group(
	const struct index *groups, const struct ana_table *t, size_t level, uint32_t row)
{
	uint32_t texts[ANA_MAX_KEYS];

	if (!level)
		return 0;
	texts_of_row(t, &t->levels[level], row, texts);
	PD_IS_TRUE(groups->rows.data, "each row of a level belongs to one of the level before");
	return groups->rows.data[base_intern_find(
		&groups->texts, texts, t->levels[level - 1].n_keys * sizeof(*texts))];
}

/*
 * Link the rows of a level to their groups, which are in *@p groups, and replace these by the rows.
 */
static bool link_rows(struct ana_table *t, size_t level, struct index *groups)
{
	struct ana_level *l = &t->levels[level];
	size_t n_groups = level ? t->levels[level - 1].rows.n : 1;
	_cleanup_(index_deinit) struct index rows = { 0 };
	_cleanup_free_ uint32_t *list = base_calloc_n(l->rows.n, sizeof(*list));

	l->first = base_calloc_n(n_groups, sizeof(*l->first));
	l->next = base_calloc_n(l->rows.n, sizeof(*l->next));
	if (!list || !l->first || !l->next)
		return false;
	/* The smallest ones are linked first, so that each is put before those that are smaller. */
	for (size_t n = list_sorted(t, level, list); n--;) {
		uint32_t group = find_group(groups, t, level, list[n]);

		l->next[list[n]] = l->first[group];
		l->first[group] = list[n] + 1;
		if (!index_row(&rows, t, l, list[n]))
			return false;
	}
	struct index old = *groups;
	*groups = rows;
	rows = old;
	return true;
}

static bool needs_modes(const struct ana_keys *keys)
{
	for (size_t i = 0; i < keys->n_sums; i++) {
		if (mode_key(keys->sums[i]) != ANA_N_MODES)
			return true;
	}
	return false;
}

static bool needs_latency(const struct ana_keys *keys)
{
	for (size_t i = 0; i < keys->n_sums; i++) {
		if (ana_is_latency(keys->sums[i]))
			return true;
	}
	return false;
}

static bool build(struct ana_table *t)
{
	_cleanup_(index_deinit) struct index groups = { 0 };

	t->has_latency = needs_latency(&t->opts.keys);
	t->n_modes = needs_modes(&t->opts.keys) ? ANA_N_MODES : 1;
	t->n_levels = t->opts.n_groups < t->opts.keys.n ? t->opts.n_groups + 1 : t->opts.n_groups;
	if (!count_all(t))
		return false;
	for (size_t i = 0; i < t->n_levels; i++) {
		if (!link_rows(t, i, &groups))
			return false;
	}
	return true;
}

struct pd_error *ana_table_create(
	const struct profile *profile, const struct ana_table_opts *opts, struct ana_table *ret)
{
	struct pd_error *err = NULL;

	*ret = (struct ana_table){ .profile = profile, .opts = *opts };
	if (ana_keys_need_wakers(&opts->keys))
		err = ana_sample_wakers_create(profile, &ret->wakers);
	if (!err && build(ret))
		return NULL;
	ana_table_deinit(ret);
	return err ? err : &pd_enomem;
}

static void level_deinit(struct ana_level *level)
{
	ana_rows_deinit(&level->rows);
	base_intern_deinit(&level->parts);
	base_intern_deinit(&level->of_places);
	ana_places_deinit(&level->places);
	free(level->part_of_thread);
	free(level->first);
	free(level->next);
}

void ana_table_deinit(struct ana_table *table)
{
	for (size_t i = 0; i < table->n_levels; i++)
		level_deinit(&table->levels[i]);
	base_intern_deinit(&table->texts);
	ana_sample_wakers_deinit(&table->wakers);
	free(table->wholes);
	free(table->latencies);
}

/* Keys whose text is multiplied by the number of samples in the row. */
static bool is_summed_up(enum ana_key key)
{
	return key == ANA_KEY_WEIGHT || key == ANA_KEY_INS_LAT || key == ANA_KEY_P_STAGE_CYC;
}

const char *ana_table_text(
	const struct ana_table *table, size_t level, uint32_t row, size_t key, char *buf)
{
	uint32_t texts[ANA_MAX_KEYS];
	uint64_t n_samples = 0;

	texts_of_row(table, &table->levels[level], row, texts);
	const char *text = base_intern_bytes(&table->texts, texts[key]);
	if (!is_summed_up(table->opts.keys.list[key]))
		return text;
	for (size_t i = 0; i < table->opts.n_columns; i++)
		n_samples += ana_table_sums(table, level, row, i).self.samples;
	uint64_t sum;

	/* A weight may be damaged. */
	if (__builtin_mul_overflow((uint64_t)strtoull(text, NULL, 10), n_samples, &sum))
		sum = UINT64_MAX;
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu64, sum);
	return buf;
}

uint32_t ana_table_first(const struct ana_table *table, size_t level, uint32_t group)
{
	return table->levels[level].first[group] - 1;
}

uint32_t ana_table_next(const struct ana_table *table, size_t level, uint32_t row)
{
	return table->levels[level].next[row] - 1;
}
