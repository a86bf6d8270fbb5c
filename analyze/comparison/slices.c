#include "analyze/comparison/slices.h"

#include <stdlib.h>

#include <pdconv/record.h>

#include "base/array.h"
#include "base/cleanup.h"

/* Times of the first and the last sample, in ns. first > last: no sample has a time. */
struct span {
	uint64_t first;
	uint64_t last;
};

static bool is_in(
	const struct ana_slices_opts *opts, const struct prof_sample *sample, size_t recording)
{
	return prof_same_event(sample->event, opts->event) &&
	       ana_recording_of(opts->sides, sample->tags) == recording;
}

static struct span find_span(const struct ana_slices_opts *opts, size_t recording)
{
	struct span span = { .first = UINT64_MAX };

	for (struct prof_sample_id id = { 0 }; id.i < opts->profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(opts->profile, id);
		uint64_t time = prof_sample_time(opts->profile, id);

		if (!is_in(opts, sample, recording) || time == PD_NO_TIME)
			continue;
		span.first = time < span.first ? time : span.first;
		span.last = time > span.last ? time : span.last;
	}
	return span;
}

static size_t slice_of(const struct span *span, size_t n, uint64_t time)
{
	if (time == PD_NO_TIME || n < 2)
		return 0;
	double at = (double)(time - span->first) / (double)(span->last - span->first + 1);
	size_t i = (size_t)(at * (double)n);
	return i < n ? i : n - 1;
}

/* Count a sample in all of its columns that @p map keeps; NULL keeps all. */
static void count(struct ana_slices *s, const struct ana_slices_opts *opts,
	struct prof_sample_id id, size_t slice, const uint32_t *map)
{
	const struct prof_value *value = prof_value(opts->profile, id);
	uint32_t n;
	const uint32_t *columns =
		ana_columns_at(opts->columns, prof_sample(opts->profile, id)->stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t column = map ? map[columns[i]] : columns[i];

		if (column == PROF_NONE)
			continue;
		s->sums[column].samples += value->samples;
		s->sums[column].period += value->period;
		if (s->amounts)
			s->amounts[column * s->n + slice] += (double)value->period;
	}
}

static void count_samples(struct ana_slices *s, const struct ana_slices_opts *opts,
	size_t recording, const struct span *span, const uint32_t *map)
{
	for (struct prof_sample_id id = { 0 }; id.i < opts->profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(opts->profile, id);

		if (!is_in(opts, sample, recording))
			continue;
		size_t slice = slice_of(span, s->n, prof_sample_time(opts->profile, id));
		count(s, opts, id, slice, map);
	}
}

struct pd_error *ana_slices_sum(
	const struct ana_slices_opts *opts, size_t recording, struct ana_slices *ret)
{
	const struct span none = { 0 };

	*ret = (struct ana_slices){ .n = 1, .n_columns = opts->columns->list.n };
	ret->sums = base_calloc_n(ret->n_columns, sizeof(*ret->sums));
	if (!ret->sums)
		return &pd_enomem;
	count_samples(ret, opts, recording, &none, NULL);
	return NULL;
}

struct pd_error *ana_slices_create(const struct ana_slices_opts *opts, size_t recording,
	const uint32_t *map, size_t n_columns, struct ana_slices *ret)
{
	struct span span = find_span(opts, recording);
	bool has_times = span.first < span.last;

	*ret = (struct ana_slices){
		.n = has_times ? ANA_MAX_SLICES : 1,
		.n_columns = n_columns,
		.duration = has_times ? span.last - span.first : 0,
	};
	ret->sums = base_calloc_n(n_columns, sizeof(*ret->sums));
	ret->amounts = base_calloc_n(n_columns * ret->n, sizeof(*ret->amounts));
	if (!ret->sums || !ret->amounts) {
		ana_slices_deinit(ret);
		return &pd_enomem;
	}
	count_samples(ret, opts, recording, &span, map);
	return NULL;
}

void ana_slices_deinit(struct ana_slices *slices)
{
	free(slices->sums);
	free(slices->amounts);
	*slices = (struct ana_slices){ 0 };
}

enum {
	N_REPLICATES = 400,
	/** Length of a block, in slices. */
	BLOCK = 2,
	/** Largest distance of a block from the one that it replaces, in slices. */
	REACH = 4,
};

/* Generator of random numbers: PCG32 of O'Neill (2014). */
struct random {
	uint64_t state;
};

static uint32_t draw(struct random *random)
{
	uint64_t state = random->state;

	random->state = state * 6364136223846793005u + 1442695040888963407u;
	uint32_t mixed = (uint32_t)(((state >> 18) ^ state) >> 27);
	uint32_t turn = (uint32_t)(state >> 59);
	return mixed >> turn | mixed << (-turn & 31);
}

/* Draw a number below @p limit. Its bias is below limit / 2^32. */
static size_t draw_below(struct random *random, size_t limit)
{
	return (size_t)((uint64_t)draw(random) * limit >> 32);
}

/* Count how often each of the @p n slices is in a replicate of the recording. */
static void draw_slices(struct random *random, size_t n, double *times)
{
	for (size_t i = 0; i < n; i++)
		times[i] = 0;
	for (size_t at = 0; at < n; at += BLOCK) {
		size_t len = n - at < BLOCK ? n - at : BLOCK;
		size_t first = at < REACH ? 0 : at - REACH;
		size_t last = at + REACH < n - len ? at + REACH : n - len;
		size_t start = first + draw_below(random, last - first + 1);

		for (size_t i = 0; i < len; i++)
			times[start + i]++;
	}
}

/*
 * Blocks that replace each other overlap, which makes their sums alike. Return the variance of the
 * sum over a block that is drawn within reach, as a part of the variance of the sum over slices
 * that are independent: the mean of min(distance of two draws, BLOCK) / BLOCK.
 */
static double seen_variance(void)
{
	enum { N = 2 * REACH + 1 };
	double sum = 0;

	for (int a = 0; a < N; a++) {
		for (int b = 0; b < N; b++)
			sum += abs(a - b) < BLOCK ? abs(a - b) : BLOCK;
	}
	return sum / (N * N * BLOCK);
}

/* Amount of a column in a slice, unless it is 0: most functions run in few slices. */
struct cell {
	size_t slice;
	double amount;
};

/* Cells by column, and the end of those of each column. */
struct cells {
	struct cell *list;
	size_t *ends;
};

static void cells_deinit(struct cells *cells)
{
	free(cells->list);
	free(cells->ends);
}

static bool cells_init(struct cells *cells, const struct ana_slices *slices)
{
	size_t n = 0;

	for (size_t i = 0; i < slices->n_columns * slices->n; i++)
		n += slices->amounts[i] != 0;
	cells->list = base_calloc_n(n, sizeof(*cells->list));
	cells->ends = base_calloc_n(slices->n_columns, sizeof(*cells->ends));
	if (!cells->list || !cells->ends)
		return false;
	n = 0;
	for (size_t c = 0; c < slices->n_columns; c++) {
		for (size_t i = 0; i < slices->n; i++) {
			double amount = slices->amounts[c * slices->n + i];

			if (amount != 0)
				cells->list[n++] = (struct cell){ i, amount };
		}
		cells->ends[c] = n;
	}
	return true;
}

/* Amount of each column in a replicate that has each slice @p times. */
static void weigh(const struct cells *cells, const double *times, size_t n_columns, double *ret)
{
	size_t at = 0;

	for (size_t c = 0; c < n_columns; c++) {
		ret[c] = 0;
		for (; at < cells->ends[c]; at++)
			ret[c] += cells->list[at].amount * times[cells->list[at].slice];
	}
}

/* Mean and sum of squared differences from it, updated with each replicate (Welford). */
struct moments {
	double mean;
	double squares;
};

static void add_replicate(struct moments *moments, double value, int n)
{
	double change = value - moments->mean;

	moments->mean += change / n;
	moments->squares += change * (value - moments->mean);
}

/* A part of the columns is the base. Return its amount, where @p amounts are indexed by column. */
static double base_of(const double *amounts, const bool *is_excluded, size_t n_columns)
{
	double base = amounts[0];

	for (size_t c = 1; c < n_columns; c++)
		base -= is_excluded[c] ? amounts[c] : 0;
	return base;
}

/* Without times: the variance of a sum of independent samples of equal periods. */
static void take_for_independent(const struct ana_slices *slices, double *ret)
{
	for (size_t c = 0; c < slices->n_columns; c++) {
		const struct prof_value *sum = &slices->sums[c];
		double amount = (double)sum->period;

		ret[c] = sum->samples ? amount * amount / (double)sum->samples : 0;
	}
}

struct pd_error *ana_resample(
	const struct ana_slices *slices, const bool *is_excluded, uint64_t seed, double *ret)
{
	size_t n = slices->n, n_columns = slices->n_columns;
	_cleanup_free_ double *times = calloc(n, sizeof(*times));
	_cleanup_free_ double *amounts = base_calloc_n(n_columns, sizeof(*amounts));
	_cleanup_free_ struct moments *moments = base_calloc_n(n_columns, sizeof(*moments));
	_cleanup_(cells_deinit) struct cells cells = { 0 };
	struct random random = { .state = (seed + 1) * 0x9e3779b97f4a7c15u };

	if (n < 2) {
		take_for_independent(slices, ret);
		return NULL;
	}
	if (!times || !amounts || !moments || !cells_init(&cells, slices))
		return &pd_enomem;
	for (size_t c = 0; c < n_columns; c++)
		amounts[c] = (double)slices->sums[c].period;
	double whole = base_of(amounts, is_excluded, n_columns);
	for (int i = 1; i <= N_REPLICATES; i++) {
		draw_slices(&random, n, times);
		weigh(&cells, times, n_columns, amounts);
		double base = base_of(amounts, is_excluded, n_columns);
		double scale = base > 0 ? whole / base : 1;
		for (size_t c = 0; c < n_columns; c++)
			add_replicate(&moments[c], amounts[c] * scale, i);
	}
	for (size_t c = 0; c < n_columns; c++)
		ret[c] = moments[c].squares / (N_REPLICATES - 1) / seen_variance();
	return NULL;
}
