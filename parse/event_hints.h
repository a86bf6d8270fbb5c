/**
 * @file Finding the events of many records, which have few ids.
 *
 * The functions do what pd_events_find() and pd_events_time() do, in less time. Hints belong to one
 * list of events, and to one thread; NULL: do without.
 */
#ifndef PD_PARSE_EVENT_HINTS_H
#define PD_PARSE_EVENT_HINTS_H

#include <stdint.h>

#include <pdconv/events.h>
#include <pdconv/record.h>

/** An id that was looked up. */
struct pd_event_hint {
	uint64_t id;
	/** Index of the event that has the id, plus 1; 0 if no id was noted here. */
	uint32_t event;
};

/** Number of hints. The kernel numbers the ids of a recording one after the other. */
enum { PD_EVENT_HINTS = 64 };

/** Ids that were looked up, each at the index id % PD_EVENT_HINTS. Zero-initialized it is empty. */
struct pd_event_hints {
	struct pd_event_hint known[PD_EVENT_HINTS];
	/** pd_events_index.n_moved when they were noted. */
	uint64_t n_moved;
};

const struct pd_event *pd_events_find_hinted(
	const struct pd_events *events, struct pd_event_hints *hints, const struct pd_record *rec);

uint64_t pd_events_time_hinted(
	const struct pd_events *events, struct pd_event_hints *hints, const struct pd_record *rec);

#endif
