/* Rows of a table: their texts, their groups, and their order. */
#include "analyze/table_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"

/* Store the texts of @p row in the order of the keys in @p ret. */
static void texts_of_row(
	const struct ana_table *t, const struct ana_level *level, uint32_t row, uint32_t *ret)
{
	struct ana_row_id id = { row, row };
	const uint32_t *of_part = NULL;
	const uint32_t *of_place = NULL;

	if (level->rows.kind == ANA_ROWS_BY_BOTH)
		id = *(const struct ana_row_id *)pd_intern_bytes(&level->rows.ids, row);
	if (level->rows.kind != ANA_ROWS_BY_PLACE)
		of_part = pd_intern_bytes(&level->parts, id.part);
	if (level->rows.kind != ANA_ROWS_BY_PART)
		of_place = pd_intern_bytes(&level->of_places, id.place);
	for (size_t i = 0; i < level->n_keys; i++) {
		const uint32_t **next = ana_key_is_of_place(t, i) ? &of_place : &of_part;

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

struct ana_sums ana_table_sums(
	const struct ana_table *table, size_t level, uint32_t row, size_t column)
{
	const struct ana_cell *cells =
		ana_rows_at(&table->levels[level].rows, row) + column * table->n_modes;
	struct ana_sums ret = { 0 };

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

uint64_t ana_sum_of(enum ana_key sum, const struct ana_sums *sums)
{
	if (mode_key(sum) != ANA_N_MODES)
		return sums->modes[mode_key(sum)];
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
	const char *text_x = pd_intern_bytes(&in->table->texts, texts[in->time_key]);
	texts_of_row(in->table, &in->table->levels[in->level], y, texts);
	const char *text_y = pd_intern_bytes(&in->table->texts, texts[in->time_key]);
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
		qsort_r(list, n, sizeof(*list), compare, (void *)&sorting);
	return n;
}

/* Rows of a level by the texts of their keys. */
struct index {
	struct pd_intern texts;
	/** Row of each array of texts. */
	PD_VEC(uint32_t) rows;
};

static void index_deinit(struct index *index)
{
	pd_intern_deinit(&index->texts);
	pd_vec_deinit(&index->rows);
}

static bool index_row(
	struct index *index, const struct ana_table *t, const struct ana_level *level, uint32_t row)
{
	uint32_t texts[ANA_MAX_KEYS];

	texts_of_row(t, level, row, texts);
	/* Rows differ in their texts, so that each gets the next id. */
	return pd_intern_add(&index->texts, texts, level->n_keys * sizeof(*texts)) !=
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
	return groups->rows.data[pd_intern_find(
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
	_cleanup_free_ uint32_t *list = calloc(l->rows.n + 1, sizeof(*list));

	l->first = calloc(n_groups + 1, sizeof(*l->first));
	l->next = calloc(l->rows.n + 1, sizeof(*l->next));
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

static bool build(struct ana_table *t)
{
	_cleanup_(index_deinit) struct index groups = { 0 };

	t->n_modes = needs_modes(&t->opts.keys) ? ANA_N_MODES : 1;
	t->n_levels = t->opts.n_groups < t->opts.keys.n ? t->opts.n_groups + 1 : t->opts.n_groups;
	if (!ana_table_count(t))
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
	*ret = (struct ana_table){ .profile = profile, .opts = *opts };
	if (build(ret))
		return NULL;
	ana_table_deinit(ret);
	return &pd_enomem;
}

static void level_deinit(struct ana_level *level)
{
	ana_rows_deinit(&level->rows);
	pd_intern_deinit(&level->parts);
	pd_intern_deinit(&level->of_places);
	ana_places_deinit(&level->places);
	free(level->part_of_thread);
	free(level->first);
	free(level->next);
}

void ana_table_deinit(struct ana_table *table)
{
	for (size_t i = 0; i < table->n_levels; i++)
		level_deinit(&table->levels[i]);
	pd_intern_deinit(&table->texts);
	free(table->wholes);
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
	const char *text = pd_intern_bytes(&table->texts, texts[key]);
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
