/**
 * @file Notes of formats that show threads over time: what happened to threads between samples.
 *
 * A record becomes a note of one line of text (see prof_request.note_text), which is read again
 * when all of the recording is known.
 */
#ifndef PD_OUTPUT_TRACK_NOTES_H
#define PD_OUTPUT_TRACK_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/record.h>

enum out_note_kind {
	/** The thread @ref out_note.pid, @ref out_note.tid began or ended. */
	OUT_NOTE_FORK,
	OUT_NOTE_EXIT,
	/** The thread of the note was switched to a CPU, or off it because it waits or not. */
	OUT_NOTE_IN,
	OUT_NOTE_WAITS,
	OUT_NOTE_PREEMPTED,
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
uint64_t out_note_types(bool has_switches);
/** Return the text of a record of one of these types. See prof_request.note_text. */
char *out_note_text(const struct pd_record *rec, const union pd_body *body);
/** Read the text of a note from out_note_text(). */
struct out_note out_note_read(const char *text);

#endif
