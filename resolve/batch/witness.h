/**
 * @file Evidence of complete stacks about the callers of cut ones.
 *
 * A frame of a thread is an activation of a function: a return address at a stack pointer. If
 * complete stacks of a recording have different callers above the same frame, the thread has
 * reached it through different calls. If these follow each other quickly, compared to how often
 * they are seen, it is not known which of them a cut stack belongs to.
 */
#ifndef PD_RESOLVE_WITNESS_H
#define PD_RESOLVE_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/containers/map.h"
#include "resolve/batch/batch.h"

/** Callers of a frame in complete stacks, in the order of time. */
struct resolve_callers {
	/** Hash of the last ones. */
	uint64_t hash;
	uint32_t n_seen;
	/** How often they were others than before. */
	uint32_t n_changes;
};

/** Zero-initialise. */
struct resolve_witness {
	/** Map from the hash of a frame to an index in list. */
	struct base_map frames;
	PD_VEC(struct resolve_callers) list;
	/** Some frames have no place. */
	bool is_full;
};

/**
 * Add a complete stack of thread @p tid, leaf first, and later than the one before. Returns false
 * if memory ran out.
 */
bool resolve_witness_add(struct resolve_witness *witness, uint32_t tid,
	const struct resolve_known_frame *frames, size_t n) pd_must_check;

/**
 * Whether no complete stack contradicts the frames @p rest above @p last. @p is_whole: they reach
 * the root. @p is_leaf: the address of @p last is not that of a call, which any other call of the
 * same function to it would have, too.
 */
bool resolve_witness_agrees(const struct resolve_witness *witness, uint32_t tid,
	const struct resolve_known_frame *last, bool is_leaf,
	const struct resolve_known_frame *rest, size_t n, bool is_whole);

void resolve_witness_deinit(struct resolve_witness *witness);

#endif
