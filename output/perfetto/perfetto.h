/**
 * @file State of the perfetto format, for the files that write parts of it. A trace is a sequence
 * of packets, which are written one by one.
 */
#ifndef PD_OUTPUT_PERFETTO_PERFETTO_H
#define PD_OUTPUT_PERFETTO_PERFETTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/perfetto/perfetto.pb-c.h"

#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "output/gzip.h"
#include "profile/profile.h"

/** The idle thread of each CPU has this number, in Linux and in Perfetto. */
enum { PERFETTO_IDLE_TID = 0 };

struct perfetto {
	const struct profile *profile;
	struct out_gzip *gzip;
	/** First and last moment of the trace, in ns. */
	uint64_t begin;
	uint64_t end;
	/** States of threads are written as events of CPUs, not as slices. */
	bool has_cpus;
	/** Number of tracks, which is the last uuid; thread_tracks has the uuids of threads. */
	uint64_t n_tracks;
	struct base_map thread_tracks;
	/** Copies of texts that are not UTF-8. */
	struct base_intern texts;
	/** The packed packet that is being written. */
	PD_VEC(uint8_t) buffer;
	/** A packet has been written. */
	bool has_begun;
	/** Set once an allocation failed; the output is incomplete then. */
	bool no_memory;
};

static inline uint64_t perfetto_thread_key(const struct prof_thread *thread)
{
	return (uint64_t)thread->pid << 32 | thread->tid;
}

/** Complete @p packet and append it to the trace. Sets no_memory on failure. */
void perfetto_put(struct perfetto *p, Perfetto__TracePacket *packet);

/** Return @p text as UTF-8, which lives as long as @p text and @p p. */
char *perfetto_text(struct perfetto *p, const char *text);
/** The name of a thread as UTF-8. */
char *perfetto_comm(struct perfetto *p, const struct prof_thread *thread);

#endif
