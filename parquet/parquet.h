/**
 * @file Writer of Apache Parquet files: tables of flat columns.
 *
 *	static const struct pq_column columns[] = {
 *		{ "time", PQ_INT64, false },
 *		{ "comm", PQ_STRING, true },
 *	};
 *	const struct pq_opts opts = { .columns = columns, .n_columns = PD_ARRAY_LEN(columns) };
 *	struct pd_error *err = pq_writer_create(out, &opts, &writer);
 *
 *	for each row:
 *		err = pq_put_int(writer, 0, time);
 *		err = comm ? pq_put_bytes(writer, 1, comm, strlen(comm)) : pq_put_null(writer, 1);
 *		err = pq_writer_end_rows(writer, 1);
 *	err = pq_writer_finish(writer);
 *
 * Values are collected until they make a row group, which is then encoded, one column per thread,
 * and written. Encodings are chosen by the size that a page of the column has in each. Memory is
 * needed for one row group, and for about 100 bytes for each page and chunk that was written, which
 * the end of the file lists. The bytes of the file depend on the rows and the options, but not on
 * the number of threads or on how rows are divided among calls.
 *
 * Strings of a STRING column must be UTF-8, because readers refuse the file otherwise: any other
 * string is an error. Names with any bytes belong in a BINARY column.
 *
 * A writer must not be used by two threads at the same time.
 */
#ifndef PD_PARQUET_PARQUET_H
#define PD_PARQUET_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

enum pq_type {
#define T(name, ...) PQ_##name,
#include "parquet/parquet_type_defs.h"
#undef T
	PQ_N_TYPES,
};

/** Most bytes of one value of STRING or BINARY. */
enum { PQ_VALUE_BYTES = 1 << 28 };

struct pq_column {
	/** UTF-8, not empty, and unique in the table. */
	const char *name;
	enum pq_type type;
	/** Rows may have no value, which is null. */
	bool is_optional;
};

/** A text about the file as a whole, which readers show and do not use. */
struct pq_note {
	/** UTF-8. */
	const char *key;
	/** UTF-8. */
	const char *value;
};

/** Options of a writer. Arrays and texts are borrowed until it is destroyed. Zero-initialise. */
struct pq_opts {
	/** Columns of the table, 1 or more. */
	const struct pq_column *columns;
	size_t n_columns;
	const struct pq_note *notes;
	size_t n_notes;
	/** Program that writes the file: "NAME version NUMBER". NULL: not stated. */
	const char *created_by;
	/** Most rows of a row group; 0: 1,048,576. */
	uint64_t group_rows;
	/**
	 * Bytes of values in memory at which a row group ends; 0: 128 MiB. A number takes 8 bytes.
	 * A string takes 8 bytes in each row, and its length once for all rows of the group.
	 */
	uint64_t group_bytes;
	/** Number of threads; 0: one for each processor. */
	size_t jobs;
	/** Level of zstd; 0: 3. */
	int level;
};

struct pq_writer;

/**
 * Create a writer, and begin a file on @p out, which is borrowed and need not be seekable. Errors:
 * USAGE, the columns are not as above; NOMEM; OS, a thread cannot be started.
 */
struct pd_error *pq_writer_create(
	FILE *out, const struct pq_opts *opts, struct pq_writer **ret) pd_must_check;
/** Free the writer. A file that was not finished cannot be read. NULL is allowed. */
void pq_writer_destroy(struct pq_writer *writer);

/*
 * Append a value to column number @p column. The columns may be filled in any order, each with any
 * number of values, before pq_writer_end_rows(). Errors: USAGE, the type of the column is another
 * one, or the value is out of its range; NOMEM. After an error the writer can only be destroyed.
 */

/** For BOOLEAN. */
struct pd_error *pq_put_boolean(struct pq_writer *writer, size_t column, bool value) pd_must_check;
/** For INT32, INT64 and TIMESTAMP. */
struct pd_error *pq_put_int(struct pq_writer *writer, size_t column, int64_t value) pd_must_check;
/** For UINT32 and UINT64. */
struct pd_error *pq_put_uint(struct pq_writer *writer, size_t column, uint64_t value) pd_must_check;
/** For DOUBLE. */
struct pd_error *pq_put_double(struct pq_writer *writer, size_t column, double value) pd_must_check;
/** For STRING and BINARY. Copies @p len bytes, which may be zeros, and need no NUL after them. */
struct pd_error *pq_put_bytes(
	struct pq_writer *writer, size_t column, const void *bytes, size_t len) pd_must_check;
/** For optional columns. */
struct pd_error *pq_put_null(struct pq_writer *writer, size_t column) pd_must_check;

/**
 * End @p n rows: each column has got @p n values since the last call. Writes a row group if one is
 * full, so that a row group is larger than its bounds by the rows of one call at most. Errors:
 * USAGE, a column has got another number; NOMEM; OS, writing failed.
 */
struct pd_error *pq_writer_end_rows(struct pq_writer *writer, size_t n) pd_must_check;

/**
 * Write the last row group and the end of the file, and flush the stream. Nothing may be written
 * afterwards. Errors as pq_writer_end_rows().
 */
struct pd_error *pq_writer_finish(struct pq_writer *writer) pd_must_check;

#endif
