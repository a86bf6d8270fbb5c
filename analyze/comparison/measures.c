#include "analyze/comparison/measures.h"

#include <stdlib.h>

#include "analyze/comparison/slices.h"
#include "base/array.h"
#include "base/cleanup.h"

/* Sum all columns of all recordings: of recording r and column c in [c * n_recordings + r]. */
static struct pd_error *sum_columns(const struct ana_measures *m, struct prof_value *sums)
{
	size_t n_columns = m->opts.columns->list.n;

	for (size_t r = 0; r < m->n_recordings; r++) {
		_cleanup_(ana_slices_deinit) struct ana_slices slices = { 0 };
		struct pd_error *err = ana_slices_sum(&m->opts, r, &slices);

		if (err)
			return err;
		for (size_t c = 0; c < n_columns; c++)
			sums[c * m->n_recordings + r] = slices.sums[c];
	}
	return NULL;
}

static bool choose(struct ana_measures *m, ana_candidate_fn *is_wanted, void *ctx,
	const struct prof_value *sums)
{
	for (uint32_t c = 0; c < m->opts.columns->list.n; c++) {
		const struct ana_candidate candidate = {
			.column = ana_column(m->opts.columns, c),
			.sums = &sums[c * m->n_recordings],
			.wholes = sums,
		};
		bool is_taken =
			candidate.column->kind == ANA_COLUMN_ALL || is_wanted(ctx, &candidate);

		m->map[c] = is_taken ? (uint32_t)m->columns.n : PROF_NONE;
		if (is_taken && !pd_vec_push(&m->columns, c))
			return false;
	}
	return true;
}

static bool allocate(struct ana_measures *m)
{
	size_t n = m->columns.n * m->n_recordings;

	m->sums = base_calloc_n(n, sizeof(*m->sums));
	m->amounts = base_calloc_n(n, sizeof(*m->amounts));
	m->variances = base_calloc_n(n, sizeof(*m->variances));
	m->durations = base_calloc_n(m->n_recordings, sizeof(*m->durations));
	m->bases = base_calloc_n(m->n_recordings, sizeof(*m->bases));
	return m->sums && m->amounts && m->variances && m->durations && m->bases;
}

static struct pd_error *create(struct ana_measures *m, ana_candidate_fn *is_wanted, void *ctx)
{
	size_t n_columns = m->opts.columns->list.n;
	_cleanup_free_ struct prof_value *sums =
		base_calloc_n(n_columns * m->n_recordings, sizeof(*sums));

	m->map = base_calloc_n(n_columns, sizeof(*m->map));
	if (!sums || !m->map)
		return &pd_enomem;
	struct pd_error *err = sum_columns(m, sums);
	if (err)
		return err;
	return choose(m, is_wanted, ctx, sums) && allocate(m) ? NULL : &pd_enomem;
}

struct pd_error *ana_measures_create(const struct ana_slices_opts *opts,
	ana_candidate_fn *is_wanted, void *ctx, struct ana_measures *ret)
{
	*ret = (struct ana_measures){ .opts = *opts,
		.n_recordings = ana_n_recordings(opts->sides) };
	struct pd_error *err = create(ret, is_wanted, ctx);

	if (err)
		ana_measures_deinit(ret);
	return err;
}

static struct pd_error *measure(struct ana_measures *m, size_t r, const bool *is_excluded)
{
	size_t n = m->columns.n;
	_cleanup_(ana_slices_deinit) struct ana_slices slices = { 0 };
	_cleanup_free_ double *variances = base_calloc_n(n, sizeof(*variances));
	struct pd_error *err =
		variances ? ana_slices_create(&m->opts, r, m->map, n, &slices) : &pd_enomem;

	/* The number of the recording is the seed, so that recordings have different noise. */
	if (!err)
		err = ana_resample(&slices, is_excluded, r, variances);
	if (err)
		return err;
	m->durations[r] = slices.duration;
	m->bases[r] = (double)slices.sums[0].period;
	for (size_t c = 0; c < n; c++) {
		m->sums[c * m->n_recordings + r] = slices.sums[c];
		m->variances[c * m->n_recordings + r] = variances[c];
		if (is_excluded[c])
			m->bases[r] -= (double)slices.sums[c].period;
	}
	return NULL;
}

/* A recording without a base has no amounts that could be compared relative to it. */
static void scale(struct ana_measures *m)
{
	size_t n_before = m->opts.sides->n[ANA_BEFORE];

	m->base = 0;
	for (size_t r = 0; r < n_before; r++)
		m->base += m->bases[r] / (double)n_before;
	for (size_t i = 0; i < m->columns.n * m->n_recordings; i++) {
		double base = m->bases[i % m->n_recordings];
		double factor = base > 0 && m->base > 0 ? m->base / base : 1;

		m->amounts[i] = (double)m->sums[i].period * factor;
		m->variances[i] *= factor * factor;
	}
}

struct pd_error *ana_measures_update(struct ana_measures *measures, const bool *is_excluded)
{
	for (size_t r = 0; r < measures->n_recordings; r++) {
		struct pd_error *err = measure(measures, r, is_excluded);

		if (err)
			return err;
	}
	scale(measures);
	return NULL;
}

void ana_measures_deinit(struct ana_measures *measures)
{
	pd_vec_deinit(&measures->columns);
	free(measures->map);
	free(measures->sums);
	free(measures->durations);
	free(measures->bases);
	free(measures->amounts);
	free(measures->variances);
	*measures = (struct ana_measures){ 0 };
}
