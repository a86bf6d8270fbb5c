/**
 * @file Tally: counts samples that are equal to an earlier one before anything in them is resolved.
 *
 * Most samples without a captured stack repeat the thread, the mappings and the addresses of an
 * earlier sample, so they belong to the same sample of the profile. The key of such a sample has
 * its context (thread under its name, event, processor mode, versions of the mappings), and its
 * instruction pointer or a hash of its call chain, in which all unmapped addresses are the same
 * (resolve/tally_chain.h). See doc/design/cost-model.md.
 */
#ifndef PD_RESOLVE_TALLY_H
#define PD_RESOLVE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "profile/profile.h"
#include "resolve/batch.h"
#include "resolve/resolve.h"
#include "resolve/tally_table.h"
#include "resolve/unmapped.h"

/** Number of samples that are looked up together. The cache misses of fewer would not overlap. */
enum { RESOLVE_TALLY_GROUP = 64 };

/** A sample that is looked up. */
struct resolve_tally_sample {
	struct resolve_tally_key key;
	uint64_t hash;
	/** Chains with different frames could have the key, so it is not in the table. */
	bool has_no_key;
	/** Row of the key; RESOLVE_TALLY_NO_ROW: it was not in the table at first. */
	uint32_t row;
};

struct resolve_tally {
	/** Borrowed. */
	struct profile *profile;
	/** Request of the conversion. Borrowed. */
	const struct prof_request *request;
	/** Counted samples have tags, or rows of the profile. */
	bool has_repeats;
	/** Rows have the addresses of stacks, even of those that are not mapped. */
	bool keeps_addresses;
	struct resolve_tally_table table;
	/** The table is full. No key is added until the next batch, with which it begins anew. */
	bool is_full;
	/** Distinct contexts. */
	struct pd_intern contexts;
	struct resolve_unmapped unmapped;
	/** Samples of the batch from first on. */
	struct resolve_tally_sample samples[RESOLVE_TALLY_GROUP];
	size_t first;
};

/** Set up @p tally, in which the profile is set. */
void resolve_tally_init(struct resolve_tally *tally, const struct resolve_opts *opts);
void resolve_tally_deinit(struct resolve_tally *tally);

/** Begin with the plain samples of @p batch, all of whose first samples are in the profile. */
void resolve_tally_begin(struct resolve_tally *tally, struct resolve_batch *batch);

/**
 * Count plain sample @p i of @p batch, the one after that of the last call, and return its row.
 * RESOLVE_TALLY_NO_ROW: no sample has been equal, and it was not counted.
 */
uint32_t resolve_tally_count(
	struct resolve_tally *tally, const struct resolve_batch *batch, size_t i);

/**
 * Let plain sample @p i, which was not counted, stand for further samples that are equal. Returns
 * its row; RESOLVE_TALLY_NO_ROW: there is no room.
 */
uint32_t resolve_tally_add(struct resolve_tally *tally, size_t i);

/** Learn that the first sample of @p row has become @p sample of the profile. */
void resolve_tally_settle(struct resolve_tally *tally, uint32_t row, struct prof_sample_id sample,
	enum prof_stack_source source);

/** Move all counts to the profile, and free the table. */
void resolve_tally_finish(struct resolve_tally *tally);

#endif
