/**
 * @file What a profile says of its recording: its events, and where it is from.
 *
 * A stream may tell of events, names and the host as late as it likes: events are entered when a
 * sample needs them, everything else when all has been read.
 */
#ifndef PD_OUTPUT_SOURCE_H
#define PD_OUTPUT_SOURCE_H

#include "output/profile.h"
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/vec.h>

struct out_source {
	const struct pd_file *file;
	struct profile *profile;
	/** Number in the profile of each event of the file that has been entered. */
	PD_VEC(uint32_t) event_numbers;
	/** The profile's event for samples of no event; PROF_NONE until there is one. */
	uint32_t unattributed;
};

/** Both are borrowed. */
struct out_source out_source_init(const struct pd_file *file, struct profile *profile);
void out_source_deinit(struct out_source *source);

/** The number of @p event in the profile, which is entered if it is not there. */
struct pd_error *out_source_event(
	struct out_source *source, const struct pd_event *event, uint32_t *ret) pd_must_check;

/** String: what @p raw says by the fields of the event's tracepoint; "" if that is nothing. */
struct pd_error *out_source_trace(struct out_source *source, const struct pd_event *event,
	const struct pd_view *raw, uint32_t *ret) pd_must_check;

/** Everything has been read: enter the rest. */
struct pd_error *out_source_finish(struct out_source *source) pd_must_check;

#endif
