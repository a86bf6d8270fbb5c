/*
 * The firefox format: a gzipped profile for https://profiler.firefox.com, in version 75 of the
 * processed format of the Firefox Profiler (its docs-developer/CHANGELOG-formats.md and
 * src/types/profile.ts).
 */
#include "output/firefox/firefox.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/binary_roles.h"
#include "analyze/waits/waits.h"
#include "base/array.h"
#include "base/text.h"
#include "output/firefox/firefox_markers.h"
#include "output/firefox/firefox_shared.h"
#include "output/firefox/firefox_threads.h"
#include "output/formats.h"
#include "output/gzip.h"
#include "output/loss_defs.h"
#include "output/tracks.h"

/* Versions of the processed format, and of the format of Firefox that it was derived from. */
enum { PROCESSED_VERSION = 75, GECKO_VERSION = 36 };

static const struct {
	const char *name;
	const char *colour;
} categories[] = {
#define CATEGORY_ROW(name, text, colour) { text, colour },
	FIREFOX_CATEGORIES(CATEGORY_ROW)
};

uint32_t firefox_string(struct firefox *f, const char *text)
{
	uint32_t id = base_intern_str(&f->strings, text);

	f->no_memory |= id == PD_INTERN_NONE;
	return id;
}

bool firefox_is_off_cpu(const struct firefox *f, struct prof_event_id event)
{
	return ana_wait_has_time(f->profile, event);
}

void firefox_write_ms(struct firefox *f, const char *key, uint64_t ns)
{
	base_json_decimal(&f->json, key, ns, 6);
}

void firefox_write_time(struct firefox *f, const char *key, uint64_t time)
{
	/* Samples without a time are at the end. */
	uint64_t shown = time > f->limit ? f->limit : time;

	firefox_write_ms(f, key, shown > f->base ? shown - f->base : 0);
}

void firefox_write_null(struct firefox *f, const char *key)
{
	base_json_str(&f->json, key, NULL);
}

static void write_categories(struct firefox *f)
{
	struct base_json *json = &f->json;

	base_json_array(json, "categories");
	for (size_t i = 0; i < PD_ARRAY_LEN(categories); i++) {
		base_json_object(json, NULL);
		base_json_str(json, "name", categories[i].name);
		base_json_str(json, "color", categories[i].colour);
		base_json_array(json, "subcategories");
		base_json_str(json, NULL, "Other");
		base_json_end(json, ']');
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void write_units(struct firefox *f)
{
	base_json_object(&f->json, "sampleUnits");
	base_json_str(&f->json, "time", "ms");
	base_json_str(&f->json, "eventDelay", "ms");
	base_json_str(&f->json, "threadCPUDelta", "ns");
	base_json_end(&f->json, '}');
}

static void write_fact(struct firefox *f, const char *label, const char *text)
{
	if (!text[0])
		return;
	base_json_object(&f->json, NULL);
	base_json_str(&f->json, "label", label);
	base_json_str(&f->json, "format", "string");
	base_json_str(&f->json, "value", text);
	base_json_end(&f->json, '}');
}

static void write_count(struct firefox *f, const char *label, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	write_fact(f, label, n ? text : "");
}

/* Write what the viewer shows about the recording, in its "more info". */
static void write_extra(struct firefox *f)
{
	const struct profile *profile = f->profile;
	const struct prof_about *about = &profile->about;
	const struct prof_stats *stats = &profile->stats;
	const struct {
		const char *label;
		uint64_t n;
	} losses[] = { OUT_LOSSES(OUT_LOSS_ROW) };
	struct base_json *json = &f->json;

	base_json_array(json, "extra");
	base_json_object(json, NULL);
	base_json_str(json, "label", "Recording");
	base_json_array(json, "entries");
	write_fact(f, "Host", prof_string(f->profile, about->host));
	write_fact(f, "Kernel", prof_string(f->profile, about->kernel_release));
	write_fact(f, "Recorder", prof_string(f->profile, about->perf_version));
	write_fact(f, "Converter", "pdconv " PD_VERSION);
	for (size_t i = 0; i < PD_ARRAY_LEN(losses); i++)
		write_count(f, losses[i].label, losses[i].n);
	base_json_end(json, ']');
	base_json_end(json, '}');
	base_json_end(json, ']');
}

uint64_t firefox_interval(const struct firefox *f)
{
	const struct prof_event *event =
		prof_is_none(f->event) ? NULL : prof_event(f->profile, f->event);

	if (event && event->period_ns)
		return event->period_ns;
	return 1000000;
}

static void write_thread_order(struct firefox *f)
{
	size_t first = out_tracks_main(f->profile, &f->tracks);

	if (!f->tracks.list.n)
		return;
	base_json_array(&f->json, "initialSelectedThreads");
	base_json_uint(&f->json, NULL, first);
	base_json_end(&f->json, ']');
}

static void write_meta(struct firefox *f, const char *product)
{
	const struct prof_about *about = &f->profile->about;
	struct base_json *json = &f->json;
	/* The wall-clock time is known of the first sample. */
	uint64_t early = f->profile->stats.first_ns - f->base;

	base_json_object(json, "meta");
	firefox_write_ms(f, "interval", firefox_interval(f));
	firefox_write_ms(f, "startTime", about->start_ns > early ? about->start_ns - early : 0);
	firefox_write_ms(f, "profilingStartTime", 0);
	firefox_write_time(f, "profilingEndTime", f->limit);
	base_json_str(json, "product", product);
	base_json_str(json, "importedFrom", "Linux perf");
	base_json_str(json, "arguments", prof_string(f->profile, about->command));
	base_json_str(json, "platform", "X11");
	base_json_str(json, "oscpu", prof_string(f->profile, about->arch));
	base_json_uint(json, "processType", 0);
	base_json_uint(json, "stackwalk", 1);
	base_json_uint(json, "version", GECKO_VERSION);
	base_json_uint(json, "preprocessedProfileVersion", PROCESSED_VERSION);
	base_json_bool(json, "symbolicated", true);
	base_json_bool(json, "symbolicationNotSupported", true);
	base_json_bool(json, "usesOnlyOneStackType", true);
	base_json_bool(json, "sourceCodeIsNotOnSearchfox", true);
	write_thread_order(f);
	write_units(f);
	write_categories(f);
	firefox_write_schemas(f);
	write_extra(f);
	base_json_end(json, '}');
}

/*
 * Write the id by which symbol servers know a binary: the first 16 bytes of the build id as a GUID,
 * whose first three numbers are little-endian, and an age of 0.
 */
static void write_breakpad_id(struct firefox *f, const struct pd_build_id *id)
{
	static const uint8_t order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char text[2 * sizeof(order) + 2] = "";

	for (size_t i = 0; i < sizeof(order) && id->len; i++)
		snprintf(text + 2 * i, 3, "%02X",
			order[i] < id->len ? (unsigned)id->bytes[order[i]] : 0U);
	if (id->len)
		text[2 * sizeof(order)] = '0';
	base_json_str(&f->json, "breakpadId", text);
}

static void write_lib(struct firefox *f, const struct prof_binary *binary)
{
	const char *path = prof_string(f->profile, binary->name);
	char hex[PD_BUILD_ID_HEX_MAX];
	struct base_json *json = &f->json;

	base_json_object(json, NULL);
	base_json_str(json, "arch", prof_string(f->profile, f->profile->about.arch));
	base_json_str(json, "name", base_file_name(path));
	base_json_str(json, "path", path);
	base_json_str(json, "debugName", base_file_name(path));
	base_json_str(json, "debugPath", path);
	write_breakpad_id(f, &binary->build_id);
	base_json_str(json, "codeId",
		binary->build_id.len ? pd_build_id_hex(&binary->build_id, hex) : NULL);
	base_json_end(json, '}');
}

static void write_file(struct firefox *f, const char *product)
{
	struct base_json *json = &f->json;

	base_json_object(json, NULL);
	write_meta(f, product);
	base_json_array(json, "libs");
	for (size_t i = 0; i < f->profile->binaries.n; i++)
		write_lib(f, &f->profile->binaries.data[i]);
	base_json_end(json, ']');
	firefox_write_threads(f);
	firefox_write_counters(f);
	firefox_write_shared(f);
	base_json_end(json, '}');
}

static ssize_t write_bytes(void *gzip, const char *bytes, size_t n)
{
	out_gzip_write(gzip, bytes, n);
	return (ssize_t)n;
}

static struct pd_error *write_gzipped(
	struct firefox *f, const char *product, size_t jobs, FILE *out)
{
	struct out_gzip *gzip;
	const struct out_gzip_opts opts = { .jobs = jobs };
	struct pd_error *err = out_gzip_create(out, &opts, &gzip);

	if (err)
		return err;
	f->json.out = fopencookie(gzip, "w", (cookie_io_functions_t){ .write = write_bytes });
	if (f->json.out) {
		write_file(f, product);
		fclose(f->json.out);
		out_gzip_finish(gzip);
	}
	f->no_memory |= !f->json.out;
	out_gzip_destroy(gzip);
	return f->no_memory ? &pd_enomem : NULL;
}

static void include_time(struct firefox *f, uint64_t time)
{
	if (time == PD_NO_TIME)
		return;
	if (time < f->base)
		f->base = time;
	if (time > f->limit)
		f->limit = time;
}

/*
 * Find the times of the file: from the first sample or record to the last one. Counters begin an
 * interval before their first read.
 */
static void find_times(struct firefox *f)
{
	const struct prof_stats *stats = &f->profile->stats;

	f->base = stats->first_ns;
	f->limit = stats->last_ns;
	for (size_t i = 0; i < f->profile->notes.n; i++) {
		uint64_t time = f->profile->notes.data[i].time;

		include_time(f, time ? time : PD_NO_TIME);
	}
	for (size_t i = 0; i < f->profile->ledgers.n; i++) {
		include_time(f, f->profile->ledgers.data[i].begin_ns);
		include_time(f, f->profile->ledgers.data[i].end_ns);
	}
	if (f->limit < f->base)
		f->limit = f->base;
	if (firefox_has_counters(f) && f->base > firefox_interval(f))
		f->base -= firefox_interval(f);
}

static void find_event(struct firefox *f)
{
	const struct profile *profile = f->profile;

	f->event = prof_no_event();
	for (uint32_t i = 0; i < profile->events.n && prof_is_none(f->event); i++) {
		if (profile->events.data[i].total.samples)
			f->event = (struct prof_event_id){ i };
	}
}

static struct pd_error *set_up(struct firefox *f)
{
	struct pd_error *err = ana_locations_create(f->profile, &f->locations);

	if (err)
		return err;
	err = out_tracks_create(f->profile, &f->tracks);
	if (err)
		return err;
	f->leaves = base_calloc_n(f->profile->stacks.n, sizeof(*f->leaves));
	if (!f->leaves)
		return &pd_enomem;
	find_event(f);
	find_times(f);
	firefox_find_markers(f);
	return f->no_memory ? &pd_enomem : NULL;
}

static void tear_down(struct firefox *f)
{
	free(f->leaves);
	ana_locations_deinit(&f->locations);
	out_tracks_deinit(&f->tracks);
	base_intern_deinit(&f->sources);
	base_intern_deinit(&f->strings);
	pd_vec_deinit(&f->nodes);
	base_map_deinit(&f->node_ids);
	base_map_deinit(&f->life_ids);
	pd_vec_deinit(&f->lives);
	base_map_deinit(&f->first_tracks);
	pd_vec_deinit(&f->markers);
}

static struct pd_error *write_firefox(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct firefox f = { .profile = profile, .json = { .is_compact = true } };
	struct prof_binary_id program;
	struct pd_error *err = ana_find_main_binary(profile, &program);

	if (!err)
		err = set_up(&f);
	if (!err) {
		const char *product = prof_binary_base(profile, program);

		err = write_gzipped(&f, product[0] ? product : "perf", opts->jobs, out);
	}
	tear_down(&f);
	return err;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->tags = 1 << PROF_TAG_TIME;
	request->rows = true;
	request->only_traces = true;
	request->intervals = true;
	request->ledger = request->ledger_if_known = true;
	request->phases = true;
	request->note_types = out_note_types();
	request->note_text = out_note_text;
	return NULL;
}

const struct out_format out_format_firefox = {
	.name = "firefox",
	.suffix = ".json.gz",
	.is_binary = true,
	.takes_one = true,
	.help = "gzipped profile for profiler.firefox.com, threads over time",
	.prepare = prepare,
	.write = write_firefox,
};
