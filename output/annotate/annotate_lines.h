/**
 * @file Tables of source lines in an annotation, and the columns of events that they share with
 * instructions.
 */
#ifndef PD_OUTPUT_ANNOTATE_ANNOTATE_LINES_H
#define PD_OUTPUT_ANNOTATE_ANNOTATE_LINES_H

#include "output/annotate/annotate_doc.h"

/** Events that have columns, and columns of an event. */
enum { OUT_ANNOTATE_MAX_EVENTS = 6, OUT_ANNOTATE_EVENT_COLUMNS = 3 };

/** Name of event @p i of the functions. Borrowed. */
const char *out_annotate_event_name(const struct ann_functions *functions, size_t i);

/** Number of events that have columns. */
size_t out_annotate_n_events(const struct ann_functions *functions);

/**
 * Describe the columns of all events: share, samples and period of each. @p ret has room for all.
 * Returns their number.
 */
size_t out_annotate_value_columns(const struct ann_functions *functions, struct out_column *ret);

/**
 * Fill the columns of all events with @p values, one for each event; NULL: leave them empty. Shares
 * are of @p whole.
 */
void out_annotate_add_values(struct out_table *table, const struct ann_functions *functions,
	const struct prof_value *values, const struct prof_value *whole);

/** Add the hottest lines of the function. Errors: NOMEM. */
struct pd_error *out_annotate_add_hottest(struct out_doc *doc, const struct out_annotation *a,
	const struct out_annotate_opts *opts, const struct prof_value *whole) pd_must_check;

/** Add the lines of each source file. Errors: NOMEM. */
struct pd_error *out_annotate_add_files(struct out_doc *doc, const struct out_annotation *a,
	const struct out_annotate_opts *opts, const struct prof_value *whole) pd_must_check;

#endif
