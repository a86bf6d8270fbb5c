/**
 * @file Assembler: adds the samples of a batch, their stacks and rows to the profile.
 */
#ifndef PD_RESOLVE_ASSEMBLER_H
#define PD_RESOLVE_ASSEMBLER_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/vec.h>

#include "profile/ahead.h"
#include "profile/profile.h"
#include "resolve/batch/batch.h"
#include "resolve/facts/recording_facts.h"
#include "resolve/batch/resolve_opts.h"
#include "resolve/batch/switches.h"
#include "resolve/batch/tally.h"

/**
 * A plain sample that equals an earlier one, of which a row or tags are needed. The earlier one has
 * everything else: stack, addresses, thread and event.
 */
struct resolve_repeat {
	const struct resolve_plain *plain;
	/** Row of the tally. */
	uint32_t row;
	/** Number of items of the group that precede it. */
	uint32_t n_before;
};

/** Samples that are added together, so that their cache misses overlap: items, and repeats. */
struct resolve_group {
	struct resolve_item *items[PROF_GROUP];
	size_t n;
	PD_VEC(struct resolve_repeat) repeats;
	/** Number of repeats that were added. */
	size_t n_repeats_added;
};

/** A sample at which waits begin or end, or an interval begins. */
struct resolve_link {
	struct resolve_wait_ends waits;
	/** Number of the beginning of an interval, or LED_NO_BEGINNING. */
	uint32_t beginning;
	struct prof_sample_id sample;
	struct prof_stack_id stack;
};

struct resolve_assembler {
	/** All borrowed. */
	const struct pd_file *file;
	const struct resolve_opts *opts;
	struct profile *profile;
	struct resolve_facts *facts;
	/** NULL if waits are not requested. */
	struct resolve_switches *switches;
	/** NULL if intervals are not requested. */
	struct led_intervals *intervals;
	/** Samples that both get to know when no batch follows. */
	PD_VEC(struct resolve_link) links;
	/** Only read when no batch follows. */
	const struct resolve_tally *tally;
	/**
	 * Batch that is being added, and what of it was: plain samples, those that are new, and
	 * stacks of batch->joined.
	 */
	struct resolve_batch *batch;
	size_t n_plain;
	size_t n_fresh;
	size_t n_joined;
	/** Those that are added next. */
	struct resolve_group group;
	/** Items of plain samples of the group. They borrow from the batch. */
	struct resolve_item plain_items[PROF_GROUP];
	/** Counted samples are repeats: they have tags, or rows of the profile. */
	bool has_repeats;
	/** Indexed by row of the tally; and what counts their memory. */
	PD_VEC(struct resolve_first) firsts;
	struct base_account *account;
	/** Statistics that the profile gets at the end. */
	uint64_t origins[PROF_N_STACK_ORIGINS];
};

void resolve_assembler_deinit(struct resolve_assembler *assembler);

/**
 * Whether resolve_assemble() may run while another thread reads records and collects samples, and
 * another one joins stacks. The one that reads adds texts, threads and events to the profile, the
 * joiner binaries, frames, edges, and texts and details of rows, and resolve_assemble() everything
 * else.
 */
bool resolve_assembler_is_independent(const struct resolve_assembler *assembler);

/**
 * Add the samples of @p batch to the profile, in their order, after resolve_join(). Errors: NOMEM.
 */
struct pd_error *resolve_assemble(
	struct resolve_assembler *assembler, struct resolve_batch *batch) pd_must_check;

/** No batch follows: complete counts, and free what is only needed for batches. */
void resolve_assembler_end(struct resolve_assembler *assembler);

#endif
