/**
 * @file State of the script format, for the files that write fields of samples. script.c visits the
 * samples.
 */
#ifndef PD_OUTPUT_SCRIPT_SCRIPT_H
#define PD_OUTPUT_SCRIPT_SCRIPT_H

#include "base/line.h"
#include "output/formats.h"
#include "profile/profile.h"
#include "output/script_fields.h"
#include "output/script/script_texts.h"

/** State of a thread that writes rows. Threads share what is borrowed, and nothing else. */
struct script {
	/** Borrowed. */
	const struct profile *profile;
	const struct pd_script_opts *opts;
	/** Event whose rows are written; none: all events. */
	struct prof_event_id event;
	/** Leave out inlined functions. */
	bool no_inline;
	struct script_fields fields;
	/** Width of the longest event name, in columns. */
	int event_width;
	/** Where rows are written to. Borrowed. */
	struct base_line *line;
	/** Texts of frames that were written before. Borrowed; shared by all threads. */
	struct script_texts *texts;
	/** Holds the texts that this thread made. */
	struct base_arena text_arena;
	/** Width of the longest data_src written so far, in columns. */
	int data_src_width;
};

/** Successive rows that are to be written, each with the notes before it. */
struct script_rows {
	/** The next row. The number of all rows is the end of the output, which can have notes. */
	size_t next;
	/** The row after the last one. */
	size_t end;
	/** The next note. */
	size_t note;
};

/**
 * Write @p rows, and remove from them what was written. A line without a stream may become full
 * before the end: it has only complete rows and notes then.
 */
void script_write_rows(struct script *s, struct script_rows *rows);

/** A sample that is being written. */
struct script_sample {
	const struct prof_row *row;
	const struct prof_sample *sample;
	const struct prof_event *event;
	const struct prof_thread *thread;
	const struct prof_detail *detail;
	/** Fields to print: SCRIPT_BIT of each. */
	uint32_t shown;
};

/** Return whether samples of @p event are printed with their stacks. */
static inline bool script_shows_stacks(const struct script *s, const struct prof_event *event)
{
	return event->has_stacks && !s->opts->hide_call_graph;
}

#endif
