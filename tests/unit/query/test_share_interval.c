/* Intervals of shares: known ones, and the equation that defines them. */
#include "tests/unit/test.h"

#include <math.h>

#include "query/share_interval.h"

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 5e-5)
		fail_msg("%.6f instead of %.4f", value, expected);
}

/* A bound is the true share for which the one that was found is just as far away as chance goes. */
static void assert_bound(double bound, double share, double n)
{
	const double z = 1.95996398454;
	double distance = (share - bound) * (share - bound) * n;

	assert_true(fabs(distance - z * z * bound * (1 - bound)) < 1e-6);
}

static void known_intervals(void **state)
{
	static const struct {
		uint64_t part;
		uint64_t whole;
		uint64_t samples;
		double low;
		double high;
	} rows[] = {
		{ 5, 10, 10, 0.2366, 0.7634 },
		{ 1, 100, 100, 0.0018, 0.0545 },
		{ 0, 20, 20, 0, 0.1611 },
		{ 20, 20, 20, 0.8389, 1 },
		{ 500, 1000, 1000, 0.4691, 0.5309 },
		/* Periods count only by their share. */
		{ 500000, 1000000, 1000, 0.4691, 0.5309 },
		{ UINT64_MAX / 2, UINT64_MAX, 1000, 0.4691, 0.5309 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct qry_interval interval =
			qry_share_interval(rows[i].part, rows[i].whole, rows[i].samples);

		assert_near(interval.low, rows[i].low);
		assert_near(interval.high, rows[i].high);
	}
}

static void nothing_is_known_without_samples(void **state)
{
	const struct qry_interval interval = qry_share_interval(0, 0, 0);

	(void)state;
	assert_near(interval.low, 0);
	assert_near(interval.high, 1);
}

/* A share lies in its interval, which shrinks with more samples and stays within 0 and 1. */
static void intervals_are_sound(void **state)
{
	(void)state;
	for (uint64_t n = 1; n < 3000; n = n * 3 + 1) {
		for (uint64_t part = 0; part <= n; part += n / 7 + 1) {
			struct qry_interval few = qry_share_interval(part, n, n);
			struct qry_interval many = qry_share_interval(part, n, 10 * n);
			double share = (double)part / (double)n;

			assert_true(0 <= few.low && few.low <= share + 1e-12);
			assert_true(share - 1e-12 <= few.high && few.high <= 1);
			assert_true(many.high - many.low < few.high - few.low);
			assert_bound(few.low, share, (double)n);
			assert_bound(few.high, share, (double)n);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_intervals),
		cmocka_unit_test(nothing_is_known_without_samples),
		cmocka_unit_test(intervals_are_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
