/*
 * Conservation: in every format and with every filter, kept and filtered samples add up to all
 * samples.
 */
#include "tests/unit/made_profile.h"
#include "tests/unit/test_recording.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/array.h"
#include "base/limit.h"
#include "resolve/resolve.h"
#include "profile/sample_filter.h"
#include "output/formats.h"
#include "output/perfetto/perfetto.pb-c.h"
#include "output/pprof/profile.pb-c.h"

/* Folders of testdata/. Together they contain every field that a filter can test. */
static const char *const recordings[] = { "nested", "cxx", "threads", "forkexec", "signal", "fp",
	"compressed", "deep", "jit", "group", "tracepoints" };

static const char *program_dir(const char *name, char buf[static 64])
{
	snprintf(buf, 64, "testdata/%s", strcmp(name, "compressed") ? name : "nested");
	return buf;
}

/*
 * Resolve the recording @p b for @p format. NULL: it lacks a field that the filter of @p opts
 * needs.
 */
static struct profile *build(const struct bytes *b, const char *name, struct resolve_opts opts,
	const struct out_format *format, const struct out_write_opts *write_opts)
{
	char dir[64];
	struct profile *profile = NULL;
	struct pd_file *file = recording_open(b, NULL);

	opts.search = (struct sym_search){
		.symfs = "/nonexistent",
		.debug_dirs = program_dir(name, dir),
		.buildid_dir = "/nonexistent",
	};
	if (format->prepare)
		assert_ok(format->prepare(write_opts, &opts.request));
	struct pd_error *err = resolve_profile(file, &opts, &profile);
	if (err)
		assert_error(err, PD_ERROR_USAGE);
	pd_file_close(file);
	return profile;
}

/* Readers of each format, written independently of the code that writes it. */

static struct prof_value read_report(const struct bytes *b)
{
	struct prof_value sum = { 0 };

	/* Samples and period of an event; text has rounded times. */
	const char *events = strstr((char *)b->data, "\"events\": [");
	const char *end = events ? strstr(events, "\n  ]") : NULL;

	for (const char *at = events; at && (at = strstr(at, "\n      \"samples\": ")) && at < end;
		at++) {
		uint64_t samples, period;

		if (sscanf(at, " \"samples\": %" SCNu64 ", \"period\": %" SCNu64, &samples,
			    &period) != 2)
			continue;
		sum.samples += samples;
		sum.period += period;
	}
	return sum;
}

/* Decompress the output @p b, which is a gzip file or a zlib stream. The bytes are followed by a NUL. */
static struct bytes decompress(const struct bytes *b)
{
	enum { ROOM = 16 << 20 };
	uint8_t *plain = malloc(ROOM + 1);
	z_stream z = {
		.next_in = b->data, .avail_in = (uInt)b->n, .next_out = plain, .avail_out = ROOM
	};

	assert_int_equal(inflateInit2(&z, 32 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	plain[z.total_out] = '\0';
	return (struct bytes){ .data = plain, .n = z.total_out };
}

static struct prof_value read_pprof(const struct bytes *b)
{
	struct prof_value sum = { 0 };
	struct bytes plain = decompress(b);
	Pprof__Profile *p = pprof__profile__unpack(NULL, plain.n, plain.data);

	free(plain.data);
	assert_non_null(p);
	for (size_t i = 0; i < p->n_sample; i++) {
		for (size_t k = 0; k < p->sample[i]->n_value; k += 2) {
			sum.samples += (uint64_t)p->sample[i]->value[k];
			sum.period += (uint64_t)p->sample[i]->value[k + 1];
		}
	}
	pprof__profile__free_unpacked(p, NULL);
	return sum;
}

static uint64_t take_varint(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned shift = 0;

	do {
		value |= (uint64_t)(**at & 0x7f) << shift;
		shift += 7;
	} while (*(*at)++ & 0x80);
	return value;
}

/* Add up the numbers in the fields along @p path, which ends with 0. Even profiles have periods. */
static void sum_otlp(
	const struct bytes *b, const unsigned *path, size_t *n_profiles, struct prof_value *sum)
{
	const uint8_t *at = b->data, *end = b->data + b->n;

	while (at < end) {
		uint64_t tag = take_varint(&at);
		uint64_t size = (tag & 7) == 2 ? take_varint(&at) : 0;
		const struct bytes inner = { .data = (uint8_t *)at, .n = size };

		if ((tag & 7) == 0)
			take_varint(&at);
		at += (tag & 7) == 1 ? 8 : size;
		if (tag >> 3 != *path)
			continue;
		if (path[1])
			sum_otlp(&inner, path + 1, n_profiles, sum);
		for (const uint8_t *value = inner.data; !path[1] && value < inner.data + size;)
			*(*n_profiles % 2 ? &sum->samples : &sum->period) += take_varint(&value);
		/* Three fields before the end of the path are the profiles. */
		*n_profiles += path[1] && path[2] && !path[3];
	}
}

static struct prof_value read_otlp(const struct bytes *b)
{
	/* resource_profiles, scope_profiles, profiles, samples, values */
	static const unsigned path[] = { 1, 2, 2, 2, 4, 0 };
	struct prof_value sum = { 0 };
	size_t n_profiles = 0;

	sum_otlp(b, path, &n_profiles, &sum);
	return sum;
}

/* Messages that each follow their size; one that is larger than @p most has a single sample. */
static struct prof_value read_otlp_messages(const struct bytes *b, uint64_t most, size_t *n_ret)
{
	const uint8_t *at = b->data, *end = b->data + b->n;
	struct prof_value sum = { 0 };

	for (*n_ret = 0; at < end; ++*n_ret) {
		uint64_t size = take_varint(&at);
		struct prof_value part =
			read_otlp(&(struct bytes){ .data = (uint8_t *)at, .n = size });

		assert_true(size <= (uint64_t)(end - at));
		assert_true(size <= most || part.samples <= 1);
		sum.samples += part.samples;
		sum.period += part.period;
		at += size;
	}
	return sum;
}

static struct prof_value read_otlp_json(const struct bytes *b)
{
	static const char profile[] = "\"sampleType\":", values[] = "\"values\":[";
	struct prof_value sum = { 0 };
	size_t n_profiles = 0;

	for (char *at = strstr((char *)b->data, profile); at;) {
		char *next = strstr(at + 1, profile);
		uint64_t *to = n_profiles++ % 2 ? &sum.samples : &sum.period;

		while ((at = strstr(at, values)) && (!next || at < next)) {
			at += strlen(values);
			while (*at == '"') {
				*to += strtoull(at + 1, &at, 10);
				at += at[1] == ',' ? 2 : 1;
			}
		}
		at = next;
	}
	return sum;
}

/* The weight of a line is the sum of periods; folded stacks do not contain sample counts. */
static struct prof_value read_folded(const struct bytes *b)
{
	struct prof_value sum = { .samples = UINT64_MAX };

	for (char *at = (char *)b->data, *end; *at; at = end + 1) {
		end = strchr(at, '\n');
		assert_non_null(end);
		*end = '\0';
		sum.period += strtoull(strrchr(at, ' ') + 1, NULL, 10);
		*end = '\n';
	}
	return sum;
}

/* Lines of frames begin with a tab. Tracepoints are printed without a period. */
static struct prof_value read_script(const struct bytes *b)
{
	struct prof_value sum = { 0 };
	bool has_periods = true;

	for (char *at = (char *)b->data, *end; *at; at = end + 1) {
		char name[256];
		uint64_t seconds, period;

		end = strchr(at, '\n');
		assert_non_null(end);
		if (*at == '\t' || at == end)
			continue;
		*end = '\0';
		sum.samples++;
		const char *time = strchr(at, '.');
		if (time && sscanf(time, ".%" SCNu64 ": %" SCNu64 " %255s", &seconds, &period,
				    name) == 3)
			sum.period += period;
		else
			has_periods = false;
		*end = '\n';
	}
	if (!has_periods)
		sum.period = UINT64_MAX;
	return sum;
}

static struct prof_value read_perfdata(const struct bytes *b)
{
	const struct resolve_opts opts = { .unwind.no_user = true, .no_names = true };
	struct prof_value sum = { 0 };
	struct profile *profile;
	struct pd_file *file = recording_open(b, NULL);

	assert_ok(resolve_profile(file, &opts, &profile));
	for (size_t i = 0; i < profile->events.n; i++) {
		sum.samples += profile->events.data[i].total.samples;
		sum.period += profile->events.data[i].total.period;
	}
	prof_destroy(profile);
	pd_file_close(file);
	return sum;
}

/* Samples of one stack and time are written as one. Those without a stack are gaps. */
static struct prof_value read_speedscope(const struct bytes *b)
{
	struct prof_value sum = { .samples = UINT64_MAX };

	for (char *at = (char *)b->data; (at = strstr(at, "\"samples\":["));) {
		char *weights = strstr(at, "\"weights\":[");

		assert_non_null(weights);
		weights += strlen("\"weights\":[");
		for (at += strlen("\"samples\":["); *at == '['; at += *at == ',') {
			uint64_t weight = strtoull(weights, &weights, 10);

			sum.period += at[1] == ']' ? 0 : weight;
			weights += *weights == ',';
			at = strchr(at, ']') + 1;
		}
	}
	return sum;
}

/* Weights of samples are milliseconds with six digits, or counts. */
static struct prof_value read_firefox(const struct bytes *b)
{
	static const char key[] = "\"weight\":[";
	struct prof_value sum = { .samples = UINT64_MAX };
	struct bytes plain = decompress(b);

	for (char *at = (char *)plain.data; (at = strstr(at, "\"weightType\":\""));) {
		bool is_ms = strncmp(at, "\"weightType\":\"tracing-ms\"", 25) == 0;

		at = strstr(at, key);
		assert_non_null(at);
		for (at += strlen(key); *at != ']'; at += *at == ',') {
			double weight = strtod(at, &at);

			sum.period += (uint64_t)llround(is_ms ? weight * 1e6 : weight);
		}
	}
	free(plain.data);
	return sum;
}

/* Samples of one stack and time are one packet. */
static struct prof_value read_perfetto(const struct bytes *b)
{
	struct prof_value sum = { .samples = UINT64_MAX };
	struct bytes plain = decompress(b);
	Perfetto__Trace *trace = perfetto__trace__unpack(NULL, plain.n, plain.data);

	free(plain.data);
	assert_non_null(trace);
	for (size_t i = 0; i < trace->n_packet; i++) {
		if (trace->packet[i]->stack_sample)
			sum.period += trace->packet[i]->stack_sample->primary_weight;
	}
	perfetto__trace__free_unpacked(trace, NULL);
	return sum;
}

/* Lines of costs begin with a line number. Those after a line of a call are inclusive. */
static struct prof_value read_callgrind(const struct bytes *b)
{
	struct prof_value sum = { .samples = UINT64_MAX };
	bool is_call = false;

	for (char *at = (char *)b->data, *end; *at; at = end + 1) {
		end = strchr(at, '\n');
		assert_non_null(end);
		if (*at >= '0' && *at <= '9') {
			for (strtoull(at, &at, 10); !is_call && at != end;)
				sum.period += strtoull(at, &at, 10);
			is_call = false;
		} else {
			is_call = strncmp(at, "calls=", 6) == 0;
		}
	}
	return sum;
}

/* Decode base64 up to the tag that ends it, in place. Return the number of bytes. */
static size_t decode_base64(char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	size_t n_bits = 0, n = 0;

	for (const char *at = text; *at != '<' && *at != '='; at++) {
		const char *digit = strchr(digits, *at);

		assert_non_null(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			text[n++] = (char)(bits >> n_bits);
		}
	}
	return n;
}

/* Add up the numbers of a column whose kind is varint. */
static uint64_t sum_column(const struct bytes *plain, const char *name)
{
	const char *json = (char *)plain->data + 8;
	uint32_t json_size;
	char key[64];
	uint64_t size, n, sum = 0;

	memcpy(&json_size, plain->data + 4, sizeof(json_size));
	const uint8_t *at = plain->data + 8 + json_size;
	snprintf(key, sizeof(key), "{\"name\":\"%s\",", name);
	const char *found = strstr(json, key);
	const char *column = strstr(json, "\"columns\":[");
	assert_non_null(found);
	for (; (column = strstr(column, "\"size\":")) && column < found; column++)
		at += strtoull(column + 7, NULL, 10);
	assert_int_equal(
		sscanf(found + strlen(key),
			"\"kind\":\"varint\",\"n\":%" SCNu64 ",\"size\":%" SCNu64, &n, &size),
		2);
	for (const uint8_t *end = at + size; at < end;) {
		uint64_t value = 0;
		unsigned shift = 0;

		do
			value |= (uint64_t)(*at & 0x7f) << shift;
		while (shift += 7, *at++ & 0x80);
		sum += value;
	}
	return sum;
}

/* A page has its profile as base64 of a zlib stream in an element. */
static struct prof_value read_html(const struct bytes *b)
{
	char *text = strstr((char *)b->data, "class=\"profile\"");

	assert_non_null(text);
	text = strchr(text, '>') + 1;
	const struct bytes packed = { .data = (uint8_t *)text, .n = decode_base64(text) };
	struct bytes plain = decompress(&packed);
	const struct prof_value sum = {
		.samples = sum_column(&plain, "sample.count"),
		.period = sum_column(&plain, "sample.weight"),
	};
	free(plain.data);
	return sum;
}

/* Single samples. Tables of sums have the same ones. */
static struct prof_value read_sqlite(const struct bytes *b)
{
	sqlite3 *db;
	sqlite3_stmt *query;
	struct prof_value sum;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_deserialize(db, "main", b->data, (sqlite3_int64)b->n,
				 (sqlite3_int64)b->n, SQLITE_DESERIALIZE_READONLY),
		SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
				 "SELECT count(*), total(period), (SELECT total(samples) FROM "
				 "sample_groups), (SELECT total(period) FROM events) FROM samples",
				 -1, &query, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(query), SQLITE_ROW);
	sum.samples = (uint64_t)sqlite3_column_int64(query, 0);
	sum.period = (uint64_t)sqlite3_column_double(query, 1);
	assert_int_equal(sqlite3_column_int64(query, 2), sum.samples);
	assert_int_equal(sqlite3_column_int64(query, 3), sum.period);
	sqlite3_finalize(query);
	sqlite3_close(db);
	return sum;
}

/* Sums of samples and periods in the output; UINT64_MAX if the format does not contain them. */
static const struct {
	const char *format;
	struct prof_value (*read)(const struct bytes *b);
} readers[] = {
	{ "report", read_report },
	{ "pprof", read_pprof },
	{ "otlp", read_otlp },
	{ "otlp-json", read_otlp_json },
	{ "folded", read_folded },
	{ "script", read_script },
	{ "html", read_html },
	{ "firefox", read_firefox },
	{ "perfetto", read_perfetto },
	{ "speedscope", read_speedscope },
	{ "callgrind", read_callgrind },
	{ "perfdata", read_perfdata },
	{ "sqlite", read_sqlite },
};

static struct prof_value read_back(const char *format, const struct bytes *b)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(readers); i++) {
		if (strcmp(readers[i].format, format) == 0)
			return readers[i].read(b);
	}
	fail_msg("nothing here reads the format %s", format);
	return (struct prof_value){ 0 };
}

static struct bytes write_out(const struct profile *profile, const struct out_format *format,
	struct out_write_opts opts, const struct bytes *input)
{
	struct bytes b = { 0 };
	FILE *out = open_memstream((char **)&b.data, &b.n);

	if (format->rereads_input)
		opts.perfdata.file = recording_open(input, NULL);
	assert_ok(format->write(profile, &opts, out));
	fclose(out);
	pd_file_close(opts.perfdata.file);
	return b;
}

static struct prof_value kept_sum(const struct profile *profile)
{
	struct prof_value kept = { 0 };

	for (size_t i = 0; i < profile->events.n; i++) {
		kept.samples += profile->events.data[i].total.samples;
		kept.period += profile->events.data[i].total.period;
	}
	return kept;
}

static void check_sums(const char *format, const struct profile *profile, const struct bytes *b)
{
	struct prof_value read = read_back(format, b);
	struct prof_value kept = kept_sum(profile);

	if (read.samples != UINT64_MAX)
		assert_int_equal(read.samples, kept.samples);
	if (read.period != UINT64_MAX)
		assert_int_equal(read.period, kept.period);
}

/* Write the same profile in messages of few samples, and add them up. */
static void check_messages(
	const struct profile *profile, const struct out_format *format, struct out_write_opts opts)
{
	size_t n;

	opts.message_bytes = 4000;
	struct bytes written = write_out(profile, format, opts, NULL);
	struct prof_value read = read_otlp_messages(&written, opts.message_bytes, &n);
	assert_int_equal(read.samples, kept_sum(profile).samples);
	assert_int_equal(read.period, kept_sum(profile).period);
	assert_true(n > 0 && (n > 1 || written.n < 4010));
	free(written.data);
}

static void choose_name(struct prof_names *list, const char *name)
{
	assert_true(pd_vec_push(&list->items, name));
}

static void choose_number(struct prof_ranges *list, uint32_t number)
{
	const struct pd_number_range range = { number, number };

	assert_true(pd_vec_push(&list->items, range));
}

static struct prof_sample_id last_sample(const struct profile *profile)
{
	return (struct prof_sample_id){ (uint32_t)profile->samples.n - 1 };
}

/* Name of the function that was sampled last. */
static const char *last_function(const struct profile *all)
{
	uint32_t n, n_lines;
	const struct prof_line *lines = NULL;
	const struct prof_frame_id *frames =
		prof_stack(all, prof_sample(all, last_sample(all))->stack, &n);

	if (n)
		lines = prof_frame_lines(all, frames[0], &n_lines);
	if (!lines)
		return "[unknown]";
	return prof_string(all, prof_function(all, lines[n_lines - 1].function)->name);
}

static void choose_pattern(struct prof_patterns *list, const char *text)
{
	struct base_pattern *pattern;

	assert_ok(base_pattern_create(text, &pattern));
	assert_true(pd_vec_push(&list->items, pattern));
}

static void choose(
	struct prof_filter *filter, enum prof_filter_kind kind, const struct profile *all)
{
	const struct prof_sample *last = prof_sample(all, last_sample(all));
	const struct prof_thread *thread = prof_thread(all, last->thread);

	switch (kind) {
	case PROF_FILTER_EVENT:
		choose_name(&filter->events, prof_string(all, prof_event(all, last->event)->name));
		break;
	case PROF_FILTER_TIME:
		assert_ok(prof_time_spans_parse(&filter->times, "10%-30%,60%/1"));
		break;
	case PROF_FILTER_CPU:
		choose_number(&filter->cpus, 0);
		break;
	case PROF_FILTER_PID:
		choose_number(&filter->pids, thread->pid);
		break;
	case PROF_FILTER_TID:
		choose_number(&filter->tids, thread->tid);
		break;
	case PROF_FILTER_COMM:
		choose_name(&filter->comms, prof_string(all, thread->comm));
		break;
	case PROF_FILTER_DSO:
		choose_name(&filter->dsos, prof_string(all, all->binaries.data[0].name));
		break;
	case PROF_FILTER_SYMBOL:
		choose_name(&filter->symbols, last_function(all));
		break;
	/* Hiding frames must not change any sum either. */
	case PROF_FILTER_FOCUS:
		choose_pattern(&filter->focus, "side|f<int|lib");
		choose_pattern(&filter->hide, "^main$|inner");
		break;
	case PROF_FILTER_IGNORE:
		choose_pattern(&filter->ignore, "side|libc");
		choose_pattern(&filter->hide, "a|e|i|o|u");
		break;
	case PROF_FILTER_ROOT:
		choose_name(&filter->roots, last_function(all));
		break;
	case PROF_N_FILTERS:
		break;
	}
}

/* Samples that each filter left out and kept, summed over all recordings. */
static uint64_t n_filtered[PROF_N_FILTERS];
static uint64_t n_kept[PROF_N_FILTERS];

/* perfdata copies a record with all counters of its group, so an event filter does not split it. */
static bool is_copied_whole(
	const char *name, const struct out_format *format, enum prof_filter_kind kind)
{
	return strcmp(name, "group") == 0 && format->rereads_input && kind == PROF_FILTER_EVENT;
}

/* Sum of the periods of all samples, those that filters left out as well. */
static uint64_t whole_period(const struct profile *profile)
{
	uint64_t period = 0;

	for (size_t i = 0; i < profile->values.n; i++)
		period += profile->values.data[i].period;
	for (size_t i = 0; i < PROF_N_FILTERS; i++)
		period += profile->stats.filtered_period[i];
	return period;
}

static void check_format(const struct bytes *b, const char *name, const struct out_format *format,
	enum prof_filter_kind kind, const struct profile *all)
{
	struct out_write_opts opts = {
		.event = prof_no_event(),
		.has_all_events = true,
		.input = "x",
		.jobs = 1,
		.format.text = { .style = PD_STYLE_JSON },
	};
	struct prof_filter filter = { 0 };

	choose(&filter, kind, all);
	struct profile *profile =
		build(b, name, (struct resolve_opts){ .filter = &filter }, format, &opts);
	if (profile) {
		struct bytes written = write_out(profile, format, opts, b);

		assert_true(prof_is_conserved(profile));
		assert_int_equal(profile->stats.n_samples, all->stats.n_samples);
		assert_int_equal(whole_period(profile), whole_period(all));
		if (!is_copied_whole(name, format, kind))
			check_sums(format->name, profile, &written);
		if (format == &out_format_otlp)
			check_messages(profile, format, opts);
		if (kind != PROF_N_FILTERS) {
			n_filtered[kind] += profile->stats.filtered[kind];
			assert_int_equal(profile->stats.filtered[kind], prof_n_filtered(profile));
			n_kept[kind] += profile->stats.n_samples - prof_n_filtered(profile);
		} else {
			assert_int_equal(prof_n_filtered(profile), 0);
		}
		free(written.data);
	}
	prof_filter_deinit(&filter);
	prof_destroy(profile);
}

static void every_format_and_filter_conserves(void **state)
{
	size_t n_formats;
	const struct out_format *const *formats = out_formats(&n_formats);

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(recordings); i++) {
		struct bytes b = testdata_read(recordings[i], "perf.data");
		struct out_write_opts none = { .input = "x" };
		struct profile *all =
			build(&b, recordings[i], (struct resolve_opts){ 0 }, formats[0], &none);

		assert_non_null(all);
		for (size_t f = 0; f < n_formats; f++) {
			/* The plain build lacks formats; parquet writes no stream. */
			if (!formats[f]->write)
				continue;
			/* PROF_N_FILTERS stands for no filter. */
			for (size_t kind = 0; kind <= PROF_N_FILTERS; kind++)
				check_format(&b, recordings[i], formats[f],
					(enum prof_filter_kind)kind, all);
		}
		prof_destroy(all);
		bytes_free(&b);
	}
	for (size_t kind = 0; kind < PROF_N_FILTERS; kind++) {
		if (!n_filtered[kind])
			fail_msg("%s left out nothing",
				prof_filter_name((enum prof_filter_kind)kind));
		assert_true(n_kept[kind] > 0);
	}
}

/* Beyond the limit for events with values of their own, samples have labels instead. */
static void many_events_of_pprof_are_labels(void **state)
{
	const struct out_format *format = out_format_find("pprof");
	const struct out_write_opts opts = { .event = prof_no_event(), .input = "x", .jobs = 1 };

	(void)state;
	for (unsigned int n = PD_LIMIT_PPROF_EVENTS; n <= PD_LIMIT_PPROF_EVENTS + 1; n++) {
		bool is_labelled = n > PD_LIMIT_PPROF_EVENTS;
		struct profile *profile;
		char name[16];

		assert_ok(prof_create(&profile));
		const struct prof_thread thread = made_thread(profile, 7, 7, "comm");
		for (unsigned int i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "event%u", i);
			made_sample(profile, made_event(profile, name, "count"), &thread, "/bin/a",
				i + 1);
		}
		struct bytes written = write_out(profile, format, opts, NULL);
		check_sums("pprof", profile, &written);
		struct bytes plain = decompress(&written);
		Pprof__Profile *p = pprof__profile__unpack(NULL, plain.n, plain.data);
		assert_non_null(p);
		assert_int_equal(p->n_sample, n);
		assert_int_equal(p->n_sample_type, is_labelled ? 2 : 2 * n);
		for (unsigned int i = 0; i < n; i++) {
			const Pprof__Sample *sample = p->sample[i];
			const Pprof__Label *last = sample->label[sample->n_label - 1];

			snprintf(name, sizeof(name), "event%u", i);
			assert_int_equal(sample->n_value, p->n_sample_type);
			if (!is_labelled) {
				assert_string_equal(p->string_table[last->key], "tid");
				continue;
			}
			assert_int_equal(sample->value[1], i + 1);
			assert_string_equal(p->string_table[last->key], "event");
			assert_string_equal(p->string_table[last->str], name);
		}
		pprof__profile__free_unpacked(p, NULL);
		free(plain.data);
		free(written.data);
		prof_destroy(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_events_of_pprof_are_labels),
		cmocka_unit_test(every_format_and_filter_conserves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
