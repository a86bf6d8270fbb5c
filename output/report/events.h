/**
 * @file Events of the report: those that share its tables, with a column each.
 */
#ifndef PD_OUTPUT_REPORT_EVENTS_H
#define PD_OUTPUT_REPORT_EVENTS_H

#include "output/formats.h"

/** Most events that share a table. */
enum { OUT_MAX_EVENTS = 6 };

struct out_report_events {
	struct prof_event_id list[OUT_MAX_EVENTS];
	size_t n;
	/** All events share a column, because a key of the table separates them. */
	bool are_rows;
};

/**
 * Return the events of the tables of @p event. These are @p event alone if the user chose events,
 * for each of which the report has a section; otherwise counters that were recorded with stacks, or
 * all without, share the tables. A table with the key event has all events.
 */
struct out_report_events out_report_events(const struct profile *profile,
	const struct out_write_opts *opts, struct prof_event_id event);

/** Set shown_ret[i] for each event i: whether the report shows it. */
void out_report_find_shown(
	const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret);

/**
 * Return the column of each event of @p profile, by event id: its index in @p events, or PROF_NONE
 * if it is not shown. Allocated; NULL: no memory.
 */
uint32_t *out_report_event_columns(
	const struct profile *profile, const struct out_report_events *events);

#endif
