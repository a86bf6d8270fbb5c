/**
 * @file Samples that two stack levels took of the same thing.
 *
 * Events of the next level are enabled before those of the present one are disabled, because no
 * mapping may be missed in between. A thread that runs meanwhile is sampled by both. Here one of
 * the two is found, so that nothing is recorded twice. All records of that time are in the rings
 * when they are drained the next time, or the time after that (cap_session_confirm_level()): first
 * all of them are noted, then each is asked about.
 */
#ifndef PD_CAPTURE_RUN_OVERLAP_H
#define PD_CAPTURE_RUN_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/events.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"

/** Times of a thread's samples by one event, in ns on the recording's clock. */
struct cap_overlap_times {
	/** First sample on the new level; UINT64_MAX: none. */
	uint64_t first_new;
	/** Last sample on the old level. */
	uint64_t last_old;
};

/** A change of the level. Zeroed: none. */
struct cap_overlap {
	/** The rings have to be drained as often until all is seen. */
	unsigned n_drains;
	size_t old_level;
	size_t new_level;
	/** Map from event and thread to index in @ref times. */
	struct base_map threads;
	PD_VEC(struct cap_overlap_times) times;
};

void cap_overlap_deinit(struct cap_overlap *overlap);

/** The level was changed from @p old_level to @p new_level. */
void cap_overlap_begin(struct cap_overlap *overlap, size_t old_level, size_t new_level);
/** All rings have been drained. */
void cap_overlap_drained(struct cap_overlap *overlap);

static inline bool cap_overlap_is_on(const struct cap_overlap *overlap)
{
	return overlap->n_drains > 0;
}

/** Note a record; false if out of memory. */
bool cap_overlap_note(struct cap_overlap *overlap, const struct pd_events *events,
	const struct pd_record *rec) pd_must_check;

/** Whether @p rec is a sample of what another record is a sample of. */
bool cap_overlap_has_other(const struct cap_overlap *overlap, const struct pd_events *events,
	const struct pd_record *rec);

#endif
