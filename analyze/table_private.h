/**
 * @file Parts of tables that are shared by the files that count and sort them.
 */
#ifndef PD_ANALYZE_TABLE_PRIVATE_H
#define PD_ANALYZE_TABLE_PRIVATE_H

#include "analyze/table.h"

/** Whether a key of the table differs between frames of a stack, not only between samples. */
static inline bool ana_key_is_of_place(const struct ana_table *t, size_t key)
{
	return t->opts.keys.counted == ANA_COUNT_SAMPLES &&
	       ana_key_row(t->opts.keys.list[key])->of == ANA_OF_FRAME;
}

/**
 * Count all samples in the levels of @p table, whose options, n_modes and n_levels are set. Returns
 * false if out of memory.
 */
bool ana_table_count(struct ana_table *table);

#endif
