/**
 * @file Tracks: the samples of one event in one thread, in the order of time. Formats that show a
 * profile over time write one track after the other. Notes say what happened to threads between
 * samples: a record becomes a note of one line of text (see prof_request.note_text), which is read
 * again when all of the recording is known.
 */
#ifndef PD_OUTPUT_TRACKS_H
#define PD_OUTPUT_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

/** Identity of a track. Keys with equal bytes are the same track. */
struct out_track_key {
	struct prof_event_id event;
	/** Label of the input; "" if there is only one input. */
	struct prof_string_id input;
	uint32_t pid;
	uint32_t tid;
};

struct out_track {
	struct out_track_key key;
	/** The thread under the name that it had at its last sample. */
	struct prof_thread_id thread;
	/** Range of out_tracks.samples. */
	uint32_t first;
	uint32_t n;
	struct prof_value total;
};

/** The tracks of a profile. A zeroed one is empty. */
struct out_tracks {
	/** Ordered by event, input, process and thread. */
	PD_VEC(struct out_track) list;
	/** Samples of each track in the order of time. Those without a time come last. */
	PD_VEC(struct prof_sample_id) samples;
};

/** Find the tracks of @p profile, whose samples are kept apart by time. Errors: NOMEM. */
struct pd_error *out_tracks_create(
	const struct profile *profile, struct out_tracks *ret) pd_must_check;
void out_tracks_deinit(struct out_tracks *tracks);

/** Index of the track with the largest part of the total of its event; 0 if there are none. */
size_t out_tracks_main(const struct profile *profile, const struct out_tracks *tracks);

enum out_note_kind {
	/** The thread @ref out_note.pid, @ref out_note.tid began or ended. */
	OUT_NOTE_FORK,
	OUT_NOTE_EXIT,
	/** The recorder lost @ref out_note.n records or samples. */
	OUT_NOTE_LOST,
	OUT_NOTE_THROTTLED,
};

struct out_note {
	enum out_note_kind kind;
	uint32_t pid;
	uint32_t tid;
	uint64_t n;
};

/** Types of records that out_note_text() knows, a bit for each PD_RECORD_*. */
uint64_t out_note_types(void);
/** Return the text of a record of one of these types. See prof_request.note_text. */
char *out_note_text(const struct pd_record *rec, const union pd_body *body);
/** Read the text of a note from out_note_text(). */
struct out_note out_note_read(const char *text);

#endif
