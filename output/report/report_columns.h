/**
 * @file Columns of the tables of the report: which events share a table, and columns of sums of
 * each: shares, samples, periods and ratios.
 */
#ifndef PD_OUTPUT_REPORT_REPORT_COLUMNS_H
#define PD_OUTPUT_REPORT_REPORT_COLUMNS_H

#include "analyze/keys/key_table.h"
#include "analyze/keys/keys.h"
#include "output/doc/doc.h"
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

/** Most columns: a share and its period, samples and periods of each event, and ratios. */
enum { OUT_MAX_SUMS = 6 * OUT_MAX_EVENTS + 8 };

/** A column of sums. */
struct out_sum {
	/** Key that is a SUM; not used for ratios. */
	enum ana_key key;
	/** Index of the event; numerator of a ratio. */
	size_t event;
	/** The cell is the share in the sum of all samples. */
	bool is_share;
	/** Ratio to the event @p denominator; NULL: none. */
	const struct ana_event_ratio *ratio;
	size_t denominator;
};

/** Columns of sums in their order. Begin with out_sums_begin(). */
struct out_sums {
	struct out_doc *doc;
	const struct profile *profile;
	const struct out_report_events *events;
	/** Latencies of all samples, by event; NULL: there are none. Borrowed. */
	const uint64_t *latencies;
	struct out_sum list[OUT_MAX_SUMS];
	struct out_column columns[OUT_MAX_SUMS];
	size_t n;
};

/** Begin without columns. All is borrowed. */
struct out_sums out_sums_begin(
	struct out_doc *doc, const struct profile *profile, const struct out_report_events *events);

/** Titles of columns of sums if there are several events. */
enum out_sum_titles {
	/** The event and the sum. */
	OUT_SUM_BY_NAME,
	/** The event alone. */
	OUT_SUM_BY_EVENT,
	/** Not at all: they are only in JSON, also if there is one event. */
	OUT_SUM_HIDDEN,
};

/** Append columns of the key @p sum for each event. */
void out_sums_add(struct out_sums *sums, enum ana_key sum, enum out_sum_titles titles);

/** Append the columns that users can ask for: samples and periods. */
void out_sums_add_optional(struct out_sums *sums, const struct pd_report_opts *opts);

/** Append the ratios between events, of their sums of the key @p sum. */
void out_sums_add_ratios(struct out_sums *sums, enum ana_key sum);

/** Fill the cells of a row. @p of_row and @p wholes have an element for each event. */
void out_sums_fill(const struct out_sums *sums, struct out_table *table,
	const struct ana_sums *of_row, const uint64_t *wholes);

#endif
