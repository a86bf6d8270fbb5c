/*
 * The script format: samples in time order, laid out like `perf script`. Each sample is a line with
 * the fields chosen by output/script_fields.c; with stacks the frames follow, leaf first, then an
 * empty line.
 *
 * Additions to perf's output are where parsers of such text ignore them: " [fp]" at the end of
 * frames that were found by frame pointer only, and frames named [truncated] and [stitched].
 * Tracepoint fields are printed as "name=value"; perf prints them with the kernel's own print
 * format.
 */
#include "output/script/script.h"

#include <string.h>

#include <pdconv/record.h>

#include "base/containers/intern_ahead.h"
#include "base/prefetch.h"
#include "output/script/script_header.h"
#include "output/script/script_pieces.h"
#include "output/script/script_records.h"
#include "output/script/script_values.h"

/* perf aligns event names to the longest one. */
static void find_width(struct script *s)
{
	for (size_t i = 0; i < s->profile->events.n; i++) {
		const struct prof_event *event = &s->profile->events.data[i];
		int width = (int)prof_string_len(s->profile, event->name);

		if (width > s->event_width)
			s->event_width = width;
	}
}

static bool has_row(const struct script *s, size_t i)
{
	return prof_is_none(s->event) ||
	       prof_same_event(
		       s->event, prof_sample(s->profile, s->profile->rows.data[i].sample)->event);
}

static void write_row(struct script *s, size_t i)
{
	static const struct prof_detail no_detail = { .addr_frame = { PROF_NONE } };
	const struct profile *profile = s->profile;
	const struct prof_row *row = &profile->rows.data[i];
	const struct prof_sample *sample = prof_sample(profile, row->sample);
	const struct prof_event *event = prof_event(profile, sample->event);
	const struct script_sample at = {
		.row = row,
		.sample = sample,
		.event = event,
		.thread = prof_thread(profile, sample->thread),
		.detail = i < profile->details.n ? &profile->details.data[i] : &no_detail,
		.shown = script_fields_of(&s->fields, event),
	};

	if (at.shown)
		script_write_sample(s, &at);
}

static void write_note(const struct script *s, const struct prof_note *note)
{
	const struct prof_event *event =
		note->event.i < s->profile->events.n ? prof_event(s->profile, note->event) : NULL;
	const struct script_start start = {
		.event = event,
		.comm = prof_note_text(s->profile, note->comm),
		.pid = note->pid,
		.tid = note->tid,
		.cpu = note->cpu,
		.time = note->time,
	};

	if (event)
		script_write_start(s, &start, script_fields_of(&s->fields, event));
	base_line_put_str(s->line, prof_note_text(s->profile, note->text));
	base_line_put_char(s->line, '\n');
}

/* Rows before a row is written at which a part of what it needs is loaded. */
enum { AHEAD_SAMPLE = 32, AHEAD_LISTS = 24, AHEAD_FRAMES = 16, AHEAD_TEXT = 8, AHEAD_BYTES = 4 };

static const struct prof_frame_id *leaf_of(const struct script *s, const struct prof_row *row)
{
	uint32_t n;
	const struct prof_sample *sample = prof_sample(s->profile, row->sample);
	const struct prof_frame_id *frames = prof_stack(s->profile, sample->stack, &n);

	return n ? frames : NULL;
}

/*
 * Samples, stacks, addresses and texts are all over memory. Start to load what the rows after row
 * @p i need, each part when the one that refers to it has been loaded.
 */
static void load_ahead(const struct script *s, size_t i)
{
	const struct profile *p = s->profile;
	const struct prof_row *row = &p->rows.data[i];
	const struct prof_frame_id *leaf;
	uint32_t n;

	if (p->rows.n - i <= AHEAD_SAMPLE)
		return;
	base_prefetch(prof_sample(p, row[AHEAD_SAMPLE].sample));
	const struct prof_sample *sample = prof_sample(p, row[AHEAD_LISTS].sample);
	base_intern_load_id(&p->stacks, sample->stack.i);
	base_prefetch(prof_thread(p, sample->thread));
	if (!prof_is_none(row[AHEAD_LISTS].pcs))
		base_intern_load_id(&p->pcs, row[AHEAD_LISTS].pcs.i);
	base_prefetch(leaf_of(s, &row[AHEAD_FRAMES]));
	base_prefetch(prof_pcs(p, row[AHEAD_FRAMES].pcs, &n));
	leaf = leaf_of(s, &row[AHEAD_TEXT]);
	if (leaf)
		script_texts_load(s->texts, *leaf);
	leaf = leaf_of(s, &row[AHEAD_BYTES]);
	if (leaf)
		script_texts_load_bytes(s->texts, *leaf);
}

/* Remove what follows @p start from the line if it is incomplete. Returns whether it is. */
static bool is_cut(const struct script *s, size_t start)
{
	if (!s->line->is_full)
		return false;
	s->line->n = start;
	return true;
}

/* Write the remaining notes that precede the next row. Returns false if the line is full. */
static bool write_notes(const struct script *s, struct script_rows *rows)
{
	const struct profile *profile = s->profile;

	for (; rows->note < profile->notes.n; rows->note++) {
		const struct prof_note *note = &profile->notes.data[rows->note];
		size_t start = s->line->n;

		if (note->row > rows->next)
			break;
		write_note(s, note);
		if (is_cut(s, start))
			return false;
	}
	return true;
}

/*
 * Notes belong to the recording, not to an event: they are written even if the row after them is of
 * another event.
 */
void script_write_rows(struct script *s, struct script_rows *rows)
{
	for (; rows->next < rows->end && write_notes(s, rows); rows->next++) {
		size_t start = s->line->n;

		if (rows->next == s->profile->rows.n)
			continue;
		load_ahead(s, rows->next);
		if (has_row(s, rows->next))
			write_row(s, rows->next);
		if (is_cut(s, start))
			return;
	}
}

static struct pd_error *write_script(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct script s = {
		.profile = profile,
		.opts = &opts->format.script,
		.event = opts->event,
		.no_inline = opts->names.no_inline,
	};
	struct pd_error *err = script_fields_init(&opts->format.script, &s.fields);

	if (err)
		return err;
	err = script_fields_check(&s.fields, profile);
	if (err)
		return err;
	find_width(&s);
	fputs(prof_string(profile, profile->about.description), out);
	return script_pieces_write(&s, opts->jobs, out);
}

/* Types of records to print among the samples: a bit each. */
static uint64_t note_types(const struct pd_script_opts *opts)
{
	uint64_t ret = 0;

	if (opts->show_mmap)
		ret |= 1 << PD_RECORD_MMAP | 1 << PD_RECORD_MMAP2;
	if (opts->show_task)
		ret |= 1 << PD_RECORD_COMM | 1 << PD_RECORD_FORK | 1 << PD_RECORD_EXIT;
	if (opts->show_switch)
		ret |= 1 << PD_RECORD_SWITCH | 1 << PD_RECORD_SWITCH_CPU_WIDE;
	if (opts->show_lost)
		ret |= 1 << PD_RECORD_LOST;
	return ret;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	struct script_fields fields;
	struct pd_error *err = script_fields_init(&opts->format.script, &fields);

	if (err)
		return err;
	/* The source line of an address belongs to its innermost inlined function. */
	request->inlined = script_fields_show(&fields, SCRIPT_FIELD_SRCLINE);
	request->rows = true;
	request->frame_offsets = request->printed_traces = true;
	for (size_t kind = 0; kind < PROF_N_EVENT_KINDS; kind++)
		request->details[kind] =
			script_fields_details(&fields, script_kind_of((enum prof_event_kind)kind));
	request->note_types = note_types(&opts->format.script);
	request->note_text = script_note_text;
	request->no_samples = opts->format.script.header_only;
	if (opts->format.script.header || opts->format.script.header_only)
		request->describe = script_header_text;
	return NULL;
}

const struct out_format out_format_script = {
	.name = "script",
	.suffix = ".txt",
	.takes_one = true,
	.help = "each sample in time order, laid out like perf script",
	.prepare = prepare,
	.write = write_script,
};
