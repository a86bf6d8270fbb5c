/* Variances from resampled time slices, of recordings whose noise is known. */
#include "tests/unit/analyze/synthetic.h"

#include "analyze/comparison/diff_columns.h"
#include "analyze/comparison/slices.h"

enum { N = 4 };

/* Variance of the SELF of f0 in the only recording of @p s, in samples. */
static double variance_of_f0(struct synthetic *s, uint64_t seed)
{
	struct ana_columns columns;
	struct ana_slices slices;
	const struct ana_slices_opts opts = {
		.profile = s->profile, .sides = &s->sides, .columns = &columns
	};

	assert_ok(ana_columns_create(s->profile, &s->symbols, NULL, &columns));
	size_t n = columns.list.n;
	uint32_t *map = calloc(n, sizeof(*map));
	bool *is_excluded = calloc(n, sizeof(*is_excluded));
	double *variances = calloc(n, sizeof(*variances));
	assert_true(map && is_excluded && variances);
	for (uint32_t i = 0; i < n; i++)
		map[i] = i;
	/* The first column is ALL, and the first stack is that of f0. */
	const struct ana_column *column = ana_column(&columns, 1);
	assert_int_equal(column->kind, ANA_COLUMN_SELF);
	assert_string_equal(ana_symbol_name(&s->symbols, column->symbol), "f0");
	assert_ok(ana_slices_create(&opts, 0, map, n, &slices));
	assert_ok(ana_resample(&slices, is_excluded, seed, variances));
	double variance = variances[1] / SYNTHETIC_PERIOD / SYNTHETIC_PERIOD;
	ana_slices_deinit(&slices);
	ana_columns_deinit(&columns);
	free(map);
	free(is_excluded);
	free(variances);
	return variance;
}

/* Times of f0 are independent: the variance of its share is that of a binomial distribution. */
static void independent_samples_have_binomial_variance(void **state)
{
	static const double ms[N] = { 1000, 1000, 1000, 2000 };
	double sum = 0;

	(void)state;
	for (uint64_t i = 0; i < 20; i++) {
		struct synthetic s;

		synthetic_init(&s, N, 1, 0, 50 + i);
		synthetic_fill(&s, 0, ms, N, 0);
		sum += variance_of_f0(&s, i) / 20;
		synthetic_deinit(&s);
	}
	assert_true(fabs(sum / (5000 * 0.2 * 0.8) - 1) < 0.1);
}

/* In a program that does one thing after another, only samples at the seams are noise. */
static void phases_are_not_noise(void **state)
{
	struct synthetic s;

	(void)state;
	synthetic_init(&s, N, 1, 0, 1);
	for (uint64_t time = 0; time < 5000; time++)
		synthetic_sample(&s, 0, time < 1000 ? 0 : 1 + time % (N - 1), time);
	/* Blocks anywhere in the recording would have a variance of 2 * 10 * 1000 * 0.8 samples. */
	assert_true(variance_of_f0(&s, 1) < 1000);
	synthetic_deinit(&s);
}

/* Times come in bursts of two slices, of which blocks of two slices keep most together. */
static void bursts_are_noise(void **state)
{
	struct synthetic s;
	double slice = 5000.0 / ANA_MAX_SLICES;

	(void)state;
	synthetic_init(&s, N, 1, 0, 1);
	bool is_burst = false;
	int last = -1;
	for (uint64_t time = 0; time < 5000; time++) {
		int burst = (int)((double)time / slice / 2);

		if (burst != last)
			is_burst = synthetic_uniform(&s) < 0.2;
		last = burst;
		synthetic_sample(&s, 0, is_burst ? 0 : 1, time);
	}
	double binomial = 5000 * 0.2 * 0.8, bursts = binomial * 2 * slice;
	double found = variance_of_f0(&s, 1);
	assert_true(found > 5 * binomial && found > 0.5 * bursts && found < 1.5 * bursts);
	synthetic_deinit(&s);
}

static void a_seed_gives_one_result(void **state)
{
	static const double ms[N] = { 300, 300, 200, 200 };
	struct synthetic s;

	(void)state;
	synthetic_init(&s, N, 1, 0, 4);
	synthetic_fill(&s, 0, ms, N, 0);
	double first = variance_of_f0(&s, 1);
	assert_true(first == variance_of_f0(&s, 1));
	assert_true(first != variance_of_f0(&s, 2));
	synthetic_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_samples_have_binomial_variance),
		cmocka_unit_test(phases_are_not_noise),
		cmocka_unit_test(bursts_are_noise),
		cmocka_unit_test(a_seed_gives_one_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
