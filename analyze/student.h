/**
 * @file Student's t distribution.
 */
#ifndef PD_ANALYZE_STUDENT_H
#define PD_ANALYZE_STUDENT_H

/**
 * Return the probability that |T| is at least |@p t|, where T has @p df > 0 degrees of freedom,
 * which need not be a whole number.
 */
double ana_student_p(double t, double df);

/** Return the t >= 0 for which ana_student_p() is @p p, 0 < p < 1. */
double ana_student_quantile(double p, double df);

#endif
