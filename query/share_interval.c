#include "query/share_interval.h"

#include <math.h>

/* Quantile of the normal distribution for a confidence of 95 %. */
static const double Z = 1.959963984540054;

struct qry_interval qry_share_interval(uint64_t part, uint64_t whole, uint64_t samples)
{
	if (!whole || !samples)
		return (struct qry_interval){ 0, 1 };
	double p = (double)part / (double)whole, n = (double)samples;
	double scale = 1 + Z * Z / n;
	double center = (p + Z * Z / (2 * n)) / scale;
	double half = Z / scale * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));

	return (struct qry_interval){ fmax(0, center - half), fmin(1, center + half) };
}
