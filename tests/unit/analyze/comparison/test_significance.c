/*
 * Student's t distribution, against tables; changes, their intervals and which of them are
 * discoveries, on data whose truth is known.
 */
#include "tests/unit/test.h"

#include <math.h>

#include "analyze/comparison/significance.h"

/* Two-sided critical values as in the tables of statistics books. */
static const struct {
	double p, df, t;
} known[] = {
	{ 0.5, 1, 1 },
	{ 0.05, 1, 12.7062 },
	{ 0.05, 2, 4.30265 },
	{ 0.01, 4, 4.60409 },
	{ 0.05, 8, 2.30600 },
	{ 0.001, 10, 4.58689 },
	{ 0.1, 30, 1.69726 },
	{ 0.05, 120, 1.97993 },
	{ 0.05, 1e7, 1.95996 },
};

static void critical_values_are_those_of_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		double t = ana_student_quantile(known[i].p, known[i].df);

		assert_true(fabs(t / known[i].t - 1) < 4e-6);
		assert_true(fabs(ana_student_p(known[i].t, known[i].df) / known[i].p - 1) < 5e-5);
	}
}

static void p_of_zero_is_one_and_sides_are_equal(void **state)
{
	(void)state;
	assert_true(ana_student_p(0, 5) == 1);
	assert_true(ana_student_p(-2.5, 7) == ana_student_p(2.5, 7));
	assert_true(ana_student_p(INFINITY, 3) == 0);
}

/* With two degrees of freedom the distribution has a closed form, also far out in its tails. */
static void two_degrees_have_a_closed_form(void **state)
{
	(void)state;
	for (double t = 0.01; t < 1e5; t *= 1.7) {
		double p = 2 / (sqrt(2 + t * t) * (sqrt(2 + t * t) + t));

		assert_true(fabs(ana_student_p(t, 2) / p - 1) < 1e-9);
	}
}

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t random_state = 88172645463325252u;

static double draw_uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(void)
{
	return sqrt(-2 * log(draw_uniform())) * cos(2 * M_PI * draw_uniform());
}

static bool is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * (fabs(b) + 1e-300);
}

/* A side: amounts around @p mean, with @p within and @p between as standard deviations. */
struct side {
	double amounts[8];
	double variances[8];
};

static struct ana_series draw_side(
	struct side *side, size_t n, double mean, double within, double between)
{
	for (size_t i = 0; i < n; i++) {
		side->amounts[i] = mean * (1 + within * draw_normal() + between * draw_normal());
		side->variances[i] = mean * within * mean * within;
	}
	return (struct ana_series){ side->amounts, side->variances, n };
}

/* Share of intervals that contain the true ratio of two sides of @p n recordings. */
static double coverage(
	size_t n, double ratio, double within, double between, const struct ana_noise *noise)
{
	enum { TRIALS = 2000 };
	int n_in = 0;

	for (int i = 0; i < TRIALS; i++) {
		struct side sides[2];
		const struct ana_series series[2] = {
			draw_side(&sides[0], n, 1000, within, between),
			draw_side(&sides[1], n, 1000 * ratio, within, between),
		};
		const struct ana_mean before = ana_mean(&series[0], noise);
		const struct ana_mean after = ana_mean(&series[1], noise);
		const struct ana_ratio found = ana_ratio(&before, &after);

		n_in += found.low <= ratio && ratio <= found.high;
	}
	return (double)n_in / TRIALS;
}

static void intervals_cover_the_truth(void **state)
{
	static const double ratios[] = { 0.5, 1, 1.1, 3 };
	static const struct {
		size_t n;
		double within, between;
		struct ana_noise noise;
	} cases[] = {
		{ 1, 0.05, 0, { .spread = 1, .df = 8 } },
		{ 1, 0.02, 0.025, { .spread = 1, .df = 8, .relative = 0.025 } },
		{ 2, 0.05, 0, { .spread = 1, .df = 8 } },
		{ 5, 0.03, 0, { .spread = 1, .df = 8 } },
		{ 5, 0.03, 0.03, { .spread = 2, .df = 8 } },
		/* Nothing is known in advance. */
		{ 5, 0, 0.04, { .df = 0 } },
	};

	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		for (size_t k = 0; k < LEN(ratios); k++) {
			double share = coverage(cases[i].n, ratios[k], cases[i].within,
				cases[i].between, &cases[i].noise);

			assert_true(share > 0.90 && share < 0.98);
		}
	}
}

static void intervals_agree_with_p(void **state)
{
	const struct ana_noise noise = { .spread = 1, .df = 8 };
	int n_low = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct side sides[2];
		const struct ana_series series[2] = {
			draw_side(&sides[0], 3, 100, 0.2, 0),
			draw_side(&sides[1], 3, 140, 0.2, 0),
		};
		const struct ana_mean before = ana_mean(&series[0], &noise);
		const struct ana_mean after = ana_mean(&series[1], &noise);
		const struct ana_ratio ratio = ana_ratio(&before, &after);
		double difference = after.value - before.value;
		bool is_low = ana_difference_p(&before, &after) < 1 - ANA_CONFIDENCE;

		assert_int_equal(is_low, ratio.low > 1 || ratio.high < 1);
		assert_int_equal(is_low, fabs(difference) > ana_difference_margin(&before, &after));
		n_low += is_low;
	}
	/* Both outcomes occur often. */
	assert_uint_in_range(n_low, 400, 1600);
}

static void what_appeared_has_no_upper_bound(void **state)
{
	const struct ana_mean none = { .value = 0, .variance = 0, .df = 8 };
	const struct ana_mean some = { .value = 100, .variance = 100, .df = 8 };
	const struct ana_mean few = { .value = 10, .variance = 40, .df = 8 };

	(void)state;
	struct ana_ratio ratio = ana_ratio(&none, &some);
	assert_true(isinf(ratio.value) && isinf(ratio.high) && ratio.low > 1);
	ratio = ana_ratio(&some, &none);
	assert_true(ratio.value == 0 && ratio.high == 0);
	/* An amount that may be 0 before allows any growth, but some are excluded from below. */
	ratio = ana_ratio(&few, &some);
	assert_true(ratio.value == 10 && isinf(ratio.high) && ratio.low > 1 && ratio.low < 10);
	ratio = ana_ratio(&none, &none);
	assert_true(ratio.value == 1 && ratio.low == 0 && isinf(ratio.high));
	assert_true(ana_difference_p(&none, &none) == 1);
}

/* The example in Benjamini and Hochberg (1995), section 3.2, tests at 5 %: four are rejected. */
static void discoveries_are_those_of_the_paper(void **state)
{
	static const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
		0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	bool is_found[LEN(p)];

	(void)state;
	assert_true(ana_discover(p, LEN(p), is_found));
	for (size_t i = 0; i < LEN(p); i++)
		assert_int_equal(is_found[i], i < 4);
	assert_true(ana_discover(p, 0, is_found));
}

static void the_center_is_that_of_most(void **state)
{
	struct ana_weighted many[] = { { 1.09, 10 }, { 2, 30 }, { 1.1, 20 }, { 1.08, 20 },
		{ 1.09, 5 } };
	/* One function takes most of the time and has grown: the others decide. */
	struct ana_weighted one_large[] = { { 1.5, 900 }, { 0.99, 50 }, { 1.01, 50 } };
	struct ana_weighted two[] = { { 1.2, 60 }, { 0.9, 40 } };
	struct ana_weighted alone[] = { { 1.3, 10 } };

	(void)state;
	assert_true(is_near(ana_center(many, LEN(many)), 1.1, 1e-12));
	assert_true(is_near(ana_center(one_large, LEN(one_large)), 1.01, 1e-12));
	assert_true(ana_center(two, LEN(two)) == 1);
	assert_true(ana_center(alone, 1) == 1.3);
	assert_true(ana_center(alone, 0) == 1);
}

/* Amounts vary three times as much between recordings as within them: nine times the variance. */
static void spread_is_found(void **state)
{
	enum { N = 200, RECORDINGS = 4 };
	static struct side sides[N][2];
	static struct ana_series pairs[N][2];

	(void)state;
	for (int i = 0; i < N; i++) {
		for (int side = 0; side < 2; side++) {
			pairs[i][side] = draw_side(&sides[i][side], RECORDINGS, 100, 0.06, 0);
			for (int r = 0; r < RECORDINGS; r++)
				sides[i][side].variances[r] = 4;
		}
	}
	assert_true(is_near(ana_spread(pairs, N), 9, 0.15));
	for (int i = 0; i < N; i++)
		pairs[i][0].n = pairs[i][1].n = 1;
	assert_true(ana_spread(pairs, N) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(critical_values_are_those_of_tables),
		cmocka_unit_test(p_of_zero_is_one_and_sides_are_equal),
		cmocka_unit_test(two_degrees_have_a_closed_form),
		cmocka_unit_test(intervals_cover_the_truth),
		cmocka_unit_test(intervals_agree_with_p),
		cmocka_unit_test(what_appeared_has_no_upper_bound),
		cmocka_unit_test(discoveries_are_those_of_the_paper),
		cmocka_unit_test(the_center_is_that_of_most),
		cmocka_unit_test(spread_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
