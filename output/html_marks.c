/* Events between samples in the html format: losses, and life times of threads. */
#include <pdconv/record.h>

#include "output/html_private.h"
#include "output/track_notes.h"

/* Kinds of marks in the page. */
enum { MARK_LOST, MARK_THROTTLED };

/* Return the index of a thread, or PROF_NONE if it has no samples. */
static uint32_t find_thread(const struct html *h, uint32_t pid, uint32_t tid)
{
	const uint64_t *id = pd_map_find(&h->thread_ids, (uint64_t)pid << 32 | tid);

	return id ? (uint32_t)*id : PROF_NONE;
}

static void begin_or_end(struct html *h, const struct prof_note *note, const struct out_note *read)
{
	uint32_t thread = find_thread(h, read->pid, read->tid);

	if (thread == PROF_NONE)
		return;
	if (read->kind == OUT_NOTE_FORK)
		h->threads.data[thread].start = note->time;
	else
		h->threads.data[thread].end = note->time;
}

static void put_mark(struct html *h, const struct prof_note *note, unsigned kind, uint64_t n)
{
	uint32_t thread = find_thread(h, note->pid, note->tid);
	struct html_columns *columns = &h->columns;

	html_put(columns, HTML_MARK_TIME, html_time(h, note->time));
	html_put(columns, HTML_MARK_THREAD, thread == PROF_NONE ? 0 : (uint64_t)thread + 1);
	html_put(columns, HTML_MARK_KIND, kind);
	html_put(columns, HTML_MARK_COUNT, n);
}

void html_put_marks(struct html *h)
{
	for (size_t i = 0; i < h->profile->notes.n; i++) {
		const struct prof_note *note = &h->profile->notes.data[i];
		const struct out_note read = out_note_read(prof_note_text(h->profile, note->text));

		/* Losses without a time are totals that perf adds at the end of a recording. */
		if (!note->time || h->base_ns == PD_NO_TIME)
			continue;
		if (read.kind == OUT_NOTE_FORK || read.kind == OUT_NOTE_EXIT)
			begin_or_end(h, note, &read);
		else if (read.kind == OUT_NOTE_LOST)
			put_mark(h, note, MARK_LOST, read.n);
		else if (read.kind == OUT_NOTE_THROTTLED)
			put_mark(h, note, MARK_THROTTLED, 1);
	}
}
