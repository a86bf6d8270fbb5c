/**
 * @file The interval of a share of samples: how far it may be from the truth by chance.
 */
#ifndef PD_QUERY_SHARE_INTERVAL_H
#define PD_QUERY_SHARE_INTERVAL_H

#include <stdint.h>

/** Shares from 0 to 1. */
struct qry_interval {
	double low;
	double high;
};

/**
 * Return the interval of the share @p part of @p whole, which @p samples samples show, with a
 * confidence of 95 % (Wilson's score interval). It takes samples to be independent and their
 * periods to be alike. Without samples nothing is known: 0 to 1.
 */
struct qry_interval qry_share_interval(uint64_t part, uint64_t whole, uint64_t samples);

#endif
