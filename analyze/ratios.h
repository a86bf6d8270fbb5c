/**
 * @file Ratios of events, such as instructions per cycle: see analyze/ratio_defs.h.
 */
#ifndef PD_ANALYZE_RATIOS_H
#define PD_ANALYZE_RATIOS_H

#include <stdbool.h>
#include <stddef.h>

/** A ratio of two events. All strings have static storage. */
struct ana_ratio {
	const char *key;
	const char *title;
	const char *numerator;
	const char *denominator;
	double scale;
	const char *help;
};

/** Return all ratios, *@p n_ret entries. */
const struct ana_ratio *ana_ratios(size_t *n_ret);

/**
 * Whether the event @p event is @p name of a ratio: "cpu_core/cycles/u" and "cpu-cycles:u" are
 * cycles.
 */
bool ana_ratio_is_event(const char *event, const char *name);

#endif
