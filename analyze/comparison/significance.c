#include "analyze/comparison/significance.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

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

static double mean_of(const double *list, size_t n)
{
	double sum = 0;

	for (size_t i = 0; list && i < n; i++)
		sum += list[i];
	return n ? sum / (double)n : 0;
}

/* Sum of the squared differences from the mean. */
static double squares_of(const struct ana_series *series)
{
	double mean = mean_of(series->amounts, series->n);
	double sum = 0;

	for (size_t i = 0; i < series->n; i++)
		sum += (series->amounts[i] - mean) * (series->amounts[i] - mean);
	return sum;
}

struct ana_mean ana_mean(const struct ana_series *series, const struct ana_noise *noise)
{
	double value = mean_of(series->amounts, series->n);
	double expected = noise->spread * mean_of(series->variances, series->n) +
			  noise->unseen * noise->unseen;
	double df = noise->df + (double)series->n - 1;
	double variance = noise->relative * noise->relative * value * value;

	if (df > 0)
		variance += (noise->df * expected + squares_of(series)) / df;
	return (struct ana_mean){
		.value = value,
		.variance = series->n ? variance / (double)series->n : 0,
		.df = df > 0 ? df : 1,
	};
}

/* Degrees of freedom of the sum of two variances (Welch and Satterthwaite). */
static double joint_df(const struct ana_mean *a, const struct ana_mean *b)
{
	double sum = a->variance + b->variance;
	double parts = a->variance * a->variance / a->df + b->variance * b->variance / b->df;

	return parts > 0 ? sum * sum / parts : a->df + b->df;
}

double ana_difference_p(const struct ana_mean *before, const struct ana_mean *after)
{
	double difference = after->value - before->value;
	double error = sqrt(before->variance + after->variance);

	if (difference == 0)
		return 1;
	return error > 0 ? ana_student_p(difference / error, joint_df(before, after)) : 0;
}

static double critical_t(const struct ana_mean *before, const struct ana_mean *after)
{
	return ana_student_quantile(1 - ANA_CONFIDENCE, joint_df(before, after));
}

double ana_difference_margin(const struct ana_mean *before, const struct ana_mean *after)
{
	return critical_t(before, after) * sqrt(before->variance + after->variance);
}

struct ana_ratio ana_ratio(const struct ana_mean *before, const struct ana_mean *after)
{
	double t = critical_t(before, after);
	double x = before->value, y = after->value;
	struct ana_ratio ratio = { .value = x > 0   ? y / x
					    : y > 0 ? INFINITY
						    : 1,
		.high = INFINITY };
	/*
	 * All ratios r for which y - r * x is not distinguishable from 0:
	 * (y - r x)^2 <= t^2 (var y + r^2 var x), a quadratic inequality in r.
	 */
	double a = x * x - t * t * before->variance;
	double b = x * y;
	double c = y * y - t * t * after->variance;
	double root = b * b - a * c;

	if (root < 0)
		return ratio;
	root = sqrt(root);
	if (a > 0) {
		ratio.low = fmax((b - root) / a, 0);
		ratio.high = (b + root) / a;
	} else if (c > 0) {
		/* The amount before may be 0: solved for 1 / r, so as not to divide by a = 0. */
		ratio.low = c / (b + root);
	}
	return ratio;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Return the median of a chi-squared distribution with @p df degrees of freedom, divided by its
 * mean (Wilson and Hilferty).
 */
static double chi_squared_median(double df)
{
	double x = 1 - 2 / (9 * df);

	return x * x * x;
}

double ana_spread(const struct ana_series (*pairs)[2], size_t n)
{
	_cleanup_free_ double *ratios = base_calloc_n(n, sizeof(*ratios));
	size_t n_ratios = 0;

	if (!ratios)
		return -1;
	for (size_t i = 0; i < n; i++) {
		double squares = 0, expected = 0, df = 0;

		for (int side = 0; side < 2; side++) {
			const struct ana_series *series = &pairs[i][side];
			double of_side = series->n ? (double)series->n - 1 : 0;

			squares += squares_of(series);
			expected += of_side * mean_of(series->variances, series->n);
			df += of_side;
		}
		if (expected > 0)
			ratios[n_ratios++] = squares / expected / chi_squared_median(df);
	}
	if (!n_ratios)
		return 1;
	qsort(ratios, n_ratios, sizeof(*ratios), compare_doubles);
	return fmax(ratios[n_ratios / 2], 1);
}

bool ana_discover(const double *p, size_t n, bool *ret)
{
	_cleanup_free_ double *sorted = base_calloc_n(n, sizeof(*sorted));
	double limit = -1;

	if (!sorted)
		return false;
	for (size_t i = 0; i < n; i++)
		sorted[i] = p[i];
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] <= ANA_FALSE_DISCOVERIES * (double)(i + 1) / (double)n)
			limit = sorted[i];
	}
	for (size_t i = 0; i < n; i++)
		ret[i] = p[i] <= limit;
	return true;
}

static int compare_weighted(const void *a, const void *b)
{
	return compare_doubles(
		&((const struct ana_weighted *)a)->value, &((const struct ana_weighted *)b)->value);
}

static void cap_largest(struct ana_weighted *list, size_t n)
{
	size_t largest = 0;
	double others = 0;

	for (size_t i = 1; i < n; i++)
		largest = list[i].weight > list[largest].weight ? i : largest;
	for (size_t i = 0; i < n; i++)
		others += i == largest ? 0 : list[i].weight;
	if (n > 1 && list[largest].weight > others)
		list[largest].weight = others;
}

double ana_center(struct ana_weighted *list, size_t n)
{
	double whole = 0, sum = 0;

	if (!n)
		return 1;
	cap_largest(list, n);
	qsort(list, n, sizeof(*list), compare_weighted);
	for (size_t i = 0; i < n; i++)
		whole += list[i].weight;
	/* Sums of weights are compared with a tolerance, because they are rounded. */
	for (size_t i = 0; i < n; i++) {
		sum += list[i].weight;
		if (sum < whole * (0.5 - 1e-9))
			continue;
		if (sum > whole * (0.5 + 1e-9) || i + 1 == n)
			return list[i].value;
		return fmin(fmax(1, list[i].value), list[i + 1].value);
	}
	return list[n - 1].value;
}
