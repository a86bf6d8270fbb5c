/**
 * @file Call chains that BPF writes: stacks precede their samples in the ring of a CPU, and are put
 * into them.
 *
 *	ring     stack  SAMPLE (kernel's chain)   MMAP2   stack  SAMPLE   stack
 *	merged   SAMPLE (kernel's chain, user's)  MMAP2   SAMPLE          (waits for its sample)
 *
 * The program runs for an event right before the kernel writes the event's sample, and no other
 * program of samples can interrupt it, so the two are next to each other. The program of a
 * tracepoint runs once, before the samples of all events of the tracepoint, and samples of other
 * events may be in between.
 */
#ifndef PD_CAPTURE_BPF_CHAINS_H
#define PD_CAPTURE_BPF_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "capture/bpf/bpf_program.h"

struct cap_chains;

/**
 * Create the merger for the events of @p session, which are open and have ids. Frames of stacks
 * that @p bpf knows to be wrong are left out; it is borrowed, and may be NULL. Errors: NOMEM.
 */
struct pd_error *cap_chains_create(const struct cap_session *session, const struct cap_bpf *bpf,
	struct cap_chains **ret) pd_must_check;
/** Free @p chains; NULL is fine. */
void cap_chains_destroy(struct cap_chains *chains);

/** Note that samples of the event @p id are stacks. Errors: NOMEM. */
struct pd_error *cap_chains_add_output(struct cap_chains *chains, uint64_t id) pd_must_check;

/** Note further ids of event number @p i of the session. Errors: NOMEM. */
struct pd_error *cap_chains_add_ids(
	struct cap_chains *chains, size_t i, const uint64_t *ids, size_t n) pd_must_check;

/** Plan of an event: the trailers of all events are the same. */
const struct pd_plan *cap_chains_plan(const struct cap_chains *chains);

/**
 * Merge the @p size bytes of records at @p bytes, which are from one ring and in its order. Errors:
 * NOMEM; FORMAT, the bytes are not records.
 */
struct pd_error *cap_chains_merge(struct cap_chains *chains, const uint8_t *bytes, size_t size,
	struct cap_merged *ret) pd_must_check;

const struct cap_chains_counts *cap_chains_counts(const struct cap_chains *chains);

#endif
