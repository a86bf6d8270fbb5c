/**
 * @file Where records go: counted, compressed if that is asked for, written.
 */
#ifndef PD_CAPTURE_SINK_H
#define PD_CAPTURE_SINK_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>
#include <pdconv/writer.h>

#include "capture/offcpu.h"
#include "capture/postponed.h"
#include "capture/ring.h"
#include "parse/write/pack.h"

/** What was written so far. */
struct cap_counts {
	uint64_t n_records;
	uint64_t n_samples;
	/** Of these, those that were to hold all of the stack that was asked for and hold less. */
	uint64_t n_shortened;
	/** As LOST and LOST_SAMPLES records say. */
	uint64_t n_lost;
	uint64_t n_throttled;
	uint64_t bytes;
	/** ns on the recording's clock; 0: no sample has a time. */
	uint64_t first_ns;
	uint64_t last_ns;
};

struct cap_sink {
	struct pd_writer *writer;
	/** NULL: not compressed. */
	struct pd_pack *pack;
	/** Borrowed; NULL: nobody asks how long threads waited. */
	struct cap_offcpu *offcpu;
	/** Borrowed; NULL: of all processes everything is told. */
	struct cap_postponed *postponed;
	struct cap_counts counts;
	/** Where the time is in a sample, bytes from its start; 0: samples have none. */
	size_t time_at;
	/** Samples of this many bytes and more, and of less than so many, are shortened; 0: none are. */
	size_t shortened_from;
	size_t shortened_to;
	/** What goes on at the beginning of a ring. */
	PD_VEC(uint8_t) joined;
	/** Something was written since the last round. */
	bool has_news;
};

/** All is borrowed. @p level: zstd's; 0: not compressed. Errors: no such level, no memory. */
struct pd_error *cap_sink_init(
	struct cap_sink *sink, struct pd_writer *writer, int level) pd_must_check;
void cap_sink_deinit(struct cap_sink *sink);

/** Write @p size bytes of whole records. Errors: writing; they are none. */
struct pd_error *cap_sink_add(
	struct cap_sink *sink, const void *records, size_t size) pd_must_check;

/** Write what is in @p ring, and release it. @p fill_ret: which share of the ring that was, 0 to 1. */
struct pd_error *cap_sink_drain(
	struct cap_sink *sink, struct cap_ring *ring, double *fill_ret) pd_must_check;

/** The recording has ended: write what is still held. Errors: writing. */
struct pd_error *cap_sink_end(struct cap_sink *sink) pd_must_check;

/** Whatever was before it is older than what comes: FINISHED_ROUND, and all of it leaves our buffers. */
struct pd_error *cap_sink_round(struct cap_sink *sink) pd_must_check;

#endif
