/**
 * @file Rows of the report: one for each function of a binary, and one for the frames of a binary
 * that have no name. In a comparison each row counts both sides.
 */
#ifndef PD_OUTPUT_REPORT_ROWS_H
#define PD_OUTPUT_REPORT_ROWS_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "output/formats.h"

/** Identity of a row: ids in out_report_rows.names. */
struct out_report_key {
	/** Function. */
	uint32_t name;
	/** File name of the binary without its folder; "" if there is no binary. */
	uint32_t binary;
};

/** Sums of periods of a row, indexed by side. */
struct out_report_row {
	/** Samples whose leaf is the function. */
	uint64_t self[OUT_N_SIDES];
	/** Samples that have the function anywhere in their stack. */
	uint64_t total[OUT_N_SIDES];
	/** Sample that was added to total last, so that a recursive function counts it once. */
	struct prof_sample_id last_sample;
};

/** Rows of one event. */
struct out_report_rows {
	const struct profile *profile;
	/** NULL: all samples belong to the first side. */
	const struct out_sides *sides;
	/** Names of functions and binaries, including those made for unnamed frames. */
	struct pd_intern names;
	/** struct out_report_key of each row. */
	struct pd_intern keys;
	/** Indexed by key. */
	PD_VEC(struct out_report_row) rows;
	/** Indices of all rows, unsorted; users sort them. */
	PD_VEC(uint32_t) order;
};

/** Count all samples of @p event. @p profile and @p sides are borrowed. Errors: NOMEM. */
struct pd_error *out_report_count(const struct profile *profile, const struct out_sides *sides,
	struct prof_event_id event, struct out_report_rows *ret) pd_must_check;
void out_report_rows_deinit(struct out_report_rows *rows);

/** Write "name  (binary)" of a row and a newline. Long names are truncated. */
void out_report_write_name(const struct out_report_rows *rows, uint32_t row, FILE *out);

#endif
