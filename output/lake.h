/**
 * @file Lakes: tables of many recordings, each recording in separate files.
 *
 * Each file has the columns `recording` and, unless the table has it, `host` before those of the
 * table, which say to which recording a row belongs. Ids refer to rows of the same recording.
 */
#ifndef PD_OUTPUT_LAKE_H
#define PD_OUTPUT_LAKE_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "output/formats.h"
#include "tables/tables.h"

/** The tables of a lake. Zero-initialise. */
struct out_lake {
	PD_VEC(const struct tab_table *) tables;
	/** Bits of enum tab_need. */
	unsigned needs;
};

/**
 * Add to @p lake the tables that each lake has, and those called @p names; "all" stands for all.
 * Free with out_lake_deinit(). Errors: USAGE, a name is not that of a table; NOMEM.
 */
struct pd_error *out_lake_init(
	struct out_lake *lake, const char *const *names, size_t n) pd_must_check;
void out_lake_deinit(struct out_lake *lake);

/** Whether a table of the lake has a column called @p name. */
bool out_lake_has_column(const struct out_lake *lake, const char *name);

/**
 * Write the tables of @p profile, whose id is @p recording, to @p to: a file TABLE.parquet for each
 * table. The profile was requested by tab_request() with the needs of the lake. Errors: NOMEM, OS.
 */
struct pd_error *out_lake_write(const struct out_lake *lake, const struct profile *profile,
	const char *recording, size_t jobs, const struct out_directory *to) pd_must_check;

/**
 * An out_write_file for a struct out_lake: statements by which DuckDB knows the files
 * TABLE/.../ID.parquet and the views of lakes.
 */
struct pd_error *out_lake_write_views(void *lake, FILE *out) pd_must_check;

#endif
