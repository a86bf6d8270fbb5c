/**
 * @file Tables of samples by keys: see analyze/keys/key_defs.h.
 *
 * A table has levels. The last one has a row for each combination of all keys. Levels before it,
 * the groups, have only the first keys: their rows sum up those of the next level. Each level is
 * counted by itself, because a sample may have several rows of a group in its stack.
 */
#ifndef PD_ANALYZE_KEY_TABLE_H
#define PD_ANALYZE_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/keys/key_text.h"
#include "analyze/keys/keys.h"
#include "analyze/rows.h"
#include "base/containers/intern.h"
#include "base/names/pattern.h"
#include "profile/profile.h"

/** Where the processor was when a sample was taken. */
enum ana_mode {
	ANA_MODE_SYS,
	ANA_MODE_US,
	ANA_MODE_GUEST_SYS,
	ANA_MODE_GUEST_US,
	ANA_N_MODES,
};

/** Units of a latency in one unit of the period, so that parts of it do not get lost. */
enum { ANA_LATENCY_UNITS = 64 };

struct ana_table_opts {
	struct ana_keys keys;
	/** Number of keys, the first ones, that are groups: a level each. */
	size_t n_groups;
	/** Columns of the events, by event id; PROF_NONE leaves an event out. Borrowed. */
	const uint32_t *columns;
	size_t n_columns;
	/** Steps of the key time in ns; 0: none. */
	uint64_t time_quantum;
	/** Functions that the key parent shows. Needed for that key. Borrowed. */
	const struct base_pattern *parent;
	/** Count only the leaf of each stack: total equals self. */
	bool has_leaf_only;
};

/** A level of a table. */
struct ana_level {
	/** The level has the first keys of the table, so many. */
	size_t n_keys;
	struct ana_rows rows;
	/** Arrays of text ids: of the keys of samples by part, and of those of frames by place. */
	struct base_intern parts;
	struct base_intern of_places;
	/** Part of each thread, PROF_NONE if not known yet; NULL: it also depends on the sample. */
	uint32_t *part_of_thread;
	struct ana_places places;
	/** Place of samples without a stack. */
	uint32_t no_place;
	/** Row + 1 of this level with the largest sums in each row of the level before; 0: none. */
	uint32_t *first;
	/** The row + 1 after each row, which is the next smaller one in its group; 0: none. */
	uint32_t *next;
};

struct ana_table {
	const struct profile *profile;
	struct ana_table_opts opts;
	struct base_intern texts;
	struct ana_level levels[ANA_MAX_KEYS];
	size_t n_levels;
	/** ANA_N_MODES, or 1 if modes are not needed. */
	size_t n_modes;
	/** All samples of each event, or all branches or costs, by event id. Owned. */
	struct prof_value *wholes;
	/** Samples are also counted by their latency: see ana_latency_of(). */
	bool has_latency;
	/** If a key is about wakers. */
	struct ana_sample_wakers wakers;
	/** Latencies of all samples of each event, by event id, in ANA_LATENCY_UNITS. Owned. */
	uint64_t *latencies;
	/** Sum of the weights of all samples, at most PROF_MAX_PERIODS. */
	uint64_t weights;
};

/** Sums of a row in a column. */
struct ana_sums {
	struct prof_value self;
	struct prof_value total;
	/** Latencies at the leaf, and of all samples, if a key is one of them. */
	uint64_t latency;
	uint64_t total_latency;
	/** Periods at the leaf by mode, if a key is one of them. */
	uint64_t modes[ANA_N_MODES];
};

/**
 * Count the samples of @p profile. Rows are sorted by the first of the keys that are sums, or by
 * overhead. @p profile is borrowed. Errors: NOMEM.
 */
struct pd_error *ana_table_create(const struct profile *profile, const struct ana_table_opts *opts,
	struct ana_table *ret) pd_must_check;
void ana_table_deinit(struct ana_table *table);

/** Sum of the periods of all events of a column, and of their latencies, in ANA_LATENCY_UNITS. */
uint64_t ana_table_whole(const struct ana_table *table, size_t column);
uint64_t ana_table_whole_latency(const struct ana_table *table, size_t column);

struct ana_sums ana_table_sums(
	const struct ana_table *table, size_t level, uint32_t row, size_t column);

/** Whether the key @p sum, which is a SUM, has amounts in ANA_LATENCY_UNITS. */
bool ana_is_latency(enum ana_key sum);

/** Amount of the key @p sum, which is a SUM, in @p sums. */
uint64_t ana_sum_of(enum ana_key sum, const struct ana_sums *sums);

/**
 * Text of key number @p key of a row: in @p buf, ANA_KEY_TEXT_SIZE bytes, or owned by the table.
 */
const char *ana_table_text(
	const struct ana_table *table, size_t level, uint32_t row, size_t key, char *buf);

/**
 * First row of a level in row @p group of the level before, which is 0 for the first level;
 * PROF_NONE if there is none.
 */
uint32_t ana_table_first(const struct ana_table *table, size_t level, uint32_t group);
/** The row after @p row, PROF_NONE after the last one of its group. */
uint32_t ana_table_next(const struct ana_table *table, size_t level, uint32_t row);

#endif
