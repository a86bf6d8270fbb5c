/**
 * @file Events of a profile as lists of sample types have them: pprof and OTLP.
 */
#ifndef PD_OUTPUT_EVENT_NAMES_H
#define PD_OUTPUT_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers/intern.h"
#include "profile/profile.h"

/** Names of the listed events. Zero-initialise. */
struct out_event_names {
	struct base_intern texts;
	/** Index in texts of each event's short name, and the number of events that have it. */
	uint32_t *short_names;
	uint32_t *counts;
};

/**
 * Whether @p event is listed: dummy events and events that a filter excludes are not, unless they
 * have samples.
 */
bool out_event_is_listed(const struct prof_event *event);
size_t out_count_listed_events(const struct profile *profile);

/** Find the names of the listed events. Returns false if memory ran out; deinit in any case. */
bool out_event_names_init(struct out_event_names *names, const struct profile *profile);
void out_event_names_deinit(struct out_event_names *names);

/**
 * Return the name of a listed event: "cpu" for clocks, else its name without modifiers, or the full
 * name if another event has the same short name. It lives as long as @p names and @p profile.
 */
const char *out_event_name(const struct out_event_names *names, const struct profile *profile,
	struct prof_event_id id);

/** Return the default event: the first one with samples, else the first listed one, or none. */
struct prof_event_id out_main_event(const struct profile *profile);

/**
 * Return the distance between two samples in the unit of @p event: the mean if it was sampled by
 * frequency. 0: not known.
 */
int64_t out_event_period(const struct prof_event *event);

/** Wall-clock time at the beginning of the recording, in ns since 1970; 0: not known. */
uint64_t out_recording_start(const struct profile *profile);

#endif
