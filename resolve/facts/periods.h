/**
 * @file Periods of samples: which of them cannot be counted, and which are far above the others.
 *
 * Kernels have written negative periods, and periods that are a million times too large. The sum of
 * the periods of all events is kept at PROF_MAX_PERIODS, so that no sum of them overflows, and none
 * is negative in formats with signed integers.
 */
#ifndef PD_RESOLVE_PERIODS_H
#define PD_RESOLVE_PERIODS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "profile/profile.h"

enum { RESOLVE_N_PERIOD_SIZES = 64 };

/** Periods of an event. */
struct resolve_event_periods {
	/** Samples and their periods by the number of the highest bit of the period. */
	struct prof_value by_size[RESOLVE_N_PERIOD_SIZES];
	uint64_t largest;
	/** Samples whose periods cannot be counted, and the first of these periods. */
	uint64_t n_invalid;
	uint64_t invalid;
};

struct resolve_periods {
	/** Sum of the periods of all events. */
	uint64_t sum;
	/** Periods of each event, by its id in the profile. */
	PD_VEC(struct resolve_event_periods) events;
};

void resolve_periods_deinit(struct resolve_periods *periods);

/** Make room for the event @p id. Returns false if memory ran out. */
bool resolve_periods_add_event(
	struct resolve_periods *periods, struct prof_event_id id) pd_must_check;

/** Note a period that cannot be counted. */
void resolve_periods_refuse(
	struct resolve_periods *periods, struct prof_event_id id, uint64_t period);

/**
 * Return what a sample with @p period counts: the period, or 0 if it is negative as a signed
 * integer, or if the sum of all periods would get too large. The event was added.
 */
static inline uint64_t resolve_periods_take(
	struct resolve_periods *periods, struct prof_event_id id, uint64_t period)
{
	struct resolve_event_periods *event = &periods->events.data[id.i];

	if (period > PROF_MAX_PERIODS - periods->sum) {
		resolve_periods_refuse(periods, id, period);
		return 0;
	}
	periods->sum += period;
	struct prof_value *value = &event->by_size[period ? 63 - __builtin_clzll(period) : 0];
	value->samples++;
	value->period += period;
	if (period > event->largest)
		event->largest = period;
	return period;
}

/** Store what was found in the events of @p profile, whose times are final. */
void resolve_periods_finish(const struct resolve_periods *periods, struct profile *profile);

#endif
