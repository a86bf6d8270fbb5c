/**
 * @file Values of one column in a row group that is being filled; ranges and bounds of them.
 */
#ifndef PD_PARQUET_CELLS_H
#define PD_PARQUET_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "parquet/parquet.h"
#include "parquet/parquet_ids.h"

/** How values are given and ordered. */
enum pq_kind { PQ_KIND_BOOLEAN, PQ_KIND_INT, PQ_KIND_UINT, PQ_KIND_DOUBLE, PQ_KIND_BYTES };

/** A row of parquet/parquet_type_defs.h. */
struct pq_type_info {
	const char *name;
	enum pq_kind kind;
	enum pq_physical physical;
	/** Bytes of a plain value; 0: each value has its length. */
	size_t size;
	enum pq_converted converted;
	enum pq_logical logical;
};

extern const struct pq_type_info pq_type_infos[PQ_N_TYPES];

struct pq_cells {
	/** Borrowed. */
	const struct pq_column *column;
	const struct pq_type_info *type;
	size_t n_rows;
	/**
	 * Values that are not null: numbers, signed ones extended to 64 bits; bits of doubles; ids
	 * of strings.
	 */
	PD_VEC(uint64_t) values;
	/** For each row of an optional column: 1, it has a value; 0, it is null. */
	PD_VEC(uint8_t) levels;
	/** Distinct strings, by the order of their first appearance. */
	struct base_intern strings;
};

/** Set up @p cells for @p column, which is borrowed. Free with pq_cells_deinit(). */
void pq_cells_init(struct pq_cells *cells, const struct pq_column *column);
void pq_cells_deinit(struct pq_cells *cells);
/** Drop all rows. */
void pq_cells_clear(struct pq_cells *cells);

/** Append a value, in the form that `values` has. Errors: NOMEM. */
struct pd_error *pq_cells_add(struct pq_cells *cells, uint64_t value) pd_must_check;
/** Append a string. Errors: USAGE, it is too long or not UTF-8; NOMEM. */
struct pd_error *pq_cells_add_bytes(
	struct pq_cells *cells, const void *bytes, size_t len) pd_must_check;
/** Append a null. Errors: USAGE, the column is not optional; NOMEM. */
struct pd_error *pq_cells_add_null(struct pq_cells *cells) pd_must_check;

/** The values from number @p value on; NULL if the column has none. */
static inline const uint64_t *pq_cells_values(const struct pq_cells *cells, size_t value)
{
	return cells->values.n ? cells->values.data + value : NULL;
}

/** Bytes in memory. */
static inline uint64_t pq_cells_bytes(const struct pq_cells *cells)
{
	return (uint64_t)cells->values.n * sizeof(*cells->values.data) + cells->levels.n +
	       cells->strings.arena.used;
}

/** Rows that follow each other, and their values. */
struct pq_range {
	size_t row;
	size_t n_rows;
	/** Index of the first value. */
	size_t value;
	/** Rows without nulls. */
	size_t n_values;
};

/**
 * Return the rows after @p before, at most @p most. @p plain_bytes ends the range early: at the
 * value with which the plain strings reach so many bytes; 0: no bound.
 */
struct pq_range pq_cells_range(const struct pq_cells *cells, const struct pq_range *before,
	size_t most, size_t plain_bytes);

/** Least and largest value of some rows, and how many have no place in that order. */
struct pq_bounds {
	/** There are a least and a largest value: one is neither null nor not-a-number. */
	bool has_values;
	/** In the form that `values` has. */
	uint64_t least;
	uint64_t most;
	uint64_t n_nulls;
	/** Values that are not numbers, of DOUBLE. */
	uint64_t n_nans;
};

/**
 * Bounds of @p range. @p seen has an element for each string, all less than @p stamp, which is set
 * for those in the range: each is compared once. NULL if the column has no strings.
 */
struct pq_bounds pq_cells_bounds(
	const struct pq_cells *cells, const struct pq_range *range, uint32_t *seen, uint32_t stamp);
/** Extend @p bounds by those of other rows of the column. */
void pq_bounds_merge(
	const struct pq_cells *cells, struct pq_bounds *bounds, const struct pq_bounds *other);

/** Whether @p a comes before @p b, values of the column, which are not not-a-number. */
bool pq_cells_is_less(const struct pq_cells *cells, uint64_t a, uint64_t b);

/** Longer strings are cut in bounds, so that the end of the file stays small. */
enum { PQ_BOUND_BYTES = 64 };

/** A bound as the format stores it. */
struct pq_bound {
	/** Cutting replaces the last character by the next one, which may be longer. */
	uint8_t bytes[PQ_BOUND_BYTES + 4];
	size_t n;
	/** A value of the column, not one that is less or larger than all. */
	bool is_exact;
};

/**
 * Write the bounds, which have values. Returns false if no short string is larger than all: then
 * the rows are stored without bounds.
 */
bool pq_cells_store_bounds(const struct pq_cells *cells, const struct pq_bounds *bounds,
	struct pq_bound *least_ret, struct pq_bound *most_ret);

#endif
