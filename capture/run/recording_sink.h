/**
 * @file The sink of a recording: counts records, compresses them if that is asked for, and writes
 * them.
 */
#ifndef PD_CAPTURE_RUN_RECORDING_SINK_H
#define PD_CAPTURE_RUN_RECORDING_SINK_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/vec.h>
#include <pdconv/writer.h>

#include "base/containers/map.h"
#include "capture/bpf/unwinding.h"
#include "capture/ring.h"
#include "capture/run/offcpu.h"
#include "capture/run/overlap.h"
#include "capture/run/unwound.h"
#include "capture/synth/synth.h"
#include "parse/write/pack.h"

/** Totals of the records written so far. */
struct cap_counts {
	uint64_t n_records;
	uint64_t n_samples;
	/** Samples that hold less of the stack than was asked for (capture/stack_level.h). */
	uint64_t n_shortened;
	/** Lost samples, summed over LOST and LOST_SAMPLES records. */
	uint64_t n_lost;
	uint64_t n_throttled;
	uint64_t bytes;
	/**
	 * Earliest and latest time of a sample, in ns on the recording's clock; 0: no sample has a
	 * time.
	 */
	uint64_t first_ns;
	uint64_t last_ns;
};

struct cap_sink {
	struct pd_writer *writer;
	/** Compresses records; NULL: they are not compressed. */
	struct parse_pack *pack;
	/** Measures off-CPU time; NULL: off. Borrowed. */
	struct cap_offcpu *offcpu;
	/** Processes whose mappings wait for their first sample; NULL: none. Borrowed. */
	struct cap_postponed *postponed;
	/** Puts stacks that BPF has walked into samples. Borrowed. */
	struct cap_unwinding *unwinding;
	/** Replaces stacks of samples by chains; NULL: off. Borrowed. */
	struct cap_unwound *unwound;
	/**
	 * Threads that are recorded, by id: 1 while one exists, 0 once it has exited. Threads that
	 * recorded ones create are added. NULL: not noted. Borrowed.
	 */
	struct base_map *threads;
	struct cap_counts counts;
	/** Offset of the time within a sample, in bytes; 0: samples have none. */
	size_t time_at;
	/**
	 * Sizes [from, to) of samples that may have a shortened stack, in bytes; 0: no stack is
	 * ever shortened. Events with which they are decoded. Borrowed.
	 */
	const struct pd_events *events;
	size_t shortened_from;
	size_t shortened_to;
	/** Change of the stack level since the rings were drained. */
	struct cap_overlap overlap;
	struct cap_joined joined;
	/** Records were written since the last FINISHED_ROUND. */
	bool has_news;
};

/**
 * Initialise a sink that writes to @p writer, borrowed like @p unwinding. @p level is the zstd
 * level, 0: not compressed. Errors: invalid level, NOMEM.
 */
struct pd_error *cap_sink_init(struct cap_sink *sink, struct cap_unwinding *unwinding,
	struct pd_writer *writer, int level) pd_must_check;
void cap_sink_deinit(struct cap_sink *sink);

/** Note that the thread @p tid is recorded, or has exited. False if out of memory. */
bool cap_sink_note_thread(struct cap_sink *sink, uint32_t tid, bool exists) pd_must_check;

/** Write @p size bytes of whole records. Errors: OS; FORMAT, the bytes are not records. */
struct pd_error *cap_sink_add(
	struct cap_sink *sink, const void *records, size_t size) pd_must_check;

/**
 * Note what the contents of @p ring, and of the others before any is drained, say about code that
 * took the place of other code, and about samples that are there twice. Errors: FORMAT, they are
 * not records; NOMEM.
 */
struct pd_error *cap_sink_look_ahead(
	struct cap_sink *sink, const struct cap_ring *ring) pd_must_check;

/**
 * Write and release the contents of @p ring. @p fill_ret is the share of the ring that was filled,
 * 0 to 1.
 */
struct pd_error *cap_sink_drain(
	struct cap_sink *sink, struct cap_ring *ring, double *fill_ret) pd_must_check;

/**
 * Write what is still held: to be unwound, or for off-CPU time. Call it when the recording has
 * ended. Errors: OS, NOMEM.
 */
struct pd_error *cap_sink_end(struct cap_sink *sink) pd_must_check;

/**
 * Write FINISHED_ROUND (all later records are newer than those before the previous one) and flush
 * all buffers. Errors: OS.
 */
struct pd_error *cap_sink_round(struct cap_sink *sink) pd_must_check;

#endif
