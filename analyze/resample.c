#include "analyze/resample.h"

#include <stdlib.h>

#include "base/cleanup.h"

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

static double weigh(const double *amounts, const double *times, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += amounts[i] * times[i];
	return sum;
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
	_cleanup_free_ double *amounts = calloc(n_columns + 1, sizeof(*amounts));
	_cleanup_free_ struct moments *moments = calloc(n_columns + 1, sizeof(*moments));
	struct random random = { .state = (seed + 1) * 0x9e3779b97f4a7c15u };

	if (!times || !amounts || !moments)
		return &pd_enomem;
	if (n < 2) {
		take_for_independent(slices, ret);
		return NULL;
	}
	for (size_t c = 0; c < n_columns; c++)
		amounts[c] = (double)slices->sums[c].period;
	double whole = base_of(amounts, is_excluded, n_columns);
	for (int i = 1; i <= N_REPLICATES; i++) {
		draw_slices(&random, n, times);
		for (size_t c = 0; c < n_columns; c++)
			amounts[c] = weigh(&slices->amounts[c * n], times, n);
		double base = base_of(amounts, is_excluded, n_columns);
		double scale = base > 0 ? whole / base : 1;
		for (size_t c = 0; c < n_columns; c++)
			add_replicate(&moments[c], amounts[c] * scale, i);
	}
	for (size_t c = 0; c < n_columns; c++)
		ret[c] = moments[c].squares / (N_REPLICATES - 1) / seen_variance();
	return NULL;
}
