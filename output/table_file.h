/**
 * @file A table of tables/tables.h as a Parquet file.
 */
#ifndef PD_OUTPUT_TABLE_FILE_H
#define PD_OUTPUT_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "tables/tables.h"

/** Key by which a file is known: the last note of the file, near its end. */
#define OUT_TABLE_MARK "pdconv.table"

/** A column of text that has one value in all rows. Members are borrowed. */
struct out_constant {
	/** Not the name of a column of the table. */
	const char *name;
	/** Meaning, in one line. */
	const char *help;
	/** UTF-8; NULL: the value is null. */
	const char *value;
};

/** A table that is written. Members are borrowed. */
struct out_table_file {
	struct tab_source *source;
	const struct tab_table *table;
	/** Columns before those of the table. */
	const struct out_constant *constants;
	size_t n_constants;
	/** Times of the wall are integers: Spark refuses times in ns. */
	bool has_plain_times;
	/** Number of threads; 0: one for each processor. */
	size_t jobs;
};

/** An out_write_file for a struct out_table_file. Errors: NOMEM, OS. */
struct pd_error *out_table_file_write(void *file, FILE *out) pd_must_check;

#endif
