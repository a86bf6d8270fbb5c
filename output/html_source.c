/* Source text in the html format: lines of hot code, with the lines around them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/source_files.h"
#include "base/cleanup.h"
#include "base/sort.h"
#include "output/code_text.h"
#include "output/html_private.h"

/* Number of lines on either side of a line with code. */
enum { AROUND = 8 };

void html_want_line(struct html *h, const char *file, uint32_t line, struct prof_binary_id binary)
{
	uint32_t path = pd_intern_add(&h->source_paths, file, strlen(file));
	const struct html_line entry = { .file = path, .line = line, .binary = binary };

	h->no_memory |= path == PD_INTERN_NONE || !pd_vec_push(&h->lines, entry);
}

/* The share of an event that each stack has, from 0 to 1; those of several events are added. */
static double *weigh_stacks(const struct profile *profile)
{
	double *shares = calloc(profile->stacks.n + 1, sizeof(*shares));

	for (struct prof_sample_id id = { 0 }; shares && id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		double whole = (double)prof_event(profile, sample->event)->total.period;

		if (whole > 0)
			shares[sample->stack.i] += (double)prof_value(profile, id)->period / whole;
	}
	return shares;
}

/* The share of each frame with what it calls. Recursive ones may have more than 1. */
static double *weigh_frames(const struct profile *profile)
{
	_cleanup_free_ double *stacks = weigh_stacks(profile);
	double *frames = calloc(profile->frames.n + 1, sizeof(*frames));

	for (uint32_t i = 0; stacks && frames && i < profile->stacks.n; i++) {
		uint32_t n;
		const struct prof_frame_id *list =
			prof_stack(profile, (struct prof_stack_id){ i }, &n);

		for (uint32_t k = 0; k < n; k++)
			frames[list[k].i] += stacks[i];
	}
	if (stacks)
		return frames;
	free(frames);
	return NULL;
}

static void want_lines_of(struct html *h, struct prof_frame_id id)
{
	const struct profile *profile = h->profile;
	struct prof_binary_id binary = prof_frame(profile, id)->binary;
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	for (uint32_t i = 0; lines && i < n && !prof_is_none(binary); i++) {
		const struct prof_function *function = prof_function(profile, lines[i].function);
		const char *file = prof_string(profile, function->file);

		if (*file && lines[i].line)
			html_want_line(h, file, lines[i].line, binary);
	}
}

static void want_hot_lines(struct html *h)
{
	_cleanup_free_ double *shares = weigh_frames(h->profile);

	h->no_memory |= !shares;
	for (uint32_t i = 0; shares && i < h->profile->frames.n; i++) {
		if (100 * shares[i] >= HTML_CODE_PERCENT)
			want_lines_of(h, (struct prof_frame_id){ i });
	}
}

/* Put the lines from *@p line up to @p end that exist, and move *@p line after them. */
static struct pd_error *put_range(struct html *h, const struct html_line *wanted, uint32_t *line,
	uint32_t end, uint64_t *n_ret)
{
	const char *file = pd_intern_bytes(&h->source_paths, wanted->file);
	const struct pd_build_id *id = &prof_binary(h->profile, wanted->binary)->build_id;
	const char *found;

	for (; *line < end && h->n_code_bytes <= HTML_MAX_CODE_BYTES; ++*line) {
		struct pd_error *err =
			ann_sources_line(h->opts->html_code->sources, file, id, *line, &found);

		if (err || !found)
			return err;
		_cleanup_free_ char *text = out_source_text(found);
		if (!text)
			return &pd_enomem;
		h->n_code_bytes += strlen(text);
		html_put(&h->columns, HTML_LINE_NUMBER, *line);
		html_put(&h->columns, HTML_LINE_TEXT, html_string(h, text, strlen(text)));
		++*n_ret;
	}
	return NULL;
}

/* Why lines of @p file are not in the page; "": they are. */
static const char *note_on(
	const struct html *h, const char *file, uint32_t last, char *buffer, size_t size)
{
	const struct ann_sources *sources = h->opts->html_code->sources;
	size_t n = ann_sources_n_lines(sources, file);

	if (!ann_sources_path(sources, file))
		return "the file was not found where the page was made";
	if (h->n_code_bytes > HTML_MAX_CODE_BYTES)
		return "lines are left out because the page would become too large";
	if (last <= n)
		return "";
	snprintf(buffer, size, "the file has only %zu lines: it is not the one that was compiled",
		n);
	return buffer;
}

/* Put the lines around those from @p first up to @p end of @p order, all of one file. */
static struct pd_error *put_file(
	struct html *h, const struct pd_keyed *order, size_t first, size_t end)
{
	const struct html_line *wanted = &h->lines.data[order[first].index];
	const char *file = pd_intern_bytes(&h->source_paths, wanted->file);
	uint32_t next = 1, last = 0;
	uint64_t n = 0;
	char buffer[128];

	for (size_t i = first; i < end; i++) {
		const struct html_line *line = &h->lines.data[order[i].index];
		uint32_t from = line->line > AROUND ? line->line - AROUND : 1;

		last = line->line;
		if (from > next)
			next = from;
		struct pd_error *err = put_range(h, line, &next, last + AROUND + 1, &n);
		if (err)
			return err;
	}
	const char *note = note_on(h, file, last, buffer, sizeof(buffer));
	html_put(&h->columns, HTML_SOURCE_PATH, html_string(h, file, strlen(file)));
	html_put(&h->columns, HTML_SOURCE_NOTE, html_string(h, note, strlen(note)));
	html_put(&h->columns, HTML_SOURCE_ROWS, n);
	return NULL;
}

static struct pd_error *put_files(struct html *h)
{
	size_t n = h->lines.n;
	_cleanup_free_ struct pd_keyed *order = calloc(n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct pd_keyed){
			(uint64_t)h->lines.data[i].file << 32 | h->lines.data[i].line, i
		};
	if (!order || !pd_sort_keyed(order, n))
		return &pd_enomem;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && order[end].key >> 32 == order[i].key >> 32;)
			end++;
		struct pd_error *err = put_file(h, order, i, end);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *html_put_sources(struct html *h)
{
	if (!h->opts->format.html.embeds_source)
		return NULL;
	want_hot_lines(h);
	return h->no_memory ? &pd_enomem : put_files(h);
}
