/**
 * @file Statistics of changes: from amounts that were measured in several recordings to changes,
 * their confidence intervals, and which of many changes are more than noise.
 */
#ifndef PD_ANALYZE_SIGNIFICANCE_H
#define PD_ANALYZE_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Return the probability that |T| is at least |@p t|, where T has @p df > 0 degrees of freedom,
 * which need not be a whole number.
 */
double ana_student_p(double t, double df);

/** Return the t >= 0 for which ana_student_p() is @p p, 0 < p < 1. */
double ana_student_quantile(double p, double df);

/** Confidence of the intervals. */
#define ANA_CONFIDENCE 0.95

/** Expected share of false ones among the changes that are discovered. */
#define ANA_FALSE_DISCOVERIES 0.05

/** One amount, as it was measured in each of the recordings of a side. */
struct ana_series {
	const double *amounts;
	/** Variance of each amount that is known from within its recording; NULL: 0. */
	const double *variances;
	size_t n;
};

/** Noise between recordings, as far as it is known in advance. */
struct ana_noise {
	/** Factor by which variances between recordings exceed those within, at least 1. */
	double spread;
	/** Degrees of freedom for which the variances within recordings count. */
	double df;
	/** Standard deviation between recordings that is not seen within them. */
	double unseen;
	/** Standard deviation, as a part of the amount, that is added in any case. */
	double relative;
};

/** Mean of a series. */
struct ana_mean {
	double value;
	/** Variance of the mean, and the degrees of freedom with which it is known. */
	double variance;
	double df;
};

/** A ratio and its interval. Without a finite bound it is INFINITY, and low 0. */
struct ana_ratio {
	double value;
	double low;
	double high;
};

/**
 * Estimate the mean of a series. Its variance is a compromise between the variance in the series
 * and the one expected from @p noise, because it cannot be known well from few recordings. If
 * nothing is known, because noise->df is 0 and the series has one amount, only noise->relative
 * counts.
 */
struct ana_mean ana_mean(const struct ana_series *series, const struct ana_noise *noise);

/** Return the probability that two equal amounts differ by at least as much as these by chance. */
double ana_difference_p(const struct ana_mean *before, const struct ana_mean *after);

/** Half of the width of the interval of after - before. */
double ana_difference_margin(const struct ana_mean *before, const struct ana_mean *after);

/**
 * Return after / before and its interval (Fieller). It excludes 1 if and only if
 * ana_difference_p() is less than 1 - ANA_CONFIDENCE.
 */
struct ana_ratio ana_ratio(const struct ana_mean *before, const struct ana_mean *after);

/**
 * Return the factor by which the variances in series exceed their known variances: the median over
 * @p n pairs of series before and after a change, and at least 1. 1 if no series has two amounts.
 * Returns a negative number if out of memory.
 */
double ana_spread(const struct ana_series (*pairs)[2], size_t n);

/**
 * Mark in @p ret which of @p n hypotheses to reject, so that at most ANA_FALSE_DISCOVERIES of those
 * are rejected in error (Benjamini and Hochberg). Returns false if out of memory.
 */
bool ana_discover(const double *p, size_t n, bool *ret);

/** A number and how much it counts. */
struct ana_weighted {
	double value;
	double weight;
};

/**
 * Return the weighted median of ratios, for which no single one decides: its weight is at most the
 * sum of all others. Of several medians the one nearest to 1 is returned; 1 if @p n is 0. Sorts
 * @p list.
 */
double ana_center(struct ana_weighted *list, size_t n);

#endif
