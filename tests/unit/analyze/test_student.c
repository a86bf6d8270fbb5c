/* Student's t distribution, against tables. */
#include "tests/unit/test.h"

#include <math.h>

#include "analyze/student.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(critical_values_are_those_of_tables),
		cmocka_unit_test(p_of_zero_is_one_and_sides_are_equal),
		cmocka_unit_test(two_degrees_have_a_closed_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
