/*
 * Each sample in time order, laid out as `perf script` does by default: a line with where it was or
 * what its tracepoint says; if stacks were recorded, the frames behind it, leaf first, and an empty
 * line. Symbols are without an offset. The fields of tracepoints are "name=value": perf prints them
 * as the kernel would.
 */
#include <inttypes.h>
#include <string.h>

#include <pdconv/record.h>

#include "output/formats.h"
#include "output/text.h"

struct script {
	const struct profile *profile;
	FILE *out;
	/** Of the longest event name. */
	int event_width;
};

static void find_width(struct script *s)
{
	for (size_t i = 0; i < s->profile->events.n; i++) {
		const struct prof_event *event = &s->profile->events.data[i];
		int width = (int)pd_intern_len(&s->profile->strings, event->name);

		if (width > s->event_width)
			s->event_width = width;
	}
}

static void write_binary(const struct script *s, const struct prof_frame *frame)
{
	fputs(" (", s->out);
	if (frame->binary == PROF_NONE)
		fputs("[unknown]", s->out);
	else
		out_text(s->out,
			profile_string(s->profile, s->profile->binaries.data[frame->binary].name));
	fputs(")", s->out);
}

static void write_function(const struct script *s, uint32_t function)
{
	out_text(s->out, profile_string(s->profile, profile_function(s->profile, function)->name));
}

/* What was inlined at the frame comes first, at the same address. */
static void write_frame(
	const struct script *s, uint32_t id, uint64_t pc, const char *indent, const char *end)
{
	const struct profile *profile = s->profile;
	const struct prof_frame *frame = profile_frame(profile, id);
	struct prof_lines lines = { 0 };

	if (id < profile->frame_lines.n)
		lines = profile->frame_lines.data[id];
	for (uint32_t i = 0; i + 1 < lines.n; i++) {
		fprintf(s->out, "%s%16" PRIx64 " ", indent, pc);
		write_function(s, profile->lines.data[lines.first + i].function);
		fprintf(s->out, " (inlined)%s", end);
	}
	fprintf(s->out, "%s%16" PRIx64 " ", indent, pc);
	if (lines.n)
		write_function(s, profile->lines.data[lines.first + lines.n - 1].function);
	else
		fputs("[unknown]", s->out);
	write_binary(s, frame);
	if (frame->flags & PROF_FRAME_BY_FP)
		fputs(" [fp]", s->out);
	fputs(end, s->out);
}

static void write_stack(const struct script *s, const struct prof_row *row, uint32_t stack)
{
	const uint64_t *pcs = pd_intern_bytes(&s->profile->pcs, row->pcs);
	uint32_t n;
	const uint32_t *frames = profile_stack(s->profile, stack, &n);

	for (uint32_t i = 0; i < n; i++)
		write_frame(s, frames[i], pcs[i], "\t", "\n");
	fputc('\n', s->out);
}

/* Where the sample was, on its line. */
static void write_place(const struct script *s, const struct prof_row *row, uint32_t stack)
{
	const uint64_t *pcs = pd_intern_bytes(&s->profile->pcs, row->pcs);
	uint32_t n;
	const uint32_t *frames = profile_stack(s->profile, stack, &n);

	if (n)
		write_frame(s, frames[0], pcs[0], " ", "");
	fputc('\n', s->out);
}

static void write_thread(const struct script *s, const struct prof_thread *thread, bool is_padded)
{
	const char *comm = profile_string(s->profile, thread->comm);
	int pad = is_padded ? 16 - (int)strlen(comm) : 0;

	fprintf(s->out, "%*s", pad > 0 ? pad : 0, "");
	out_text(s->out, comm);
	fprintf(s->out, " %5" PRId32 " ", (int32_t)thread->tid);
}

static void write_row(const struct script *s, const struct prof_row *row)
{
	const struct profile *profile = s->profile;
	const struct prof_sample *sample = profile_sample(profile, row->sample);
	const struct prof_event *event = &profile->events.data[sample->event];
	const char *name = profile_string(profile, event->name);
	const char *trace = profile_string(profile, row->trace);

	write_thread(s, profile_thread(profile, sample->thread), !event->has_stacks);
	if (row->cpu != PROF_NONE)
		fprintf(s->out, "[%03" PRIu32 "] ", row->cpu);
	if (row->time != PD_NO_TIME)
		fprintf(s->out, "%5" PRIu64 ".%06" PRIu64 ": ", row->time / 1000000000,
			row->time % 1000000000 / 1000);
	if (!trace[0])
		fprintf(s->out, "%10" PRIu64 " ", row->period);
	fprintf(s->out, "%*s", s->event_width - (int)strlen(name), "");
	out_text(s->out, name);
	fputs(": ", s->out);
	out_text(s->out, trace);
	if (event->has_stacks) {
		fputc('\n', s->out);
		write_stack(s, row, sample->stack);
	} else if (trace[0]) {
		fputc('\n', s->out);
	} else {
		write_place(s, row, sample->stack);
	}
}

static struct pd_error *write_script(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct script s = { .profile = profile, .out = out };

	find_width(&s);
	for (size_t i = 0; i < profile->rows.n; i++) {
		const struct prof_sample *sample =
			profile_sample(profile, profile->rows.data[i].sample);

		if (opts->event == PROF_NONE || opts->event == sample->event)
			write_row(&s, &profile->rows.data[i]);
	}
	return NULL;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct out_opts *build)
{
	(void)opts;
	build->keep_rows = true;
	return NULL;
}

const struct out_format out_format_script = {
	.name = "script",
	.suffix = ".txt",
	.help = "each sample in time order, laid out as perf script does, with tracepoint fields",
	.prepare = prepare,
	.write = write_script,
};
