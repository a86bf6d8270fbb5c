/**
 * @file How frames, threads and events are spelled in folded stacks: as stackcollapse-perf.pl does.
 */
#ifndef PD_OUTPUT_FOLDED_NAMES_H
#define PD_OUTPUT_FOLDED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/intern.h"
#include "output/formats.h"

/** The names of a frame, innermost first. */
struct folded_frame {
	uint32_t first;
	uint32_t n;
	bool is_known;
	/** Nothing that called it is wanted. */
	bool is_last;
};

struct folded_names {
	const struct profile *profile;
	const struct out_folded_opts *opts;
	/** As they are written. */
	struct pd_intern texts;
	/** By frame; those that are known refer to numbers of texts in spelled. */
	struct folded_frame *frames;
	PD_VEC(uint32_t) spelled;
	/** Where a name is put together. */
	PD_VEC(char) buffer;
};

/** Both are borrowed. False: no memory. */
bool folded_names_init(struct folded_names *names, const struct profile *profile,
	const struct out_folded_opts *opts) pd_must_check;
void folded_names_deinit(struct folded_names *names);

/** The names of frame @p id. False: no memory. */
bool folded_names_frame(struct folded_names *names, struct prof_frame_id id,
	struct folded_frame *ret) pd_must_check;

/** "comm", "comm-PID" or "comm-PID/TID"; PD_INTERN_NONE: no memory. */
uint32_t folded_names_thread(struct folded_names *names, struct prof_thread_id thread);

/** The event's name; PD_INTERN_NONE: no memory. */
uint32_t folded_names_event(struct folded_names *names, struct prof_event_id event);

#endif
