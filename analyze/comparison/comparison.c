#include "analyze/comparison/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/comparison/measures.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/integer.h"

/*
 * A single recording on a side does not show how much runs differ. This part of the amount is taken
 * for the standard deviation between runs; see doc/design/diff.md. With several recordings, only
 * what rounding may cause is added.
 */
static const double unseen_run_noise = 0.025;
static const double least_run_noise = 0.001;

/*
 * Interrupts and context switches do the work of others, and depend on what else runs. This part of
 * the whole recording is taken for the standard deviation of kernel functions between runs.
 */
static const double kernel_run_noise = 0.004;

/* Degrees of freedom for which the noise within recordings counts. */
static const double within_df = 8;

/* Functions that differ from the center by more standard errors do not belong to the base. */
static const double most_errors = 2.5;

struct comparison {
	struct ana_slices_opts opts;
	struct ana_measures measures;
	/** Factor by which noise between recordings exceeds that within. */
	double spread;
	size_t n_symbols;
	/** Symbols whose SELF is not in the base, and those whose SELF changed. By symbol. */
	bool *is_excluded;
	bool *is_changed;
	/** Symbols of the kernel. */
	bool *is_kernel;
	/** Columns with a smaller part of the samples on both sides are not compared. */
	double least_share;
	struct ana_diff *diff;
};

static const struct ana_column *column_of(const struct comparison *c, size_t i)
{
	return ana_column(c->opts.columns, c->measures.columns.data[i]);
}

static bool is_self(const struct comparison *c, size_t i)
{
	return column_of(c, i)->kind == ANA_COLUMN_SELF;
}

static bool is_kernel(const struct comparison *c, size_t i)
{
	uint32_t symbol = column_of(c, i)->symbol;

	return symbol != PROF_NONE && c->is_kernel[symbol];
}

static struct ana_mean mean_of(const struct comparison *c, size_t i, enum ana_side side)
{
	const struct ana_series series = ana_series(&c->measures, i, side);
	const struct ana_noise noise = {
		.spread = c->spread,
		.df = within_df,
		.unseen = is_kernel(c, i) ? kernel_run_noise * c->measures.base : 0,
		.relative = series.n > 1 ? least_run_noise : unseen_run_noise,
	};

	return ana_mean(&series, &noise);
}

/* Mean of the bases on a side. Nothing is known in advance about how much runs differ. */
static struct ana_mean base_of(const struct comparison *c, enum ana_side side)
{
	const struct ana_sides *sides = c->opts.sides;
	const struct ana_series series = {
		.amounts = &c->measures.bases[side == ANA_AFTER ? sides->n[ANA_BEFORE] : 0],
		.n = sides->n[side],
	};
	const struct ana_noise noise = { .relative = least_run_noise };

	return ana_mean(&series, &noise);
}

/* Estimate the change of the bases, and the probability of such a change by chance. */
static struct ana_whole whole_of(const struct comparison *c, double *p_ret)
{
	const struct ana_mean before = base_of(c, ANA_BEFORE);
	const struct ana_mean after = base_of(c, ANA_AFTER);
	struct ana_whole whole = {
		.ratio = ana_ratio(&before, &after),
		.has_interval = c->opts.sides->n[ANA_BEFORE] > 1 && c->opts.sides->n[ANA_AFTER] > 1,
	};

	*p_ret = whole.has_interval ? ana_difference_p(&before, &after) : 1;
	whole.is_changed = *p_ret < 1 - ANA_CONFIDENCE;
	return whole;
}

/* Find the ratio of the mean bases, by which amounts after the change were divided. */
static double common_of(const struct comparison *c)
{
	double before = base_of(c, ANA_BEFORE).value, after = base_of(c, ANA_AFTER).value;

	return before > 0 && after > 0 ? after / before : 1;
}

/* Measure, with a base from which the columns in is_excluded are left out. */

static struct pd_error *find_spread(struct comparison *c)
{
	size_t n = c->measures.columns.n, n_pairs = 0;
	struct ana_series(*pairs)[2] = base_calloc_n(n, sizeof(*pairs));

	for (size_t i = 0; pairs && i < n; i++) {
		if (!is_self(c, i))
			continue;
		pairs[n_pairs][0] = ana_series(&c->measures, i, ANA_BEFORE);
		pairs[n_pairs++][1] = ana_series(&c->measures, i, ANA_AFTER);
	}
	c->spread = pairs ? ana_spread(pairs, n_pairs) : -1;
	free(pairs);
	return c->spread < 0 ? &pd_enomem : NULL;
}

static struct pd_error *measure(struct comparison *c)
{
	size_t n = c->measures.columns.n;
	_cleanup_free_ bool *is_excluded = base_calloc_n(n, sizeof(*is_excluded));

	if (!is_excluded)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		is_excluded[i] = is_self(c, i) && c->is_excluded[column_of(c, i)->symbol];
	return ana_measures_update(&c->measures, is_excluded);
}

static struct pd_error *find_center(const struct comparison *c, double *ret)
{
	struct ana_weighted *list = base_calloc_n(c->measures.columns.n, sizeof(*list));
	double common = common_of(c);
	size_t n = 0;

	if (!list)
		return &pd_enomem;
	for (size_t i = 0; i < c->measures.columns.n; i++) {
		double before = mean_of(c, i, ANA_BEFORE).value;
		double after = mean_of(c, i, ANA_AFTER).value;

		if (is_self(c, i) && before > 0)
			list[n++] =
				(struct ana_weighted){ after / before * common, before + after };
	}
	*ret = ana_center(list, n) / common;
	free(list);
	return NULL;
}

/* Whether what is left of both sides is enough to compare the rest with. */
static bool is_base_large(const struct comparison *c)
{
	const double least = 0.1;
	size_t n = c->measures.n_recordings;

	for (size_t r = 0; r < n; r++) {
		double whole = (double)c->measures.sums[r].period, base = whole;

		for (size_t i = 0; i < c->measures.columns.n; i++) {
			if (is_self(c, i) && c->is_excluded[column_of(c, i)->symbol])
				base -= (double)c->measures.sums[i * n + r].period;
		}
		if (base < least * whole)
			return false;
	}
	return true;
}

/*
 * Leave functions that did not change like most others out of the base. Otherwise a function that
 * takes more than before would seem to make all others take less. If hardly anything is left, the
 * recordings have nothing in common, and everything is the base.
 */
static struct pd_error *choose_base(struct comparison *c)
{
	double center;
	struct pd_error *err = find_center(c, &center);

	if (err)
		return err;
	for (size_t i = 0; i < c->measures.columns.n; i++) {
		const struct ana_mean before = mean_of(c, i, ANA_BEFORE);
		const struct ana_mean after = mean_of(c, i, ANA_AFTER);
		double error = sqrt(after.variance + center * center * before.variance);

		if (is_self(c, i))
			c->is_excluded[column_of(c, i)->symbol] =
				fabs(after.value - center * before.value) > most_errors * error;
	}
	if (!is_base_large(c))
		memset(c->is_excluded, false, c->n_symbols * sizeof(*c->is_excluded));
	return NULL;
}

static struct pd_error *measure_functions(struct comparison *c)
{
	struct pd_error *err = measure(c);

	if (err)
		return err;
	err = find_spread(c);
	if (err)
		return err;
	err = choose_base(c);
	if (err)
		return err;
	err = measure(c);
	return err ? err : find_spread(c);
}

/* From measures to changes. */

static uint64_t count_samples(const struct prof_value *sums, size_t n)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < n; i++)
		samples += sums[i].samples;
	return samples;
}

static double share_of(const struct comparison *c, size_t i, size_t recording)
{
	size_t n = c->measures.n_recordings;
	uint64_t whole = c->measures.sums[recording].period;

	return whole ? (double)c->measures.sums[i * n + recording].period / (double)whole : 0;
}

static void sum_sides(const struct comparison *c, size_t i, struct ana_change *change)
{
	const struct prof_value *sums = &c->measures.sums[i * c->measures.n_recordings];

	for (size_t r = 0; r < c->measures.n_recordings; r++) {
		enum ana_side side = ana_side_of(c->opts.sides, r);
		double n = (double)c->opts.sides->n[side];

		change->samples[side] += sums[r].samples;
		change->amount[side] += (double)sums[r].period / n;
		change->share[side] += share_of(c, i, r) / n;
	}
}

static struct ana_change change_of(const struct comparison *c, size_t i)
{
	const struct ana_mean before = mean_of(c, i, ANA_BEFORE);
	const struct ana_mean after = mean_of(c, i, ANA_AFTER);
	double common = common_of(c);
	struct ana_change change = {
		.column = *column_of(c, i),
		.difference = (after.value - before.value) * common,
		.margin = ana_difference_margin(&before, &after) * common,
		.ratio = ana_ratio(&before, &after),
		.p = ana_difference_p(&before, &after),
	};

	sum_sides(c, i, &change);
	return change;
}

/*
 * Whether the TOTAL number @p i counts hardly any other samples than the SELF of its function, as
 * with functions whose only callees are interrupts.
 */
static bool is_all_self(const struct comparison *c, size_t i)
{
	const double most = 1.1;
	size_t n = c->measures.n_recordings;
	const struct ana_column self = { ANA_COLUMN_SELF, column_of(c, i)->symbol, 0 };
	uint32_t id = ana_column_find(c->opts.columns, &self);

	if (id == PD_INTERN_NONE || c->measures.map[id] == PROF_NONE)
		return false;
	uint64_t of_self = count_samples(&c->measures.sums[c->measures.map[id] * n], n);
	return (double)count_samples(&c->measures.sums[i * n], n) < most * (double)of_self;
}

static bool list_changes(const struct comparison *c)
{
	for (size_t i = 1; i < c->measures.columns.n; i++) {
		if (column_of(c, i)->kind == ANA_COLUMN_TOTAL && is_all_self(c, i))
			continue;
		if (!pd_vec_push(&c->diff->changes, change_of(c, i)))
			return false;
	}
	return true;
}

/* Decide which changes are more than noise: of all functions, and the common change. */
static bool discover(const struct comparison *c, double p_common)
{
	size_t n = c->diff->changes.n;
	_cleanup_free_ double *p = base_calloc_n(n, sizeof(*p));
	_cleanup_free_ bool *is_changed = base_calloc_n(n, sizeof(*is_changed));

	if (!p || !is_changed)
		return false;
	p[n] = p_common;
	for (size_t i = 0; i < n; i++)
		p[i] = c->diff->changes.data[i].p;
	if (!ana_discover(p, n + c->diff->common.has_interval, is_changed))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct ana_change *change = &c->diff->changes.data[i];

		change->is_changed = is_changed[i];
		if (is_changed[i] && change->column.kind == ANA_COLUMN_SELF)
			c->is_changed[change->column.symbol] = true;
	}
	c->diff->common.is_changed = is_changed[n];
	return true;
}

/*
 * Length of a recording: that of its ledger, which merging has left in the order of the recordings,
 * or if one of them has none, the time from sample to sample.
 */
static uint64_t duration_of(const struct comparison *c, size_t recording)
{
	const struct profile *profile = c->opts.profile;

	return profile->ledgers.n == c->measures.n_recordings
		       ? profile->ledgers.data[recording].wall_ns
		       : c->measures.durations[recording];
}

static void describe(const struct comparison *c)
{
	for (size_t r = 0; r < c->measures.n_recordings; r++) {
		enum ana_side side = ana_side_of(c->opts.sides, r);

		c->diff->sums[side].samples += c->measures.sums[r].samples;
		base_add_capped(&c->diff->sums[side].period, c->measures.sums[r].period);
		c->diff->duration[side] +=
			(double)duration_of(c, r) / (double)c->opts.sides->n[side];
	}
}

/* Sum the periods of a side. */
static double sum_side(
	const struct comparison *c, const struct prof_value *sums, enum ana_side side)
{
	double sum = 0;

	for (size_t r = 0; r < c->measures.n_recordings; r++)
		sum += ana_side_of(c->opts.sides, r) == side ? (double)sums[r].period : 0;
	return sum;
}

/* Take what is large enough on one of the sides. */
static bool is_function(void *ctx, const struct ana_candidate *candidate)
{
	struct comparison *c = ctx;
	uint64_t samples = count_samples(candidate->sums, c->measures.n_recordings);
	bool is_enough = false;

	for (int side = 0; side < ANA_N_SIDES && samples >= ANA_MIN_SAMPLES; side++) {
		double whole = sum_side(c, candidate->wholes, side);

		is_enough |=
			whole > 0 && sum_side(c, candidate->sums, side) >= c->least_share * whole;
	}
	if (candidate->column->kind == ANA_COLUMN_SELF && !is_enough)
		c->diff->n_skipped += samples > 0;
	return is_enough;
}

static struct pd_error *compare_functions(struct comparison *c)
{
	double p_common;
	struct pd_error *err = ana_measures_create(&c->opts, is_function, c, &c->measures);

	if (err)
		return err;
	err = measure(c);
	if (err)
		return err;
	/* Nothing has been excluded yet, so the base is everything. */
	c->diff->whole = whole_of(c, &p_common);
	err = measure_functions(c);
	if (err)
		return err;
	c->diff->common = whole_of(c, &p_common);
	describe(c);
	return list_changes(c) && discover(c, p_common) ? NULL : &pd_enomem;
}

/* Take paths to changed functions, and what is not in the base. */
static bool is_path(void *ctx, const struct ana_candidate *candidate)
{
	const struct comparison *c = ctx;
	const struct ana_column *column = candidate->column;

	if (column->kind == ANA_COLUMN_PATH)
		return count_samples(candidate->sums, c->measures.n_recordings) > 0;
	return column->kind == ANA_COLUMN_SELF && c->is_excluded[column->symbol];
}

static int compare_changes(const void *a, const void *b)
{
	const struct ana_change *x = a, *y = b;
	double of_x = fabs(x->difference), of_y = fabs(y->difference);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return x->column.path < y->column.path ? -1 : x->column.path > y->column.path;
}

static struct pd_error *compare_paths(struct comparison *c)
{
	struct pd_error *err = ana_measures_create(&c->opts, is_path, c, &c->measures);

	if (err)
		return err;
	err = measure(c);
	if (err)
		return err;
	for (size_t i = 0; i < c->measures.columns.n; i++) {
		bool is_listed = column_of(c, i)->kind == ANA_COLUMN_PATH;

		if (is_listed && !pd_vec_push(&c->diff->paths, change_of(c, i)))
			return &pd_enomem;
	}
	if (c->diff->paths.n)
		qsort(c->diff->paths.data, c->diff->paths.n, sizeof(*c->diff->paths.data),
			compare_changes);
	return NULL;
}

/* Compare columns: of functions if @p has_paths is NULL, else paths to functions. */
static struct pd_error *compare(struct comparison *c, const struct ana_symbols *symbols,
	const bool *has_paths, struct ana_columns *columns)
{
	struct pd_error *err = ana_columns_create(c->opts.profile, symbols, has_paths, columns);

	if (err)
		return err;
	c->opts.columns = columns;
	err = has_paths ? compare_paths(c) : compare_functions(c);
	ana_measures_deinit(&c->measures);
	return err;
}

static struct pd_error *compare_all(struct comparison *c, const struct ana_symbols *symbols)
{
	_cleanup_(ana_columns_deinit) struct ana_columns functions = { 0 };

	struct pd_error *err = compare(c, symbols, NULL, &functions);
	return err ? err : compare(c, symbols, c->is_changed, &c->diff->columns);
}

static void find_kernel(struct comparison *c, const struct ana_symbols *symbols)
{
	const struct profile *profile = c->opts.profile;

	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		struct prof_binary_id binary = prof_frame(profile, id)->binary;
		uint32_t n;
		const uint32_t *at = ana_symbols_at(symbols, id, &n);

		if (prof_is_none(binary) || !prof_binary(profile, binary)->is_kernel)
			continue;
		for (uint32_t i = 0; i < n; i++)
			c->is_kernel[at[i]] = true;
	}
}

struct pd_error *ana_diff_create(const struct profile *profile, const struct ana_symbols *symbols,
	const struct ana_diff_opts *opts, struct ana_diff *ret)
{
	size_t n = symbols->list.n + 1;
	_cleanup_free_ bool *is_excluded = calloc(n, sizeof(*is_excluded));
	_cleanup_free_ bool *is_changed = calloc(n, sizeof(*is_changed));
	_cleanup_free_ bool *is_kernel = calloc(n, sizeof(*is_kernel));
	struct comparison c = {
		.opts = { .profile = profile, .sides = opts->sides, .event = opts->event },
		.spread = 1,
		.n_symbols = symbols->list.n,
		.is_excluded = is_excluded,
		.is_changed = is_changed,
		.is_kernel = is_kernel,
		.least_share = opts->least_share,
		.diff = ret,
	};

	*ret = (struct ana_diff){ 0 };
	if (!is_excluded || !is_changed || !is_kernel)
		return &pd_enomem;
	find_kernel(&c, symbols);
	struct pd_error *err = compare_all(&c, symbols);
	if (err)
		ana_diff_deinit(ret);
	return err;
}

void ana_diff_deinit(struct ana_diff *diff)
{
	pd_vec_deinit(&diff->changes);
	pd_vec_deinit(&diff->paths);
	ana_columns_deinit(&diff->columns);
}
