/**
 * @file Names of frames, threads and events in folded stacks, spelled as by stackcollapse-perf.pl.
 */
#ifndef PD_OUTPUT_FOLDED_NAMES_H
#define PD_OUTPUT_FOLDED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "output/formats.h"

/** Names of a frame, innermost inlined function first: a range of folded_names.spelled. */
struct folded_frame {
	uint32_t first;
	uint32_t n;
	/** The names were made before. */
	bool is_known;
	/** The callers of the frame are left out. */
	bool is_last;
};

/** Names made so far. Each frame is spelled once. */
struct folded_names {
	const struct profile *profile;
	const struct pd_folded_opts *opts;
	/** The outermost frame may have callers. */
	bool has_partial_stacks;
	/** Texts as they are written. */
	struct base_intern texts;
	/** Indexed by frame of the profile. */
	struct folded_frame *frames;
	/** Ids of texts. */
	PD_VEC(uint32_t) spelled;
	/**
	 * Id of the text of each function plus 1, or 0: that of function N is at 2 * N, and the one
	 * that it has where it is inlined follows.
	 */
	uint32_t *functions;
	/** The name that is being built. */
	PD_VEC(char) buffer;
};

/** Initialise @p names. @p profile and @p opts are borrowed. False: no memory. */
bool folded_names_init(struct folded_names *names, const struct profile *profile,
	const struct out_write_opts *opts) pd_must_check;
void folded_names_deinit(struct folded_names *names);

/** Look up or make the names of frame @p id. False: no memory. */
bool folded_names_frame(struct folded_names *names, struct prof_frame_id id,
	struct folded_frame *ret) pd_must_check;

/**
 * Return the id of the name of a function of @p binary, which may be NULL, as it is spelled at
 * frames without any option; PD_INTERN_NONE: no memory.
 */
uint32_t folded_names_function(
	struct folded_names *names, const struct prof_binary *binary, const char *name);

/** Return the id of the text "comm", "comm-PID" or "comm-PID/TID"; PD_INTERN_NONE: no memory. */
uint32_t folded_names_thread(struct folded_names *names, struct prof_thread_id thread);

/** Return the id of the event's name; PD_INTERN_NONE: no memory. */
uint32_t folded_names_event(struct folded_names *names, struct prof_event_id event);

/** Mark in place of the callers that folded_names_lost_callers() is about. */
#define FOLDED_CALLERS_LOST "[callers lost]"

/**
 * Whether the callers of @p outermost, which is not the last frame because of an option, were lost:
 * generated code is never where a thread starts, whether the stack was unwound or recorded.
 */
bool folded_names_lost_callers(const struct folded_names *names, struct prof_frame_id outermost);

/** Id of @p mark, which stands for frames that are missing; PD_INTERN_NONE: no memory. */
uint32_t folded_names_mark(struct folded_names *names, const char *mark);

#endif
