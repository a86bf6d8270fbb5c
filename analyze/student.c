#include "analyze/student.h"

#include <math.h>

/*
 * Continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated from the front
 * (Lentz's algorithm as modified by Thompson and Barnett). It converges fast for
 * x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
	enum { MAX_STEPS = 6000 };
	const double tiny = 1e-300, enough = 1e-15;
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;

	for (int m = 1; m < MAX_STEPS; m++) {
		const double numerators[] = {
			m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
		};
		double factor = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + numerators[i] * d;
			c = 1 + numerators[i] / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			factor = c * d;
			value *= factor;
		}
		if (fabs(factor - 1) < enough)
			break;
	}
	return value;
}

/* Return the regularized incomplete beta function I_x(a, b). */
static double incomplete_beta(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	double log_front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
	if (x < (a + 1) / (a + b + 2))
		return exp(log_front) * beta_fraction(x, a, b) / a;
	return 1 - exp(log_front) * beta_fraction(1 - x, b, a) / b;
}

double ana_student_p(double t, double df)
{
	return incomplete_beta(df / (df + t * t), df / 2, 0.5);
}

double ana_student_quantile(double p, double df)
{
	enum { STEPS = 60 };
	double low = 0, high = 1;

	while (ana_student_p(high, df) > p)
		high *= 2;
	for (int i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2;

		if (ana_student_p(middle, df) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}
