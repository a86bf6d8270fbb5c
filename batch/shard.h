/**
 * @file Shards: parts of a list of recordings that several machines convert without talking.
 *
 * A recording belongs to the shard that the hash of its name says. Each machine that has the same
 * names finds the same parts, which are disjoint and together are the list.
 */
#ifndef PD_BATCH_SHARD_H
#define PD_BATCH_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

/** A shard. A zeroed one is the only one, and has everything. */
struct bat_shard {
	/** 0 to count - 1. */
	uint64_t index;
	/** 0 counts as 1. */
	uint64_t count;
};

/** Parse "INDEX/COUNT". Errors: USAGE. */
struct pd_error *bat_shard_parse(const char *text, struct bat_shard *ret) pd_must_check;

/** Whether the recording called @p name belongs to @p shard. */
bool bat_shard_has(const struct bat_shard *shard, const char *name);

#endif
