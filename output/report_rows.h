/**
 * @file What the report counts: a row for each function of a binary, and for what of a binary has no
 * name. Of a comparison, both sides.
 */
#ifndef PD_OUTPUT_REPORT_ROWS_H
#define PD_OUTPUT_REPORT_ROWS_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "output/formats.h"

/** In names: of the function, and the last part of the binary's path, "" if it is in none. */
struct out_report_key {
	uint32_t name;
	uint32_t binary;
};

/** Sums of periods, by side. */
struct out_report_row {
	/** Of samples that were in it. */
	uint64_t self[OUT_N_SIDES];
	/** Of samples that have it anywhere in their stack. */
	uint64_t total[OUT_N_SIDES];
	/** The last sample that was counted in total, so that recursion counts once. */
	struct prof_sample_id last_sample;
};

struct out_report_rows {
	const struct profile *profile;
	/** NULL: all samples are of the first side. */
	const struct out_sides *sides;
	/** Names of unnamed frames, and names of the profile again. */
	struct pd_intern names;
	struct pd_intern keys;
	/** By number of the key. */
	PD_VEC(struct out_report_row) rows;
	/** Numbers of rows, to be sorted by whoever likes. */
	PD_VEC(uint32_t) order;
};

/** Count all samples of event number @p event. All but the result is borrowed. Errors: no memory. */
struct pd_error *out_report_count(const struct profile *profile, const struct out_sides *sides,
	struct prof_event_id event, struct out_report_rows *ret) pd_must_check;
void out_report_rows_deinit(struct out_report_rows *rows);

/** "name  (binary)" and the end of the line; long names are cut. */
void out_report_write_name(const struct out_report_rows *rows, uint32_t row, FILE *out);

#endif
