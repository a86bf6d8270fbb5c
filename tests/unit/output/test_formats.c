/* Whole conversions: every format contains all samples of the recording, with the right names. */
#include "tests/unit/test_writing.h"

#include <inttypes.h>
#include <unistd.h>
#include <zlib.h>

#include <pdconv/reader.h>

#include "advice/completeness.h"
#include "base/array.h"
#include "resolve/resolve.h"
#include "output/formats.h"
#include "output/gzip.h"
#include "output/pprof/profile.pb-c.h"
#include "parse/open_file.h"

/*
 * Folder with the program of a recording. Searching nowhere else makes results independent of the
 * machine.
 */
static const char *program_dir(const char *name, char buf[static 64])
{
	snprintf(buf, 64, "testdata/%s", strcmp(name, "compressed") ? name : "nested");
	return buf;
}

static struct profile *build_from(const struct bytes *b, const char *name, struct resolve_opts opts)
{
	char dir[64];
	struct pd_diag *diag = pd_diag_create();
	struct profile *profile;
	struct pd_file *file;

	opts.search = (struct sym_search){
		.symfs = "/nonexistent",
		.debug_dirs = program_dir(name, dir),
		.buildid_dir = "/nonexistent",
	};
	assert_ok(pd_file_open_memory(name, b->data, b->n, diag, &file));
	assert_ok(resolve_profile(file, &opts, &profile));
	assert_int_equal(pd_diag_n(diag), 0);
	pd_file_close(file);
	pd_diag_destroy(diag);
	return profile;
}

static struct profile *build(const char *name, struct resolve_opts opts)
{
	struct bytes b = testdata_read(name, "perf.data");
	struct profile *profile = build_from(&b, name, opts);

	bytes_free(&b);
	return profile;
}

static const struct prof_event_id first_event = { 0 };

/*
 * Return the output of a format, followed by a NUL. @p input is for formats that reread the
 * recording.
 */
static struct bytes write_rereading(const struct profile *profile, const char *format,
	struct prof_event_id event, const struct bytes *input)
{
	struct out_write_opts opts = { .event = event, .input = "perf.data" };
	struct bytes b = { 0 };

	/* Texts have rounded times. */
	opts.format.text.style = PD_STYLE_JSON;
	if (input)
		opts.perfdata.file = recording_open(input, NULL);
	FILE *out = open_memstream((char **)&b.data, &b.n);

	assert_non_null(out);
	assert_ok(out_format_find(format)->write(profile, &opts, out));
	fclose(out);
	pd_file_close(opts.perfdata.file);
	return b;
}

static struct bytes write_format(
	const struct profile *profile, const char *format, struct prof_event_id event)
{
	return write_rereading(profile, format, event, NULL);
}

/* Sum the samples of each event, independently of the code under test. */
static void count_sample(void *ctx, const struct pd_event *event, const struct pd_sample *sample)
{
	struct prof_value *totals = ctx;

	totals[event->index].samples++;
	totals[event->index].period += sample->period;
}

enum { MAX_EVENTS = 8 };

static size_t count_bytes(const struct bytes *b, struct prof_value totals[static MAX_EVENTS])
{
	struct pd_file *file;

	memset(totals, 0, MAX_EVENTS * sizeof(*totals));
	assert_ok(pd_file_open_memory("input", b->data, b->n, NULL, &file));
	size_t n = file->events.list.n;
	assert_true(n <= MAX_EVENTS);
	for_each_sample(file, count_sample, totals);
	pd_file_close(file);
	return n;
}

static void check_profile(
	const struct profile *profile, const struct prof_value *totals, size_t n_events)
{
	struct prof_value sums[MAX_EVENTS] = { 0 };
	uint64_t n_samples = 0;

	assert_true(prof_is_conserved(profile));
	assert_int_equal(profile->events.n, n_events);
	assert_int_equal(profile->samples.n, profile->values.n);
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		struct prof_event_id event = prof_sample(profile, id)->event;

		assert_true(event.i < n_events);
		sums[event.i].samples += prof_value(profile, id)->samples;
		sums[event.i].period += prof_value(profile, id)->period;
	}
	for (size_t i = 0; i < n_events; i++) {
		assert_int_equal(profile->events.data[i].total.samples, totals[i].samples);
		assert_int_equal(profile->events.data[i].total.period, totals[i].period);
		assert_int_equal(sums[i].samples, totals[i].samples);
		assert_int_equal(sums[i].period, totals[i].period);
		n_samples += totals[i].samples;
	}
	assert_int_equal(profile->stats.n_samples, n_samples);
}

static struct bytes gunzip(const struct bytes *packed)
{
	struct bytes b = { 0 };
	uint8_t buf[65536];
	z_stream z = { .next_in = packed->data, .avail_in = (uInt)packed->n };
	int result = Z_OK;

	/* The header says whether it is gzip or zlib. */
	assert_int_equal(inflateInit2(&z, 32 + MAX_WBITS), Z_OK);
	while (result != Z_STREAM_END) {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		result = inflate(&z, Z_NO_FLUSH);
		assert_true(result == Z_OK || result == Z_STREAM_END);
		bytes_add(&b, buf, sizeof(buf) - z.avail_out);
	}
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
	return b;
}

/*
 * Compress @p plain as @p opts say, written in parts that do not match the pieces of the writer.
 */
static struct bytes gzip(const struct bytes *plain, const struct out_gzip_opts *opts)
{
	struct bytes b = { 0 };
	FILE *out = open_memstream((char **)&b.data, &b.n);
	struct out_gzip *gzip;

	assert_non_null(out);
	assert_ok(out_gzip_create(out, opts, &gzip));
	for (size_t at = 0, n; at < plain->n; at += n) {
		n = plain->n - at < 70001 ? plain->n - at : 70001;
		out_gzip_write(gzip, plain->data + at, n);
	}
	out_gzip_finish(gzip);
	out_gzip_destroy(gzip);
	fclose(out);
	return b;
}

/* The sizes are around the limits of a piece (128 KiB) and of a batch (8 pieces). */
static void gzip_does_not_depend_on_threads(void **state)
{
	static const size_t sizes[] = { 0, 1, 131071, 131072, 131073, 8 * 131072, 8 * 131072 + 1,
		17 * 131072 + 5 };
	uint64_t random = 42;

	(void)state;
	for (size_t i = 0; i < 4 * PD_ARRAY_LEN(sizes); i++) {
		const struct out_gzip_opts alone = { .jobs = 1, .is_zlib = i & 2 };
		struct out_gzip_opts together = alone;
		struct bytes plain = { 0 };

		together.jobs = 4;
		while (plain.n < sizes[i / 4]) {
			uint8_t byte =
				i % 2 ? (uint8_t)random_next(&random) : (uint8_t)(plain.n / 9);

			bytes_add(&plain, &byte, 1);
		}
		struct bytes one = gzip(&plain, &alone);
		struct bytes four = gzip(&plain, &together);
		struct bytes again = gunzip(&one);

		assert_int_equal(one.n, four.n);
		assert_memory_equal(one.data, four.data, one.n);
		assert_int_equal(again.n, plain.n);
		if (plain.n)
			assert_memory_equal(again.data, plain.data, plain.n);
		bytes_free(&plain);
		bytes_free(&one);
		bytes_free(&four);
		bytes_free(&again);
	}
}

static Pprof__Profile *unpack(const struct profile *profile)
{
	struct bytes packed = write_format(profile, "pprof", prof_no_event());
	struct bytes plain = gunzip(&packed);
	Pprof__Profile *p = pprof__profile__unpack(NULL, plain.n, plain.data);

	assert_non_null(p);
	bytes_free(&packed);
	bytes_free(&plain);
	return p;
}

static const char *string(const Pprof__Profile *p, int64_t i)
{
	assert_uint_in_range(i, 0, p->n_string_table - 1);
	return p->string_table[i];
}

/* Ids are unique and not 0, and every reference has a target. */
static void check_pprof_functions(const Pprof__Profile *p)
{
	bool *seen = calloc(p->n_function + 2, sizeof(*seen));

	for (size_t i = 0; i < p->n_function; i++) {
		const Pprof__Function *f = p->function[i];

		assert_uint_in_range(f->id, 1, p->n_function);
		assert_false(seen[f->id]);
		seen[f->id] = true;
		assert_true(*string(p, f->name));
		assert_true(*string(p, f->system_name));
		string(p, f->filename);
		assert_true(f->start_line >= 0);
	}
	free(seen);
}

static void check_pprof_locations(const Pprof__Profile *p)
{
	bool *seen = calloc(p->n_location + 2, sizeof(*seen));

	for (size_t i = 0; i < p->n_location; i++) {
		const Pprof__Location *l = p->location[i];

		assert_uint_in_range(l->id, 1, p->n_location);
		assert_false(seen[l->id]);
		seen[l->id] = true;
		assert_true(l->mapping_id <= p->n_mapping);
		for (size_t k = 0; k < l->n_line; k++) {
			assert_uint_in_range(l->line[k]->function_id, 1, p->n_function);
			assert_true(l->line[k]->line >= 0);
		}
	}
	free(seen);
}

static void check_pprof_mappings(const Pprof__Profile *p)
{
	bool *seen = calloc(p->n_mapping + 2, sizeof(*seen));

	for (size_t i = 0; i < p->n_mapping; i++) {
		const Pprof__Mapping *m = p->mapping[i];

		assert_uint_in_range(m->id, 1, p->n_mapping);
		assert_false(seen[m->id]);
		seen[m->id] = true;
		assert_true(*string(p, m->filename));
		assert_true(m->memory_limit >= m->memory_start);
		size_t len = strlen(string(p, m->build_id));
		assert_true(len == 0 || len == 40);
		assert_int_equal(strspn(string(p, m->build_id), "0123456789abcdef"), len);
	}
	free(seen);
}

static void check_pprof_label(const Pprof__Profile *p, const Pprof__Label *label)
{
	const char *key = string(p, label->key);

	if (strcmp(key, "comm") == 0 || strcmp(key, "stack_end") == 0)
		assert_true(*string(p, label->str));
	else
		assert_true(strcmp(key, "pid") == 0 || strcmp(key, "tid") == 0);
}

static bool is_shown(const struct prof_event *event)
{
	return event->total.samples || !event->is_dummy;
}

/* Whether @p name is the event's name, with or without modifiers, or "cpu" for a clock. */
static bool is_value_name(
	const char *name, const struct profile *profile, const struct prof_event *event)
{
	const char *full = prof_string(profile, event->name);
	size_t len = strlen(name);

	if (strcmp(name, "cpu") == 0)
		return strncmp(full, "cpu-clock", 9) == 0 || strncmp(full, "task-clock", 10) == 0;
	return strncmp(full, name, len) == 0 && (full[len] == '\0' || full[len] == ':');
}

/* Each event has two values, which are named after it. */
static void check_pprof_types(
	const Pprof__Profile *p, const struct profile *profile, size_t n_shown)
{
	size_t at = 0;

	assert_int_equal(p->n_sample_type, 2 * n_shown);
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];
		char counts[256] = "samples";

		if (!is_shown(event))
			continue;
		const char *name = string(p, p->sample_type[at + 1]->type);
		assert_true(is_value_name(name, profile, event));
		if (n_shown > 1)
			snprintf(counts, sizeof(counts), "%s:samples", name);
		assert_string_equal(string(p, p->sample_type[at]->type), counts);
		assert_string_equal(string(p, p->sample_type[at]->unit), "count");
		assert_string_equal(
			string(p, p->sample_type[at + 1]->unit), prof_string(profile, event->unit));
		for (size_t k = 0; k < at; k++)
			assert_string_not_equal(name, string(p, p->sample_type[k]->type));
		at += 2;
	}
	assert_int_equal(at, 2 * n_shown);
}

/* The default event is the first one that has samples. */
static void check_pprof_default(const Pprof__Profile *p, const struct profile *profile)
{
	for (size_t i = 0, at = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (event->total.samples) {
			assert_int_equal(p->default_sample_type, p->sample_type[at + 1]->type);
			assert_int_equal(p->period_type->type, p->default_sample_type);
			return;
		}
		at += 2 * is_shown(event);
	}
}

static void check_pprof(
	const struct profile *profile, const struct prof_value *totals, size_t n_events)
{
	Pprof__Profile *p = unpack(profile);
	int64_t sums[2 * MAX_EVENTS] = { 0 };
	size_t n_shown = 0;

	assert_true(p->n_string_table > 0);
	assert_string_equal(p->string_table[0], "");
	for (size_t i = 0; i < n_events; i++)
		n_shown += is_shown(&profile->events.data[i]);
	check_pprof_types(p, profile, n_shown);
	check_pprof_default(p, profile);
	check_pprof_functions(p);
	check_pprof_locations(p);
	check_pprof_mappings(p);
	for (size_t i = 0; i < p->n_sample; i++) {
		const Pprof__Sample *s = p->sample[i];

		assert_int_equal(s->n_value, 2 * n_shown);
		for (size_t k = 0; k < s->n_value; k++)
			sums[k] += s->value[k];
		for (size_t k = 0; k < s->n_location_id; k++)
			assert_uint_in_range(s->location_id[k], 1, p->n_location);
		for (size_t k = 0; k < s->n_label; k++)
			check_pprof_label(p, s->label[k]);
	}
	for (size_t i = 0, at = 0; i < n_events; i++) {
		if (!is_shown(&profile->events.data[i]))
			continue;
		assert_int_equal(sums[at++], totals[i].samples);
		assert_int_equal(sums[at++], totals[i].period);
	}
	string(p, p->drop_frames);
	string(p, p->keep_frames);
	for (size_t i = 0; i < p->n_comment; i++)
		string(p, p->comment[i]);
	pprof__profile__free_unpacked(p, NULL);
}

/* Lines are "a;b;c WEIGHT", sorted by bytes, and each stack occurs once. */
static void check_folded(
	const struct profile *profile, struct prof_event_id event, struct prof_value total)
{
	struct bytes b = write_format(profile, "folded", event);
	const char *last = NULL;
	uint64_t sum = 0;

	assert_true(b.n == 0 || b.data[b.n - 1] == '\n');
	for (char *line = (char *)b.data; *line;) {
		char *end = strchr(line, '\n');
		*end = '\0';
		char *space = strrchr(line, ' ');
		char *rest;

		assert_non_null(space);
		sum += strtoull(space + 1, &rest, 10);
		assert_true(rest == end && rest > space + 1);
		*space = '\0';
		assert_true(space > line && space[-1] != ';' && *line != ';');
		assert_null(strstr(line, ";;"));
		if (last)
			assert_true(strcmp(last, line) < 0);
		last = line;
		line = end + 1;
	}
	assert_int_equal(sum, total.period);
	free(b.data);
}

static void check_report(
	const struct profile *profile, struct prof_event_id id, struct prof_value total)
{
	struct bytes b = write_format(profile, "report", id);
	const struct prof_event *event = prof_event(profile, id);
	char line[512];

	snprintf(line, sizeof(line), "\n  \"samples\": %" PRIu64 ",", profile->stats.n_samples);
	assert_non_null(strstr((char *)b.data, line));
	snprintf(line, sizeof(line),
		"\"unit\": \"%s\",\n      \"samples\": %" PRIu64 ",\n      \"period\": %" PRIu64
		",\n",
		prof_string(profile, event->unit), total.samples, total.period);
	if (!strstr((char *)b.data, line))
		fail_msg("\"%s\" is not in\n%s", line, (char *)b.data);
	free(b.data);
}

static void check_all(const struct bytes *b, const char *name, struct resolve_opts opts)
{
	struct prof_value totals[MAX_EVENTS];
	size_t n_events = count_bytes(b, totals);
	struct profile *profile = build_from(b, name, opts);

	check_profile(profile, totals, n_events);
	check_pprof(profile, totals, n_events);
	for (struct prof_event_id id = { 0 }; id.i < n_events; id.i++) {
		if (!totals[id.i].samples)
			continue;
		check_folded(profile, id, totals[id.i]);
		check_report(profile, id, totals[id.i]);
	}
	prof_destroy(profile);
}

static void all_samples_are_in_the_output(void **state)
{
	const struct resolve_opts opts[] = {
		{ .jobs = 2 },
		{ .unwind.no_user = true },
		{ .unwind.no_kernel = true },
		{ .no_names = true },
		{ .names = { .no_inline = true, .no_lines = true, .form = PD_NAME_FORM_MANGLED } },
		{ .unwind.max_stack = 1 },
		{ .unwind.max_stack = 3 },
	};

	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct bytes b = testdata_read(recording_names[i], "perf.data");

		for (size_t k = 0; k < PD_ARRAY_LEN(opts); k++)
			check_all(&b, recording_names[i], opts[k]);
		bytes_free(&b);
	}
}

static void empty_recordings_are_converted(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	record_end(&b, record_begin(&b, PD_RECORD_FINISHED_ROUND, 0));
	recording_end(&b);
	check_all(&b, "nested", (struct resolve_opts){ 0 });
	bytes_free(&b);
}

/*
 * Thread names with separators, line ends, quotes and escapes do not break lines or reach a
 * terminal.
 */
static void unusual_names_do_not_break_lines(void **state)
{
	/* The empty name comes first: then nothing has a buffer yet. */
	const char *const names[] = { "", "two words", "semi;colon", "new\nline", "\x1b[31mred",
		"\xff\xfe", "'quoted' \"twice\"", "12345", ";", "''" };
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	for (uint32_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		size_t rec = record_begin(&b, PD_RECORD_COMM, 0);

		u32(&b, 10 + i);
		u32(&b, 10 + i);
		padded(&b, names[i]);
		tid_time(&b, 10 + i, 10 + i, 1 + i);
		record_end(&b, rec);
		add_sample(&b, 10 + i, 100 + i);
	}
	recording_end(&b);
	struct profile *profile = build_from(&b, "nested", (struct resolve_opts){ 0 });
	struct prof_value total = { 10, 10 * 4000 };
	check_folded(profile, first_event, total);
	check_report(profile, first_event, total);
	struct bytes report = write_format(profile, "report", first_event);
	assert_null(strchr((char *)report.data, '\x1b'));
	free(report.data);
	struct bytes folded = write_format(profile, "folded", first_event);
	assert_null(strchr((char *)folded.data, '\x1b'));
	free(folded.data);
	prof_destroy(profile);
	bytes_free(&b);
}

/*
 * List the functions of a stack including inlined ones, leaf first. Returns their number, at most
 * @p max.
 */
static size_t stack_names(
	const struct profile *profile, struct prof_stack_id stack, const char **ret, size_t max)
{
	uint32_t n_frames;
	const struct prof_frame_id *frames = prof_stack(profile, stack, &n_frames);
	size_t n = 0;

	for (uint32_t i = 0; i < n_frames; i++) {
		uint32_t n_lines;
		const struct prof_line *lines = prof_frame_lines(profile, frames[i], &n_lines);

		for (uint32_t k = 0; k < n_lines && n < max; k++)
			ret[n++] = prof_string(
				profile, prof_function(profile, lines[k].function)->name);
		if (!lines && n < max)
			ret[n++] = "?";
	}
	return n;
}

/*
 * Count samples whose stack starts (at the leaf) with @p chain, in threads named @p comm (NULL:
 * any).
 */
static uint64_t samples_with(
	const struct profile *profile, const char *comm, const char *const *chain)
{
	uint64_t n = 0;

	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		const char *have[64];
		size_t depth = stack_names(profile, sample->stack, have, 64);
		size_t k = 0;

		while (chain[k] && k < depth && strcmp(chain[k], have[k]) == 0)
			k++;
		if (chain[k] ||
			(comm && strcmp(comm,
					 prof_string(profile,
						 prof_thread(profile, sample->thread)->comm)) != 0))
			continue;
		n += prof_value(profile, id)->samples;
	}
	return n;
}

#define samples_of(profile, comm, ...) \
	samples_with(profile, comm, (const char *const[]){ __VA_ARGS__, NULL })
#define from_main "main", "__libc_start_call_main"
#define to_the_root from_main, "__libc_start_main", "_start"

static void nested_calls_are_unwound(void **state)
{
	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		struct profile *p = build(
			compressed ? "compressed" : "nested", (struct resolve_opts){ .jobs = 2 });
		uint64_t inner = samples_of(p, "nested", "inner", "middle", "outer", to_the_root);
		uint64_t side = samples_of(p, "nested", "side", to_the_root);

		assert_true(inner > 0);
		assert_true(side > 0);
		assert_int_equal(inner + side, 84);
		struct advice_unwind_summary unwinds;
		assert_ok(advice_unwind_summary_create(p, &unwinds));
		assert_int_equal(unwinds.all.ends[PD_UNWIND_END_ROOT].samples, 84);
		assert_int_equal(unwinds.all.walked.samples, 84);
		assert_int_equal(unwinds.events.data[0].walked.samples, 84);
		assert_int_equal(advice_unwind_stats_not_rooted(&unwinds.events.data[0]), 0);
		advice_unwind_summary_deinit(&unwinds);
		assert_int_equal(p->stats.origins[PROF_STACK_UNWOUND], 84);
		prof_destroy(p);
	}
}

static void threads_have_their_own_names(void **state)
{
	struct profile *p = build("threads", (struct resolve_opts){ .jobs = 2 });
	uint64_t red = samples_of(p, "red", "spin", "red_work", "red", "start_thread");
	uint64_t blue = samples_of(p, "blue", "spin", "blue_work", "blue", "start_thread");
	Pprof__Profile *pprof = unpack(p);
	int64_t by_comm[2] = { 0 };

	(void)state;
	assert_int_equal(red + blue, 51);
	assert_true(red > blue && blue > 0); /* red does twice the work */
	for (size_t i = 0; i < pprof->n_sample; i++) {
		const Pprof__Sample *s = pprof->sample[i];
		const char *comm = NULL;
		int64_t pid = 0, tid = 0;

		for (size_t k = 0; k < s->n_label; k++) {
			const char *key = string(pprof, s->label[k]->key);

			if (strcmp(key, "comm") == 0)
				comm = string(pprof, s->label[k]->str);
			*(strcmp(key, "pid") == 0 ? &pid : &tid) = s->label[k]->num;
		}
		assert_non_null(comm);
		assert_true(tid > 0 && pid > 0);
		by_comm[strcmp(comm, "red") == 0] += s->value[0];
	}
	assert_int_equal(by_comm[1], red);
	assert_int_equal(by_comm[0], blue);
	pprof__profile__free_unpacked(pprof, NULL);
	prof_destroy(p);
}

/* The third of the generated functions has no call frame information. */
static void frames_found_by_frame_pointer_are_labelled(void **state)
{
	struct profile *p = build("jit", (struct resolve_opts){ .jobs = 2 });
	Pprof__Profile *pprof = unpack(p);
	uint64_t third = samples_of(p, "jit", "work", "third", "run", "start_here", "_start", NULL);
	int64_t labelled = 0;

	(void)state;
	for (size_t i = 0; i < pprof->n_sample; i++) {
		const Pprof__Sample *s = pprof->sample[i];

		for (size_t k = 0; k < s->n_label; k++) {
			if (strcmp(string(pprof, s->label[k]->key), "frames_by_frame_pointer"))
				continue;
			assert_int_equal(s->label[k]->num, 1);
			labelled += s->value[0];
		}
	}
	assert_true(third > 0);
	assert_int_equal(labelled, third);
	assert_int_equal(p->stats.n_fp_frames, third);
	pprof__profile__free_unpacked(pprof, NULL);
	prof_destroy(p);
}

static void forked_and_renamed_processes_are_distinguished(void **state)
{
	struct profile *p = build("forkexec", (struct resolve_opts){ .jobs = 2 });
	uint64_t parent = samples_of(p, "forkexec", "spin", "parent_work", to_the_root);
	uint64_t child = samples_of(p, "forkexec", "spin", "child_work", to_the_root);
	uint64_t exec = samples_of(p, "renamed", "spin", "exec_work", to_the_root);

	(void)state;
	assert_true(parent && child && exec);
	assert_int_equal(parent + child + exec, 57);
	/* Two processes, one of which has two names. */
	assert_int_equal(p->threads.n, 3);
	prof_destroy(p);
}

static void unwinding_crosses_signal_frames(void **state)
{
	struct profile *p = build("signal", (struct resolve_opts){ .jobs = 2 });
	uint64_t handler =
		samples_of(p, NULL, "spin", "handler_work", "on_alarm", "__restore_rt", "spin");
	uint64_t plain = samples_of(p, NULL, "spin", "interrupted", to_the_root);

	(void)state;
	assert_true(handler > 0 && plain > 0);
	assert_int_equal(handler + plain, 173);
	prof_destroy(p);
}

static void recorded_chains_are_used(void **state)
{
	struct profile *p = build("fp", (struct resolve_opts){ .jobs = 2 });
	uint64_t inner = samples_of(p, "fp", "inner", "middle", "outer", from_main);
	uint64_t side = samples_of(p, "fp", "side", from_main);

	(void)state;
	assert_true(inner > 0 && side > 0);
	assert_int_equal(inner + side, 227);
	assert_int_equal(p->stats.origins[PROF_STACK_RECORDED], 227);
	prof_destroy(p);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* Line ranges in testdata/cxx/cxx.cpp: main, and the class whose methods are inlined into it. */
enum { MAIN_FIRST = 61, MAIN_LAST = 75, BASKET_FIRST = 17, BASKET_LAST = 41 };

static void inlined_functions_have_source_locations(void **state)
{
	struct profile *p = build("cxx", (struct resolve_opts){ .jobs = 2 });
	size_t n_found = 0;

	(void)state;
	for (struct prof_frame_id id = { 0 }; id.i < p->frames.n; id.i++) {
		uint32_t n_lines;
		const struct prof_line *lines = prof_frame_lines(p, id, &n_lines);

		if (n_lines < 2)
			continue;
		const struct prof_line *outer = &lines[n_lines - 1];
		const struct prof_line *inner = outer - 1;
		const struct prof_function *caller = prof_function(p, outer->function);
		const struct prof_function *callee = prof_function(p, inner->function);
		/* Only the methods of the basket; other inlined functions belong to libstdc++. */
		if (strcmp(prof_string(p, caller->name), "main") != 0 ||
			(strcmp(prof_string(p, callee->name), "shop::Basket<shop::Item>::add") !=
					0 &&
				strcmp(prof_string(p, callee->name),
					"shop::Basket<shop::Item>::sort") != 0))
			continue;
		assert_true(ends_with(prof_string(p, caller->file), "/cxx.cpp"));
		assert_true(ends_with(prof_string(p, callee->file), "/cxx.cpp"));
		assert_uint_in_range(outer->line, MAIN_FIRST, MAIN_LAST);
		assert_int_equal(caller->start_line, MAIN_FIRST);
		assert_uint_in_range(callee->start_line, BASKET_FIRST, BASKET_LAST);
		assert_uint_in_range(inner->line, BASKET_FIRST, BASKET_LAST);
		n_found++;
	}
	assert_true(n_found > 0);
	/* Stacks are unwound through the functions that throw an exception. */
	bool thrown = false;
	for (struct prof_sample_id id = { 0 }; id.i < p->samples.n && !thrown; id.i++) {
		const char *names[64];
		size_t n = stack_names(p, prof_sample(p, id)->stack, names, 64);

		for (size_t k = 0; k + 3 < n; k++)
			thrown |= strcmp(names[k], "__cxa_throw") == 0 &&
				  strcmp(names[k + 1], "shop::check") == 0 &&
				  strcmp(names[k + 2], "shop::try_check") == 0 &&
				  strcmp(names[k + 3], "main") == 0;
	}
	assert_true(thrown);
	prof_destroy(p);
}

/* Without inlined functions the frames are the same, with one function each. */
static void no_inline_gives_one_function_per_frame(void **state)
{
	struct profile *all = build("cxx", (struct resolve_opts){ .jobs = 2 });
	struct profile *one =
		build("cxx", (struct resolve_opts){ .jobs = 2, .names = { .no_inline = true } });

	(void)state;
	assert_int_equal(all->frames.n, one->frames.n);
	for (struct prof_frame_id id = { 0 }; id.i < all->frames.n; id.i++) {
		uint32_t n_a, n_b;
		const struct prof_line *a = prof_frame_lines(all, id, &n_a);
		const struct prof_line *b = prof_frame_lines(one, id, &n_b);

		assert_int_equal(prof_frame(all, id)->addr, prof_frame(one, id)->addr);
		assert_int_equal(n_b, n_a > 0);
		if (!a)
			continue;
		struct prof_function_id f = a[n_a - 1].function;
		struct prof_function_id g = b[0].function;
		assert_string_equal(prof_string(all, prof_function(all, f)->name),
			prof_string(one, prof_function(one, g)->name));
	}
	prof_destroy(all);
	prof_destroy(one);
}

/* Registers of an unsupported architecture must not be interpreted as those of x86-64. */
static void stacks_of_unsupported_architectures_are_not_unwound(void **state)
{
	struct bytes b = testdata_read("nested", "perf.data");
	struct pd_diag *diag = pd_diag_create();
	struct resolve_opts opts = { .search = { .symfs = "/nonexistent",
					     .debug_dirs = "testdata/nested" } };
	struct profile *profile;
	struct pd_file *file;

	(void)state;
	assert_ok(pd_file_open_memory("mips", b.data, b.n, NULL, &file));
	char *arch = (char *)b.data + file->feature[PD_FEATURE_ARCH].offset + 4;
	assert_string_equal(arch, "x86_64");
	memcpy(arch, "mips64", 6);
	pd_file_close(file);

	assert_ok(pd_file_open_memory("mips", b.data, b.n, diag, &file));
	assert_ok(resolve_profile(file, &opts, &profile));
	assert_int_equal(pd_diag_n(diag), 1);
	assert_non_null(strstr(diag_text(diag, 0), "mips64 cannot be unwound"));
	assert_true(prof_is_conserved(profile));
	assert_int_equal(profile->stats.n_samples, 84);
	assert_int_equal(profile->stats.origins[PROF_STACK_UNWOUND], 0);
	/* The sampled function is known without unwinding. */
	assert_true(samples_of(profile, NULL, "side") > 0);
	for (struct prof_stack_id id = { 0 }; id.i < profile->stacks.n; id.i++) {
		uint32_t n;

		prof_stack(profile, id, &n);
		assert_int_equal(n, 1);
	}
	prof_destroy(profile);
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&b);
}

/* Repeat the records of a recording, so that there are many batches for the threads. */
static struct bytes repeat(const struct bytes *b, size_t times)
{
	uint64_t offset = load64(b, AT_DATA_OFFSET), size = load64(b, AT_DATA_SIZE);
	struct bytes many = { 0 };

	bytes_add(&many, b->data, offset);
	for (size_t i = 0; i < times; i++)
		bytes_add(&many, b->data + offset, size);
	patch64(&many, AT_DATA_SIZE, times * size);
	for (size_t i = 0; i < 4; i++)
		patch64(&many, AT_FEATURES + 8 * i, 0);
	return many;
}

static void output_does_not_depend_on_threads(void **state)
{
	enum { TIMES = 40, N_JOBS = 3 };
	const size_t jobs[N_JOBS] = { 1, 4, 7 };
	size_t n_formats;
	const struct out_format *const *formats = out_formats(&n_formats);

	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct bytes once = testdata_read(recording_names[i], "perf.data");
		bool is_compressed = strcmp(recording_names[i], "compressed") == 0;
		/*
		 * A zstd stream cannot restart in the middle, so compressed records cannot be
		 * repeated.
		 */
		struct bytes many = repeat(&once, is_compressed ? 1 : TIMES);
		struct profile *profiles[N_JOBS];

		for (size_t k = 0; k < N_JOBS; k++)
			profiles[k] = build_from(&many, recording_names[i],
				(struct resolve_opts){ .jobs = jobs[k] });
		for (size_t f = 0; f < n_formats; f++) {
			const char *name = formats[f]->name;

			/* The plain build lacks formats, and some write a directory. */
			if (!formats[f]->write)
				continue;
			struct bytes first = write_rereading(profiles[0], name, first_event, &many);

			for (size_t k = 1; k < N_JOBS; k++) {
				struct bytes other =
					write_rereading(profiles[k], name, first_event, &many);

				assert_int_equal(first.n, other.n);
				assert_memory_equal(first.data, other.data, first.n);
				free(other.data);
			}
			free(first.data);
		}
		for (size_t k = 0; k < N_JOBS; k++)
			prof_destroy(profiles[k]);
		check_all(&many, recording_names[i], (struct resolve_opts){ .jobs = 3 });
		bytes_free(&many);
		bytes_free(&once);
	}
}

static void write_file(const char *path, const struct bytes *b)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(b->data, 1, b->n, out), b->n);
	assert_int_equal(fclose(out), 0);
}

/* Damaged programs may give wrong names, but no sample is lost and resolving terminates. */
static void damaged_programs_lose_no_samples(void **state)
{
	enum { TRIES = 40, MAX_FLIPS = 2000 };
	const char *const names[] = { "nested", "cxx", "signal" };
	uint64_t random = 0x2545f4914f6cdd1dU;
	char dir[] = "/tmp/pdconv-test.XXXXXX", path[64], command[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		struct bytes recording = testdata_read(names[i], "perf.data");
		struct bytes copy = { 0 };

		/* Damage in compressed debug information would only make decompression fail. */
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		snprintf(command, sizeof(command),
			"objcopy --decompress-debug-sections testdata/%s/%s %s", names[i], names[i],
			path);
		assert_int_equal(system(command), 0);
		struct bytes program = file_read(path);
		for (size_t try = 0; try < TRIES; try++) {
			struct resolve_opts opts = {
				.search = { .symfs = "/nonexistent",
					.debug_dirs = dir,
					.buildid_dir = "/nonexistent" },
				.jobs = 2,
			};
			struct profile *profile;
			struct pd_file *file;

			copy.n = 0;
			bytes_add(&copy, program.data, program.n);
			/*
			 * The first page stays intact, because it has the build id. Half of the
			 * tries damage only the last quarter, which has the debug information.
			 * Every eighth file is truncated.
			 */
			size_t first = try % 2 ? 4096 : copy.n - copy.n / 4;
			for (size_t k = random_next(&random) % MAX_FLIPS; k > 0; k--)
				copy.data[first + random_next(&random) % (copy.n - first)] =
					(uint8_t)random_next(&random);
			if (try % 8 == 7)
				copy.n = random_next(&random) % copy.n;
			write_file(path, &copy);
			assert_ok(pd_file_open_memory(
				names[i], recording.data, recording.n, NULL, &file));
			assert_ok(resolve_profile(file, &opts, &profile));
			assert_true(prof_is_conserved(profile));
			check_folded(profile, first_event, profile->events.data[0].total);
			pprof__profile__free_unpacked(unpack(profile), NULL);
			prof_destroy(profile);
			pd_file_close(file);
		}
		assert_int_equal(remove(path), 0);
		bytes_free(&copy);
		bytes_free(&program);
		bytes_free(&recording);
	}
	assert_int_equal(rmdir(dir), 0);
}

struct seen {
	uint64_t n;
	uint64_t period;
	uint64_t last_time;
};

static void on_sample(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	struct seen *seen = ctx;

	seen->n++;
	seen->period += sample->period;
	assert_true(sample->time >= seen->last_time);
	seen->last_time = sample->time;
	assert_true(chain->n_system <= chain->n);
	for (size_t i = 0; i < chain->n; i++)
		assert_true(chain->frames[i].i < profile->frames.n);
}

static void samples_are_visited_in_time_order(void **state)
{
	struct seen seen = { 0 };
	struct profile *p = build(
		"cxx", (struct resolve_opts){ .jobs = 4, .on_sample = on_sample, .ctx = &seen });

	(void)state;
	assert_int_equal(seen.n, p->events.data[0].total.samples);
	assert_int_equal(seen.period, p->events.data[0].total.period);
	prof_destroy(p);
}

/* Move the single samples of @p profile to temporary files. */
static void spill(struct profile *profile)
{
	prof_spill(profile, 1);
	assert_ok(base_spill_reserve(&profile->rows, profile->rows.cap + 1));
	assert_ok(base_spill_reserve(&profile->details, profile->details.cap + 1));
	assert_ok(base_spill_reserve(&profile->ledger_changes, profile->ledger_changes.cap + 1));
	assert_true(profile->rows.spill.file.bytes && profile->details.spill.file.bytes &&
		    profile->ledger_changes.spill.file.bytes);
}

static void assert_same_if_spilled(const char *name, const char *format)
{
	struct out_write_opts none = { 0 };
	struct resolve_opts opts = { 0 };
	struct bytes input = testdata_read(name, "perf.data");

	assert_ok(out_format_find(format)->prepare(&none, &opts.request));
	struct profile *profile = build(name, opts);
	struct bytes before = write_rereading(profile, format, prof_no_event(), &input);
	spill(profile);
	struct bytes after = write_rereading(profile, format, prof_no_event(), &input);
	assert_true(profile->rows.n > 0 || profile->ledger_changes.n > 0);
	assert_int_equal(before.n, after.n);
	assert_memory_equal(before.data, after.data, before.n);
	prof_destroy(profile);
	bytes_free(&before);
	bytes_free(&after);
	bytes_free(&input);
}

static void samples_in_temporary_files_give_the_same_output(void **state)
{
	(void)state;
	needs_linux();
	assert_same_if_spilled("nested", "script");
	assert_same_if_spilled("tracepoints", "script");
	assert_same_if_spilled("tracepoints", "firefox");
	assert_same_if_spilled("clock", "perfetto");
	assert_same_if_spilled("clock", "sqlite");
	assert_same_if_spilled("nested", "perfdata");
	assert_same_if_spilled("threads", "perfdata");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_samples_are_in_the_output),
		cmocka_unit_test(empty_recordings_are_converted),
		cmocka_unit_test(unusual_names_do_not_break_lines),
		cmocka_unit_test(nested_calls_are_unwound),
		cmocka_unit_test(gzip_does_not_depend_on_threads),
		cmocka_unit_test(threads_have_their_own_names),
		cmocka_unit_test(frames_found_by_frame_pointer_are_labelled),
		cmocka_unit_test(forked_and_renamed_processes_are_distinguished),
		cmocka_unit_test(unwinding_crosses_signal_frames),
		cmocka_unit_test(recorded_chains_are_used),
		cmocka_unit_test(inlined_functions_have_source_locations),
		cmocka_unit_test(no_inline_gives_one_function_per_frame),
		cmocka_unit_test(stacks_of_unsupported_architectures_are_not_unwound),
		cmocka_unit_test(output_does_not_depend_on_threads),
		cmocka_unit_test(damaged_programs_lose_no_samples),
		cmocka_unit_test(samples_are_visited_in_time_order),
		cmocka_unit_test(samples_in_temporary_files_give_the_same_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
