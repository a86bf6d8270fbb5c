#include "output/track_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"

/* Formats of texts, for writing and for reading. */
#define TEXT_FORK "fork %" PRIu32 " %" PRIu32
#define TEXT_EXIT "exit %" PRIu32 " %" PRIu32
#define TEXT_LOST "lost %" PRIu64

/* Texts without numbers. */
static const char *const words[] = {
	[OUT_NOTE_IN] = "in",
	[OUT_NOTE_WAITS] = "out",
	[OUT_NOTE_PREEMPTED] = "preempted",
	[OUT_NOTE_THROTTLED] = "throttle",
};

uint64_t out_note_types(bool has_switches)
{
	static const uint32_t types[] = { PD_RECORD_FORK, PD_RECORD_EXIT, PD_RECORD_LOST,
		PD_RECORD_LOST_SAMPLES, PD_RECORD_THROTTLE };
	uint64_t ret = 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(types); i++)
		ret |= UINT64_C(1) << types[i];
	if (has_switches)
		ret |= UINT64_C(1) << PD_RECORD_SWITCH | UINT64_C(1) << PD_RECORD_SWITCH_CPU_WIDE;
	return ret;
}

static enum out_note_kind switch_kind(const struct pd_record *rec)
{
	if (!(rec->misc & PD_MISC_SWITCH_OUT))
		return OUT_NOTE_IN;
	return rec->misc & PD_MISC_SWITCH_OUT_PREEMPT ? OUT_NOTE_PREEMPTED : OUT_NOTE_WAITS;
}

char *out_note_text(const struct pd_record *rec, const union pd_body *body)
{
	switch (rec->type) {
	case PD_RECORD_FORK:
		return pd_format(TEXT_FORK, body->fork.pid, body->fork.tid);
	case PD_RECORD_EXIT:
		return pd_format(TEXT_EXIT, body->fork.pid, body->fork.tid);
	case PD_RECORD_LOST:
		return pd_format(TEXT_LOST, body->lost.lost);
	case PD_RECORD_LOST_SAMPLES:
		return pd_format(TEXT_LOST, body->lost_samples.lost);
	case PD_RECORD_THROTTLE:
		return strdup(words[OUT_NOTE_THROTTLED]);
	default:
		return strdup(words[switch_kind(rec)]);
	}
}

struct out_note out_note_read(const char *text)
{
	struct out_note note = { 0 };

	if (sscanf(text, TEXT_FORK, &note.pid, &note.tid) == 2)
		return note;
	note.kind = OUT_NOTE_EXIT;
	if (sscanf(text, TEXT_EXIT, &note.pid, &note.tid) == 2)
		return note;
	note.kind = OUT_NOTE_LOST;
	if (sscanf(text, TEXT_LOST, &note.n) == 1)
		return note;
	for (enum out_note_kind kind = 0; kind < PD_ARRAY_LEN(words); kind++) {
		if (words[kind] && strcmp(words[kind], text) == 0)
			note.kind = kind;
	}
	return note;
}
