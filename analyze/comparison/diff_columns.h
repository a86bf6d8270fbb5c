/**
 * @file Columns: what the samples of a profile are counted by, such as functions or call paths.
 *
 * A sample counts in several columns, which its stack alone determines. Column 0 counts all.
 */
#ifndef PD_ANALYZE_DIFF_COLUMNS_H
#define PD_ANALYZE_DIFF_COLUMNS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/symbols.h"
#include "base/containers/intern.h"
#include "profile/profile.h"

enum ana_column_kind {
	ANA_COLUMN_ALL,	  /**< Every sample. */
	ANA_COLUMN_SELF,  /**< Samples whose leaf is the symbol. */
	ANA_COLUMN_TOTAL, /**< Samples with the symbol anywhere in their stack. */
	ANA_COLUMN_PATH,  /**< Samples whose leaf is the symbol, by all callers of it. */
	ANA_N_COLUMN_KINDS,
};

/** A column. Columns with equal bytes are the same column. */
struct ana_column {
	/** enum ana_column_kind. */
	uint32_t kind;
	/** PROF_NONE for ANA_COLUMN_ALL. */
	uint32_t symbol;
	/** ANA_COLUMN_PATH: id in ana_columns.paths; else 0. */
	uint32_t path;
};

/** Columns of a profile. A zeroed one is empty. */
struct ana_columns {
	/** struct ana_column. */
	struct base_intern list;
	/** Arrays of symbol ids, leaf first. Symbols that repeat next to each other occur once. */
	struct base_intern paths;
	/** Start of the columns of each stack in of_stacks, and the end of the last one. */
	PD_VEC(uint32_t) starts;
	PD_VEC(uint32_t) of_stacks;
};

/**
 * Make the columns ALL, SELF and TOTAL of all functions. If @p has_paths, which is indexed by
 * symbol, is not NULL, make columns PATH for stacks whose leaf is a symbol for which it is true.
 * Free with ana_columns_deinit(). Errors: NOMEM.
 */
struct pd_error *ana_columns_create(const struct profile *profile,
	const struct ana_symbols *symbols, const bool *has_paths,
	struct ana_columns *ret) pd_must_check;
void ana_columns_deinit(struct ana_columns *columns);

static inline const struct ana_column *ana_column(const struct ana_columns *columns, uint32_t id)
{
	return base_intern_bytes(&columns->list, id);
}

/** Return the id of a column, or PD_INTERN_NONE if no stack has it. */
static inline uint32_t ana_column_find(
	const struct ana_columns *columns, const struct ana_column *column)
{
	return base_intern_find(&columns->list, column, sizeof(*column));
}

/** Return the symbols of a path, leaf first. */
static inline const uint32_t *ana_path(
	const struct ana_columns *columns, uint32_t path, uint32_t *n_ret)
{
	*n_ret = base_intern_len(&columns->paths, path) / sizeof(uint32_t);
	return base_intern_bytes(&columns->paths, path);
}

/** Columns of a stack. */
static inline const uint32_t *ana_columns_at(
	const struct ana_columns *columns, struct prof_stack_id stack, uint32_t *n_ret)
{
	uint32_t start = columns->starts.data[stack.i];

	*n_ret = columns->starts.data[stack.i + 1] - start;
	return &columns->of_stacks.data[start];
}

#endif
