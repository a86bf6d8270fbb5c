/**
 * @file Rows of the report: one for each symbol. In a comparison each row counts both sides.
 */
#ifndef PD_OUTPUT_REPORT_ROWS_H
#define PD_OUTPUT_REPORT_ROWS_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "output/formats.h"
#include "profile/symbols.h"

/** Sums of periods of a row, indexed by side. */
struct out_report_row {
	/** Samples whose leaf is the symbol. */
	uint64_t self[OUT_N_SIDES];
	/** Samples that have the symbol anywhere in their stack. */
	uint64_t total[OUT_N_SIDES];
	/** Sample that was added to total last, so that a recursive function counts it once. */
	struct prof_sample_id last_sample;
};

/** Rows of one event. */
struct out_report_rows {
	const struct profile *profile;
	const struct prof_symbols *symbols;
	/** NULL: all samples belong to the first side. */
	const struct out_sides *sides;
	/** Indexed by symbol id. */
	PD_VEC(struct out_report_row) rows;
	/** Symbols that occur in samples of the event, unsorted; users sort them. */
	PD_VEC(uint32_t) order;
};

/**
 * Count all samples of @p event. @p profile, its @p symbols and @p sides are borrowed. Errors:
 * NOMEM.
 */
struct pd_error *out_report_count(const struct profile *profile, const struct prof_symbols *symbols,
	const struct out_sides *sides, struct prof_event_id event,
	struct out_report_rows *ret) pd_must_check;
void out_report_rows_deinit(struct out_report_rows *rows);

#endif
