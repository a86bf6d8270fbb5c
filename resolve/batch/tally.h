/**
 * @file Tally: counts samples that are equal to an earlier one before anything in them is resolved.
 *
 * Most samples without a captured stack repeat the thread, the mappings and the addresses of an
 * earlier sample, so they belong to the same sample of the profile. The key of such a sample has
 * its context (thread under its name, event, processor mode, versions of the mappings), and its
 * instruction pointer or a hash of its call chain, in which all unmapped addresses are the same
 * (resolve/batch/tally_chain.h). See doc/design/cost-model.md.
 *
 * A batch is counted while the batch before it is added to the profile, so the tally does not refer
 * to the profile. A separate list has the sample of the profile that each row stands for.
 */
#ifndef PD_RESOLVE_TALLY_H
#define PD_RESOLVE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers/intern.h"
#include "profile/profile.h"
#include "resolve/batch/batch.h"
#include "resolve/batch/resolve_opts.h"
#include "resolve/batch/tally_table.h"
#include "resolve/stacks/unmapped.h"

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
	/** Samples have tags: each is a sample of the profile that is not the one of the row. */
	bool has_tags;
	/** Rows have the addresses of stacks, even of those that are not mapped. */
	bool keeps_addresses;
	struct resolve_tally_table table;
	/** No key is added until the next batch, with which the table begins anew. */
	bool is_full;
	/** Distinct contexts. */
	struct base_intern contexts;
	struct resolve_unmapped unmapped;
	struct resolve_tally_sample samples[RESOLVE_TALLY_GROUP];
};

/** The sample of the profile that a row of the tally stands for, without its tags. */
struct resolve_first {
	struct prof_sample_id sample;
	struct prof_pcs_id pcs;
	enum prof_stack_origin origin;
};

void resolve_tally_init(struct resolve_tally *tally, const struct resolve_opts *opts);
void resolve_tally_deinit(struct resolve_tally *tally);

/**
 * Count the plain samples of @p batch, and find those that are new. Rows are numbered in the order
 * of the recording, again from 0 if batch->full is set, which then has the counts so far.
 */
void resolve_tally_count(struct resolve_tally *tally, struct resolve_batch *batch);

/** Add the counts of @p table to @p profile. @p firsts are the first samples of its rows. */
void resolve_tally_move(const struct resolve_tally_table *table, const struct resolve_first *firsts,
	struct profile *profile);

#endif
