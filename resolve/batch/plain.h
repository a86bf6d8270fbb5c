/**
 * @file Plain samples: those that are not decoded on their way to a batch, because they consist of
 * a few fields at known places and a call chain.
 */
#ifndef PD_RESOLVE_PLAIN_H
#define PD_RESOLVE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "parse/event_index.h"
#include "resolve/batch/batch.h"
#include "resolve/batch/collector.h"
#include "resolve/batch/resolve_opts.h"
#include "resolve/batch/plain_layout.h"

enum { RESOLVE_KNOWN_CONTEXTS = 256 };

/** A context of the batch that is being filled, valid while the version is that of the reader. */
struct resolve_known_context {
	uint64_t version;
	/** Index in resolve_batch.contexts. */
	uint32_t index;
};

struct resolve_plain_reader {
	/** Borrowed, as are the following. */
	const struct pd_file *file;
	struct parse_space *space;
	struct resolve_jits *jits;
	struct resolve_collector *collector;
	const struct prof_request *request;
	/** Every sample must be decoded. */
	bool is_off;
	/** Layouts of samples by the index of their event. */
	PD_VEC(struct resolve_plain_layout) layouts;
	struct parse_event_hints hints;
	/** Direct-mapped cache of contexts. */
	struct resolve_known_context known[RESOLVE_KNOWN_CONTEXTS];
	uint64_t version;
};

/**
 * Set up @p reader, in which the borrowed members but the request are set. It is off if @p opts
 * need other fields of samples.
 */
void resolve_plain_init(struct resolve_plain_reader *reader, const struct resolve_opts *opts);
void resolve_plain_deinit(struct resolve_plain_reader *reader);

/**
 * Append the SAMPLE @p rec to @p batch, which is not full, unless it is not plain: then
 * *@p is_taken_ret is false. Errors: NOMEM.
 */
struct pd_error *resolve_plain_take(struct resolve_plain_reader *reader,
	const struct pd_record *rec, struct resolve_batch *batch, bool *is_taken_ret) pd_must_check;

/** Threads or mappings may have changed, or another batch is filled. */
static inline void resolve_plain_renew(struct resolve_plain_reader *reader)
{
	reader->version++;
}

/**
 * Set the item @p ret, which has never been another sample, to @p plain of @p batch, from which it
 * borrows. Errors: NOMEM.
 */
struct pd_error *resolve_plain_item(const struct resolve_batch *batch,
	const struct resolve_plain *plain, struct resolve_item *ret) pd_must_check;

/** The entries of the call chain of @p plain. */
static inline struct pd_view resolve_plain_chain(const struct resolve_plain *plain)
{
	return (struct pd_view){
		.data = plain->rec.bytes + plain->rec.size - 8 * plain->n_links,
		.elem_size = 8,
		.n = plain->n_links,
		.swap = plain->rec.swap,
	};
}

#endif
