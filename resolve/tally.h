/**
 * @file Tally: counts samples that are equal to an earlier one before anything in them is resolved.
 *
 * Most samples without a captured stack repeat the thread, the mappings and the addresses of an
 * earlier sample, so they belong to the same sample of the profile. The key of such a sample has
 * its context (thread under its name, event, processor mode, versions of the mappings), and its
 * instruction pointer or a hash of its call chain, in which all unmapped addresses are the same
 * (resolve/tally_chain.h). See doc/design/cost-model.md.
 *
 * Samples wait in a queue while the slots and rows of their keys are loaded. The queue must be
 * empty when a record that is not a sample changes threads or mappings, or a sample is not
 * accepted.
 */
#ifndef PD_RESOLVE_TALLY_H
#define PD_RESOLVE_TALLY_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/intern.h"
#include "parse/event_hints.h"
#include "resolve/batch.h"
#include "resolve/collector.h"
#include "resolve/jits.h"
#include "resolve/resolve.h"
#include "resolve/tally_layout.h"
#include "resolve/tally_table.h"
#include "resolve/unmapped.h"

/** Number of samples that wait. The cache misses of fewer would not overlap enough. */
enum { RESOLVE_TALLY_QUEUE = RESOLVE_BATCH_MORE_REPEATS, RESOLVE_TALLY_CONTEXTS = 256 };

struct resolve_tally_waiting {
	struct resolve_tally_key key;
	uint64_t hash;
	/** Row of the key; RESOLVE_TALLY_NO_ROW: it was not in the table when it was looked up. */
	uint32_t row;
	uint32_t cpu;
	uint64_t period;
	/** Kept. */
	struct pd_record rec;
};

/** Number of a context, valid while the version is that of the tally. */
struct resolve_tally_context {
	uint64_t version;
	uint32_t pid;
	uint32_t tid;
	uint32_t event;
	uint16_t cpumode;
	uint32_t number;
	struct prof_event_id event_id;
	struct prof_thread_id thread;
	/** Mappings of the process. Borrowed. */
	struct pd_maps *maps;
};

struct resolve_tally {
	/** Borrowed, as are the following. */
	const struct pd_file *file;
	struct profile *profile;
	struct pd_space *space;
	struct resolve_jits *jits;
	struct resolve_collector *collector;
	/** Every sample must be resolved by itself. */
	bool is_off;
	/**
	 * Counted samples are in resolve_batch.repeats: they have tags, or rows of the profile.
	 */
	bool has_repeats;
	/** Rows have the addresses of stacks, even of those that are not mapped. */
	bool keeps_addresses;
	/** Request of the conversion. Borrowed. */
	const struct prof_request *request;
	struct resolve_tally_table table;
	/** Rows whose first sample is not in the profile yet. */
	size_t n_pending;
	/**
	 * The table is full. No key is added until none is pending: then the counts move to the
	 * profile, and the table begins anew.
	 */
	bool is_full;
	/** Distinct contexts. */
	struct pd_intern contexts;
	/** Direct-mapped cache of contexts. */
	struct resolve_tally_context cache[RESOLVE_TALLY_CONTEXTS];
	struct resolve_unmapped unmapped;
	/** Raised when threads or mappings may have changed. */
	uint64_t version;
	/** Layouts of samples by the index of their event. */
	PD_VEC(struct resolve_tally_layout) layouts;
	struct pd_event_hints hints;
	struct resolve_tally_waiting queue[RESOLVE_TALLY_QUEUE];
	size_t n_queued;
	size_t next_out;
};

/**
 * Set up @p tally. The arguments in it are borrowed and must be set. It is off if @p opts need
 * single samples.
 */
void resolve_tally_init(struct resolve_tally *tally, const struct resolve_opts *opts);
void resolve_tally_deinit(struct resolve_tally *tally);

/**
 * Add the SAMPLE @p rec to the queue, which is not full. *@p is_taken_ret is false if it has to be
 * collected. Errors: no memory.
 */
struct pd_error *resolve_tally_take(
	struct resolve_tally *tally, const struct pd_record *rec, bool *is_taken_ret) pd_must_check;

static inline bool resolve_tally_is_full(const struct resolve_tally *tally)
{
	return tally->n_queued == RESOLVE_TALLY_QUEUE;
}

/**
 * Count queued samples up to the first that has to be collected, which is returned. NULL: none has
 * to be, and the queue is empty. The result is valid until the next call. The rows of counted
 * samples are noted in @p batch, which is not full.
 */
const struct resolve_tally_waiting *resolve_tally_next(
	struct resolve_tally *tally, struct resolve_batch *batch);

/**
 * Collect @p waiting to @p batch, which is not full, and let its item stand for further samples
 * with its key. Errors: no memory.
 */
struct pd_error *resolve_tally_collect(struct resolve_tally *tally,
	const struct resolve_tally_waiting *waiting, struct resolve_batch *batch) pd_must_check;

/** The first sample of a row, which has become @ref sample of the profile. */
struct resolve_settled {
	uint32_t row;
	struct prof_sample_id sample;
	enum prof_stack_source source;
};

/** Learn @p n samples that were collected by resolve_tally_collect() and are in the profile now. */
void resolve_tally_settle(
	struct resolve_tally *tally, const struct resolve_settled *settled, size_t n);

/** Threads or mappings may have changed. */
static inline void resolve_tally_renew(struct resolve_tally *tally)
{
	tally->version++;
}

/** Whether the table is full, and neither a sample waits nor a key is pending. */
bool resolve_tally_must_restart(struct resolve_tally *tally);
/** Move the counts of the full table to the profile, and begin anew. */
void resolve_tally_restart(struct resolve_tally *tally);

/** Move all counts to the profile, and free the table. No key is pending. */
void resolve_tally_finish(struct resolve_tally *tally);

#endif
