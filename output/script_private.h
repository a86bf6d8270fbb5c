/**
 * @file State of the script format, shared by output/script*.c and private to them. output/script.c
 * visits the samples; the other files write their fields.
 */
#ifndef PD_OUTPUT_SCRIPT_PRIVATE_H
#define PD_OUTPUT_SCRIPT_PRIVATE_H

#include <pdconv/file.h>
#include <pdconv/vec.h>

#include "base/line.h"
#include "base/map.h"
#include "output/formats.h"
#include "profile/profile.h"
#include "output/script_fields.h"
#include "output/script_texts.h"

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
	struct pd_line *line;
	/** Texts of frames that were written before. Borrowed; shared by all threads. */
	struct script_texts *texts;
	/** Holds the texts that this thread made. */
	struct pd_arena text_arena;
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

/** Write the sample @p at with all its fields. */
void script_write_sample(struct script *s, const struct script_sample *at);

/**
 * First fields of a line, common to samples and other records: thread, CPU and time in nanoseconds,
 * and the event that the record belongs to.
 */
struct script_start {
	const struct prof_event *event;
	const char *comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t time;
};
/** Return whether samples of @p event are printed with their stacks. */
static inline bool script_shows_stacks(const struct script *s, const struct prof_event *event)
{
	return event->has_stacks && !s->opts->hide_call_graph;
}
/** Write the fields of @p start that are in @p shown. */
void script_write_start(const struct script *s, const struct script_start *start, uint32_t shown);

/** Write the sampled address on the line of the sample. */
void script_write_location(struct script *s, const struct script_sample *at);
/** Write the stack, a line for each frame. */
void script_write_stack(struct script *s, const struct script_sample *at);
/**
 * Write "function+0x1f", or "[unknown]", for a frame outside of stacks (a data address or branch).
 */
void script_write_symbol(const struct script *s, struct prof_frame_id frame, bool with_offset);
/** Write the name of the binary of @p frame; @p pid is the process that it was mapped in. */
void script_write_binary(const struct script *s, struct prof_frame_id frame, uint32_t pid);

/** Write the recorded string @p text up to its first NUL as pd_text_write() does. */
void script_write_str(FILE *out, const struct pd_str *text);
/** Write @p len bytes of @p text as pd_text_write() does, and @p to for each character @p from. */
void script_write_replaced(FILE *out, const char *text, size_t len, char from, const char *to);

/**
 * Format @p data_src as text into @p buf, truncated to @p size bytes. Returns the length of the
 * text.
 */
int script_data_src(uint64_t data_src, char *buf, size_t size);

/**
 * Return the text of a record other than a sample, like `perf script`. See prof_request.note_text.
 */
char *script_note_text(const struct pd_record *rec, const union pd_body *body);

/** PMUs of the recorded machine. Zeroed, it has none. */
struct script_pmus {
	/** Type (attr.type) -> index in @ref names. */
	struct pd_map by_type;
	PD_VEC(struct pd_str) names;
};

/**
 * Read the PMUs from the header of @p file. Returns false if out of memory. *ret is to be freed in
 * any case.
 */
bool script_pmus_init(const struct pd_file *file, struct script_pmus *ret);
void script_pmus_deinit(struct script_pmus *pmus);

/** Write the fields of @p attr of the event @p name, each as ", NAME = VALUE". */
void script_write_attr(const struct script_pmus *pmus, const struct pd_attr *attr,
	const struct pd_str *name, FILE *out);

/** Return the header of @p file, each line after a '#'. See prof_request.describe. */
char *script_header_text(const struct pd_file *file);

#endif
