/** @file Columns and cells that several sections of the report have. */
#ifndef PD_OUTPUT_REPORT_REPORT_CELLS_H
#define PD_OUTPUT_REPORT_REPORT_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/symbols.h"
#include "output/doc/doc.h"

/** A column of times in ns. */
#define OUT_TIME_COLUMN(name) \
	{ \
		.key = (name), .title = (name), .kind = OUT_CELL_AMOUNT, .unit = "nanoseconds" \
	}

/** Columns of the states of threads, and their sum. */
#define OUT_STATE_COLUMNS \
	OUT_TIME_COLUMN("running"), OUT_TIME_COLUMN("runnable"), OUT_TIME_COLUMN("blocked"), \
		OUT_TIME_COLUMN("unknown"), OUT_TIME_COLUMN("life")

/** Columns of a stack, for out_report_add_callers(). */
#define OUT_CALLERS_COLUMNS(name, heading) \
	{ .key = (name), .kind = OUT_CELL_TEXT }, \
	{ \
		.title = (heading), .kind = OUT_CELL_TEXT \
	}

/** Fill the next cell with a time or a number, and leave it empty if that is 0. */
static inline void out_report_add_number(struct out_table *table, uint64_t ns)
{
	if (ns)
		out_table_count(table, ns);
	else
		out_table_empty(table);
}

/** Fill the next cells with times, and their sum. */
static inline void out_report_add_times(
	struct out_table *table, const uint64_t *ns, size_t n, uint64_t whole)
{
	for (size_t i = 0; i < n; i++)
		out_report_add_number(table, ns[i]);
	out_table_count(table, whole);
}

/** Fill the next cell with the function @p symbol; PROF_NONE: the program has none in the stack. */
void out_report_add_function(
	struct out_table *table, const struct ana_symbols *symbols, uint32_t symbol);

/**
 * Fill the next two cells with the @p n functions of a stack, leaf first: all of them, and as many
 * as fit a line of @p width columns of which @p used have been used. 0: any width. Errors: NOMEM.
 */
struct pd_error *out_report_add_callers(struct out_table *table, const struct ana_symbols *symbols,
	const uint32_t *stack, uint32_t n, size_t used, size_t width) pd_must_check;

#endif
