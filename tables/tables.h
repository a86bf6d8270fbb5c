/**
 * @file Tables: a profile as relations, for formats and queries that know rows and columns.
 *
 * Each table is declared once, as a list of columns. A source makes the tables of one profile. Any
 * cell can be read at any time, by the number of its row and its column, so that writers may go by
 * rows or by columns:
 *
 *     err = tab_source_create(profile, wanted, &source);
 *     size_t n = tab_n_rows(source, table);
 *     for (size_t row = 0; !err && row < n; row++) {
 *             tab_pass(source, table, row);
 *             err = tab_get(source, table, column, row, &cell);
 *     }
 *
 * Memory: single samples, intervals and states may be in temporary files, which are mapped;
 * tab_pass() lets the kernel drop what was read. What has to be computed, such as the tree of
 * stacks, is made when the source is created, and only if a wanted table has it. It takes a few
 * words for each frame of each distinct stack.
 *
 * A source is used by one thread at a time.
 */
#ifndef PD_TABLES_TABLES_H
#define PD_TABLES_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "profile/profile.h"
#include "profile/request.h"

/**
 * Version of all tables: names, types and meanings of their columns. It is in the table recording.
 * Raise it with every change; new tables and new columns at the end are changes as well.
 */
enum { TAB_SCHEMA_VERSION = 1 };

/** Type of the values of a column. */
enum tab_type {
	/** 64 bits with a sign. Addresses of kernels are negative. */
	TAB_INTEGER,
	TAB_REAL,
	/** Well-formed UTF-8. Bytes that are not, and NUL, are stored as base/utf8.h says. */
	TAB_TEXT,
	TAB_BLOB,
};

/** A value. */
struct tab_cell {
	bool is_null;
	int64_t integer;
	double real;
	/** Text or blob: len bytes, valid until the next cell of the source is read. */
	const void *bytes;
	size_t len;
};

struct tab_column;
struct tab_source;

/** Needs of a table, or of a column in addition to those of its table. */
enum tab_need {
	/** Names of frames; without them, profiles are read without looking for binaries. */
	TAB_NEEDS_NAMES = 1,
	/** Each sample by itself. */
	TAB_NEEDS_ROWS = 2,
	/** States of threads. */
	TAB_NEEDS_PHASES = 4,
	/** Distances of frames from their symbols. */
	TAB_NEEDS_OFFSETS = 8,
	/** Mappings of the recording. */
	TAB_NEEDS_MAPPINGS = 1024,
	/* Parts that a source computes. */
	TAB_NEEDS_FRAMES = 16,
	TAB_NEEDS_TREE = 32,
	TAB_NEEDS_TREE_TOTALS = 64,
	TAB_NEEDS_FUNCTION_TOTALS = 128,
	TAB_NEEDS_WAIT_FUNCTIONS = 256,
	TAB_NEEDS_QUALITY = 512,
	TAB_NEEDS_FOLDED = 1024,
};

struct tab_table {
	const char *name;
	/** Meaning of a row, in one line. */
	const char *help;
	const struct tab_column *columns;
	size_t n_columns;
	/** Column 0 is "id", and holds the number of the row. */
	bool has_id;
	/** Bits of enum tab_need. */
	unsigned needs;
	size_t (*n_rows)(const struct tab_source *source);
	/** Return row @p i as the columns take it: an element of an array of the profile. */
	const void *(*row)(const struct tab_source *source, size_t i);
	/** See tab_pass(). NULL: all rows are in memory. */
	void (*pass)(const struct tab_source *source, size_t i);
};

/** How a column gets its value from a row. */
enum tab_from {
	/** The function of the column sets it. */
	TAB_FROM_FUNCTION,
	/** The number of the row. */
	TAB_FROM_ROW,
	/* Members of the row. */
	TAB_FROM_BOOL,
	TAB_FROM_U16,
	TAB_FROM_U32,
	TAB_FROM_U64,
	/** An id, or another number for which PROF_NONE stands for NULL. */
	TAB_FROM_ID,
	/** Time in ns; PD_NO_TIME is NULL. */
	TAB_FROM_TIME,
	/** struct prof_string_id; "" is NULL if the column may be null. */
	TAB_FROM_STRING,
};

/** Set @p ret, which is an integer 0 that is not NULL, to the value of @p row, number @p i. */
typedef void tab_get_fn(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret);

struct tab_column {
	const char *name;
	enum tab_type type;
	bool may_be_null;
	/** Time in ns since 1970, in UTC. Other times are on the clock of the recording. */
	bool is_wall_clock;
	/** Table whose id the column holds; NULL: none. */
	const char *refers_to;
	/** Meaning and unit, in one line. */
	const char *help;
	/** Bits of enum tab_need in addition to those of the table. */
	unsigned needs;
	enum tab_from from;
	/** Offset of the member in the row. */
	size_t offset;
	tab_get_fn *get;
};

/** Return all tables, *@p n_ret of them, in an order in which references point backwards. */
const struct tab_table *const *tab_tables(size_t *n_ret);

/**
 * Folded stacks with all names, for questions to many recordings. It repeats what the other tables
 * have, and is not one of them.
 */
extern const struct tab_table tab_folded;

/** Find a table by its name, or return NULL. */
const struct tab_table *tab_find(const char *name);

/** Name of a type in SQL: "INTEGER". Static storage. */
const char *tab_type_name(enum tab_type type);

/** Return the needs of all tables with all their columns. */
unsigned tab_all_needs(void);

/** Add to @p request what tables with these @p needs take from a recording. */
void tab_request(unsigned needs, struct prof_request *request);

/**
 * Create the tables of @p profile, which is borrowed, as far as @p needs go. Tables that need more
 * have no rows. Destroy it with tab_source_destroy(). Errors: NOMEM.
 */
struct pd_error *tab_source_create(
	const struct profile *profile, unsigned needs, struct tab_source **ret) pd_must_check;
void tab_source_destroy(struct tab_source *source);

size_t tab_n_rows(const struct tab_source *source, const struct tab_table *table);

/** Say that rows are read in order, and that number @p row is next. */
void tab_pass(const struct tab_source *source, const struct tab_table *table, size_t row);

/** Get the value of @p column in @p row, less than tab_n_rows(). Errors: NOMEM. */
struct pd_error *tab_get(struct tab_source *source, const struct tab_table *table,
	const struct tab_column *column, size_t row, struct tab_cell *ret) pd_must_check;

#endif
