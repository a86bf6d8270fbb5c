/*
 * The html format: a page that shows the profile in a browser, with nothing to fetch. It has a
 * program (web/), and each profile as base64 of a zlib stream: JSON that describes it, and columns
 * of numbers. doc/design/html.md describes both.
 */
#include "output/html/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/quality.h"
#include "analyze/waits/waits.h"
#include "base/array.h"
#include <pdconv/record.h>
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/text.h"
#include "output/gzip.h"
#include "output/html/html_code.h"
#include "output/html/html_lanes.h"
#include "output/html/html_ledger.h"
#include "output/html/html_samples.h"
#include "output/html/html_state.h"
#include "output/html/html_tree.h"
#include "output/quality_lines.h"
#include "output/tracks.h"

/* Version of the format of the data. */
enum { VERSION = 5 };

/* Kind of stack for each end of an unwind. */
static const char *const end_kinds[PD_N_UNWIND_ENDS] = {
	[PD_UNWIND_END_ROOT] = "rooted",
	[PD_UNWIND_END_ROOT_DOUBTFUL] = "guessed",
	[PD_UNWIND_END_STACK_SHORT] = "cut",
	[PD_UNWIND_END_NO_REGS] = "none",
	[PD_UNWIND_END_NO_STACK] = "none",
	[PD_UNWIND_END_NO_FILE] = "unknown",
	[PD_UNWIND_END_WRONG_BUILD_ID] = "unknown",
};

/* Kind of stack for each end of a recorded call chain. */
static const char *const chain_kinds[ADVICE_N_CHAIN_ENDS] = {
	[ADVICE_CHAIN_NONE] = "none",
	[ADVICE_CHAIN_ROOTED] = "rooted",
	[ADVICE_CHAIN_CUT] = "cut",
	[ADVICE_CHAIN_BRANCHES] = "unknown",
};

static const char *end_kind(uint32_t end)
{
	if (end >= PD_N_UNWIND_ENDS)
		return chain_kinds[end - PD_N_UNWIND_ENDS];
	return end_kinds[end] ? end_kinds[end] : "lost";
}

static const char *end_text(uint32_t end)
{
	if (end >= PD_N_UNWIND_ENDS)
		return advice_chain_end_text((enum advice_chain_end)(end - PD_N_UNWIND_ENDS));
	return pd_unwind_end_text((enum pd_unwind_end)end);
}

void html_write_decimal(struct base_json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	base_json_str(json, key, text);
}

void html_write_text(struct base_json *json, const char *key, const char *text, size_t len)
{
	_cleanup_free_ char *printable = base_text_dup(text, len, &len);

	if (!printable)
		base_stream_fail(json->out);
	base_json_str(json, key, printable ? printable : "");
}

void html_write_string(
	const struct html *h, struct base_json *json, const char *key, struct prof_string_id id)
{
	html_write_text(json, key, prof_string(h->profile, id), prof_string_len(h->profile, id));
}

static void write_recording(const struct html *h, struct base_json *json)
{
	const struct prof_about *about = &h->profile->about;

	base_json_object(json, "recording");
	html_write_string(h, json, "host", about->host);
	html_write_string(h, json, "kernel", about->kernel_release);
	html_write_string(h, json, "arch", about->arch);
	base_json_uint(json, "cpus", about->n_cpus);
	html_write_string(h, json, "recorder", about->perf_version);
	html_write_string(h, json, "command", about->command);
	if (about->start_ns)
		html_write_decimal(json, "start_ns", about->start_ns);
	html_write_decimal(json, "first_ns", h->profile->stats.first_ns);
	html_write_decimal(json, "last_ns", h->profile->stats.last_ns);
	base_json_end(json, '}');
}

static void write_times(const struct html *h, struct base_json *json)
{
	bool has_times = h->base_ns != PD_NO_TIME;

	base_json_uint(json, "time_unit_ns", has_times ? h->unit_ns : 0);
	html_write_decimal(json, "base_ns", has_times ? h->base_ns : 0);
}

static const char *unit_of(const struct profile *profile, const struct prof_event *event)
{
	const char *unit = prof_string(profile, event->unit);

	return strcmp(unit, "nanoseconds") == 0 ? "ns" : unit;
}

static void write_events(const struct html *h, struct base_json *json)
{
	base_json_array(json, "events");
	for (struct prof_event_id id = { 0 }; id.i < h->profile->events.n; id.i++) {
		const struct prof_event *event = prof_event(h->profile, id);

		base_json_object(json, NULL);
		html_write_string(h, json, "name", event->name);
		base_json_str(json, "unit", unit_of(h->profile, event));
		base_json_uint(json, "samples", event->total.samples);
		html_write_decimal(json, "period", event->total.period);
		base_json_bool(json, "waits", ana_wait_has_time(h->profile, id));
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

/* Ids of processes and threads are signed: those of the kernel's idle threads are -1 or 0. */
static void write_tasks(const struct html *h, struct base_json *json)
{
	base_json_array(json, "processes");
	for (size_t i = 0; i < h->processes.n; i++) {
		base_json_object(json, NULL);
		base_json_int(json, "pid", (int32_t)h->processes.data[i].pid);
		html_write_string(h, json, "name", h->processes.data[i].name);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
	base_json_array(json, "threads");
	for (size_t i = 0; i < h->threads.n; i++) {
		const struct html_thread *thread = &h->threads.data[i];

		base_json_object(json, NULL);
		base_json_uint(json, "process", thread->process);
		base_json_int(json, "tid", (int32_t)thread->tid);
		html_write_string(h, json, "name", thread->name);
		if (thread->start != PD_NO_TIME)
			base_json_uint(json, "start", html_time(h, thread->start));
		if (thread->end != PD_NO_TIME)
			base_json_uint(json, "end", html_time(h, thread->end));
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void write_ends(const struct html *h, struct base_json *json)
{
	base_json_array(json, "ends");
	for (uint32_t row = 1; row <= h->n_ends; row++) {
		uint32_t end = 0;

		while (h->ends[end] != row)
			end++;
		base_json_object(json, NULL);
		base_json_str(json, "text", end_text(end));
		base_json_str(json, "kind", end_kind(end));
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void write_left_out(struct base_json *json, const char *text, uint64_t n)
{
	if (!n)
		return;
	base_json_object(json, NULL);
	base_json_str(json, "text", text);
	base_json_uint(json, "samples", n);
	base_json_end(json, '}');
}

static void write_losses(const struct html *h, struct base_json *json)
{
	const struct prof_stats *stats = &h->profile->stats;

	base_json_object(json, "lost");
	base_json_uint(json, "records", stats->n_lost_records);
	base_json_uint(json, "samples", stats->n_lost_samples);
	base_json_end(json, '}');
	base_json_array(json, "left_out");
	for (size_t i = 0; i < PROF_N_SKIPS; i++)
		write_left_out(json, prof_skip_text((enum prof_skip)i), stats->skipped[i]);
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		const char *filter = prof_filter_name((enum prof_filter_kind)i);
		char text[64];

		snprintf(text, sizeof(text), "left out by the filter %s", filter);
		write_left_out(json, text, stats->filtered[i]);
	}
	base_json_end(json, ']');
}

/* Write a line of the report: "stacks: 98.2 % of 1234 reach the root". */
static void write_quality_line(const struct html *h, const struct advice_quality *quality,
	enum out_quality_line line, struct base_json *json)
{
	_cleanup_free_ char *text = out_quality_line(h->profile, quality, line);
	_cleanup_free_ char *named =
		text ? base_format("%s: %s", out_quality_line_name(line), text) : NULL;

	if (!named)
		base_stream_fail(json->out);
	else if (*text)
		html_write_text(json, NULL, named, strlen(named));
}

static void write_quality(
	const struct html *h, const struct advice_quality *quality, struct base_json *json)
{
	base_json_array(json, "quality");
	for (enum out_quality_line line = 0; line < OUT_N_QUALITY_LINES; line++)
		write_quality_line(h, quality, line, json);
	base_json_end(json, ']');
	base_json_array(json, "advice");
	for (size_t i = 0; i < quality->hints.list.n; i++) {
		const char *text = quality->hints.list.data[i].text;

		html_write_text(json, NULL, text, strlen(text));
	}
	base_json_end(json, ']');
}

/* Say which functions have their code in the page, if any may. */
static void write_embedded(const struct html *h, struct base_json *json)
{
	if (!h->opts->format.html.embeds_source)
		return;
	base_json_object(json, "embedded");
	base_json_double(json, "percent", HTML_CODE_PERCENT);
	base_json_uint(json, "left_out", h->n_left_out);
	base_json_end(json, '}');
}

static void write_columns(const struct html *h, struct base_json *json)
{
	base_json_array(json, "columns");
	for (enum html_column_id id = 0; id < HTML_N_COLUMNS; id++) {
		const struct html_column *column = &h->columns.list[id];

		base_json_object(json, NULL);
		base_json_str(json, "name", html_column_name(id));
		base_json_str(json, "kind", html_column_kind(id));
		base_json_uint(json, "n", column->n);
		base_json_uint(json, "size", column->bytes.n);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

/*
 * Names of the inputs @p input, which may be NULL. Absolute paths lose their folders. Allocated;
 * NULL: no memory.
 */
static char *input_name(const char *input)
{
	static const char separator[] = ", ";
	char *name = strdup(input ? input : "");
	char *to = name;

	/* Folders say something about the machine on which the page was made. */
	for (const char *at = input; name && at && *at;) {
		const char *end = strstr(at, separator);
		size_t len = end ? (size_t)(end - at) : strlen(at);
		const char *slash = *at == '/' ? memrchr(at, '/', len) : NULL;
		size_t skipped = slash && slash + 1 < at + len ? (size_t)(slash + 1 - at) : 0;

		to = (char *)mempcpy(to, at + skipped, len - skipped);
		at += len;
		if (end) {
			to = stpcpy(to, separator);
			at += strlen(separator);
		}
	}
	if (name)
		*to = '\0';
	return name;
}

/* Write the JSON in front of the columns, which are complete: it describes the recording. */
static void write_about(const struct html *h, const struct advice_quality *quality,
	const struct out_ledger_notes *notes, FILE *out)
{
	struct base_json json = { .out = out, .is_compact = true };
	_cleanup_free_ char *input = input_name(h->opts->input);

	if (!input) {
		base_stream_fail(out);
		return;
	}
	base_json_object(&json, NULL);
	base_json_uint(&json, "version", VERSION);
	base_json_str(&json, "generator", "pdconv " PD_VERSION);
	html_write_text(&json, "input", input, strlen(input));
	write_recording(h, &json);
	write_times(h, &json);
	write_events(h, &json);
	write_tasks(h, &json);
	write_ends(h, &json);
	write_losses(h, &json);
	write_quality(h, quality, &json);
	write_embedded(h, &json);
	html_write_ledger(h, notes, &json);
	html_write_intervals(h, &json);
	write_columns(h, &json);
	base_json_end(&json, '}');
}

/* The text around the profiles is made of web/ when pdconv is built. */
static const unsigned char page_head[] = {
#include "output/page.head.inc"
};
static const unsigned char page_tail[] = {
#include "output/page.tail.inc"
};

/* Write the attribute of an element, without characters that are not printable. */
static void write_escaped(const char *attribute, FILE *out)
{
	size_t len;
	_cleanup_free_ char *printable = base_text_dup(attribute, strlen(attribute), &len);

	if (!printable) {
		base_stream_fail(out);
		return;
	}
	for (const char *text = printable; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else
			putc_unlocked(*text, out);
	}
}

static void write_u32(struct out_gzip *gzip, uint32_t value)
{
	const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
		(uint8_t)(value >> 24) };

	out_gzip_write(gzip, bytes, sizeof(bytes));
}

static void put_strings(struct html *h)
{
	for (uint32_t i = 0; i < h->strings.n; i++) {
		uint32_t len = base_intern_len(&h->strings, i);

		html_put(&h->columns, HTML_STRING_LENGTH, len);
		html_put_bytes(
			&h->columns, HTML_STRING_TEXT, base_intern_bytes(&h->strings, i), len);
	}
}

static struct pd_error *fill(struct html *h)
{
	struct pd_error *err;

	html_string(h, "", 0);
	err = advice_chain_ends_find(h->profile, &h->chain_ends);
	if (err)
		return err;
	err = html_put_code(h);
	if (err || h->no_memory)
		return err ? err : &pd_enomem;
	html_put_samples(h);
	if (h->no_memory)
		return &pd_enomem;
	err = html_put_lanes(h);
	if (err || h->no_memory)
		return err ? err : &pd_enomem;
	html_put_marks(h);
	err = html_put_sources(h);
	if (err)
		return err;
	html_put_tree(h);
	put_strings(h);
	return h->no_memory || h->columns.no_memory ? &pd_enomem : NULL;
}

/* Write the description of the profile to *@p ret, allocated. */
static struct pd_error *describe(
	const struct html *h, const struct advice_quality *quality, char **ret, size_t *len_ret)
{
	_cleanup_(out_ledger_notes_deinit) struct out_ledger_notes notes = { 0 };
	struct pd_error *err = out_ledger_notes_find(h->profile, &notes);
	FILE *out = err ? NULL : base_memstream_open(ret, len_ret);

	if (!out)
		return err ? err : &pd_enomem;
	write_about(h, quality, &notes, out);
	return base_memstream_close(out, ret) ? NULL : &pd_enomem;
}

static struct pd_error *write_data(
	const struct html *h, const struct advice_quality *quality, FILE *base64)
{
	const struct out_gzip_opts opts = { .jobs = h->opts->jobs, .is_zlib = true };
	_cleanup_free_ char *about = NULL;
	size_t len;
	struct out_gzip *gzip;
	struct pd_error *err = describe(h, quality, &about, &len);

	if (err)
		return err;
	err = out_gzip_create(base64, &opts, &gzip);
	if (err)
		return err;
	out_gzip_write(gzip, "PDW1", 4);
	write_u32(gzip, (uint32_t)len);
	out_gzip_write(gzip, about, len);
	for (size_t i = 0; i < HTML_N_COLUMNS; i++)
		out_gzip_write(gzip, h->columns.list[i].bytes.data, h->columns.list[i].bytes.n);
	out_gzip_finish(gzip);
	out_gzip_destroy(gzip);
	return NULL;
}

static struct pd_error *write_element(
	const struct html *h, const struct advice_quality *quality, FILE *out)
{
	FILE *base64 = base_base64_open(out);

	if (!base64)
		return &pd_enomem;
	fputs("<script type=\"application/octet-stream\" class=\"profile\" data-name=\"", out);
	_cleanup_free_ char *input = input_name(h->opts->input);

	if (!input)
		base_stream_fail(out);
	write_escaped(input ? input : "", out);
	fputs("\">", out);
	struct pd_error *err = write_data(h, quality, base64);
	fclose(base64);
	fputs("</script>\n", out);
	return err;
}

static void tear_down(struct html *h)
{
	folded_names_deinit(&h->names);
	html_columns_deinit(&h->columns);
	base_intern_deinit(&h->strings);
	base_map_deinit(&h->named_functions);
	base_intern_deinit(&h->functions);
	base_intern_deinit(&h->frames);
	free(h->spots);
	pd_vec_deinit(&h->spot_frames);
	pd_vec_deinit(&h->nodes);
	base_map_deinit(&h->node_ids);
	free(h->leaves);
	free(h->thread_rows);
	advice_chain_ends_deinit(&h->chain_ends);
	pd_vec_deinit(&h->path);
	pd_vec_deinit(&h->trail);
	pd_vec_deinit(&h->threads);
	pd_vec_deinit(&h->processes);
	base_map_deinit(&h->thread_ids);
	base_map_deinit(&h->process_ids);
	free(h->instructions);
	base_intern_deinit(&h->places);
	base_intern_deinit(&h->source_paths);
	pd_vec_deinit(&h->lines);
}

void out_html_begin(FILE *out)
{
	fwrite(page_head, 1, sizeof(page_head), out);
}

struct pd_error *out_html_add(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct html h = { .profile = profile, .opts = opts };
	struct advice_quality_search search = { 0 };
	struct pd_error *err = &pd_enomem;

	h.spots = base_calloc_n(profile->frames.n, sizeof(*h.spots));
	h.leaves = base_calloc_n(profile->stacks.n, sizeof(*h.leaves));
	if (folded_names_init(&h.names, profile, opts) && h.spots && h.leaves) {
		err = advice_quality_search_start(profile, true, opts->jobs, &search);
		if (!err)
			err = advice_quality_search_finish(&search, fill(&h));
		if (!err)
			err = write_element(&h, &search.quality, out);
	}
	advice_quality_deinit(&search.quality);
	tear_down(&h);
	return err;
}

void out_html_end(FILE *out)
{
	fwrite(page_tail, 1, sizeof(page_tail), out);
}

static struct pd_error *write_html(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	out_html_begin(out);
	struct pd_error *err = out_html_add(profile, opts, out);
	out_html_end(out);
	return err;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	/* Functions are identified by the start of their symbols. */
	request->frame_offsets = opts->format.html.embeds_source;
	request->tags = 1u << PROF_TAG_TIME | 1u << PROF_TAG_CPU;
	request->note_types = out_note_types();
	request->note_text = out_note_text;
	request->ledger = true;
	request->ledger_if_known = true;
	request->phases = true;
	request->waits = true;
	request->intervals = true;
	request->critical_path = "";
	request->path_if_known = true;
	return NULL;
}

const struct out_format out_format_html = {
	.name = "html",
	.suffix = ".html",
	.is_binary = true,
	.takes_one = true,
	.reports_quality = true,
	.help = "page for a browser: flame graphs, threads over time, search",
	.prepare = prepare,
	.write = write_html,
};
