/*
 * Tests of pdconv/profile.h and pdconv/convert.h: they use the public headers only, like programs
 * that link the library.
 */
#include "tests/unit/test_recording.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

#include "base/array.h"
#include "parse/open_file.h"

/* Where the programs of testdata/ are, whose recorded paths do not exist. */
static const char *const program_dirs[] = { "testdata/nested", "testdata/cxx", "testdata/threads",
	"testdata/forkexec", "testdata/fp" };

static struct pd_profile_opts named_opts(void)
{
	struct pd_profile_opts opts = { .jobs = 1 };

	opts.search.no_own_paths = true;
	opts.search.dirs = program_dirs;
	opts.search.n_dirs = PD_ARRAY_LEN(program_dirs);
	return opts;
}

static struct pd_file *open_data(const char *name)
{
	char path[128];
	struct pd_file *file;

	snprintf(path, sizeof(path), "testdata/%s/perf.data", name);
	assert_ok(pd_file_open(path, NULL, &file));
	return file;
}

static struct pd_error *append(void *ctx, const void *data, size_t size)
{
	bytes_add(ctx, data, size);
	return NULL;
}

/* Convert testdata/NAME to @p format. The caller frees the result. */
static struct bytes convert(const char *name, const struct pd_profile_opts *opts,
	const char *format, struct pd_profile_stats *stats)
{
	struct pd_file *file = open_data(name);
	struct bytes out = { 0 };

	assert_ok(pd_convert(file, opts, format, append, &out, stats));
	pd_file_close(file);
	return out;
}

static struct pd_profile *profile_of(
	const char *name, const struct pd_profile_opts *opts, const char *format)
{
	struct pd_file *file = open_data(name);
	struct pd_profile *profile;

	assert_ok(pd_profile_create(file, opts, format, &profile));
	pd_file_close(file);
	return profile;
}

static struct pd_sum sum_of_left_out(const struct pd_profile_stats *stats)
{
	struct pd_sum sum = { 0 };

	for (size_t i = 0; i < PD_N_LEFT_OUT; i++) {
		sum.samples += stats->left_out[i].samples;
		sum.period += stats->left_out[i].period;
	}
	return sum;
}

static uint64_t n_sample_records(const char *name)
{
	struct pd_file *file = open_data(name);
	struct pd_reader *reader;
	struct pd_record rec;
	uint64_t n = 0;

	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	do {
		assert_ok(pd_reader_next(reader, &rec));
		n += rec.bytes && rec.type == PD_RECORD_SAMPLE;
	} while (rec.bytes);
	pd_reader_destroy(reader);
	pd_file_close(file);
	return n;
}

static void every_format_accounts_for_every_sample(void **state)
{
	static const char *const names[] = { "nested", "cxx", "forkexec", "fp", "compressed",
		"parallel", "piped" };
	const struct pd_profile_opts opts = named_opts();
	size_t n_formats = 0;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		uint64_t n = n_sample_records(names[i]);

		for (n_formats = 0; pd_format_name(n_formats); n_formats++) {
			struct pd_profile_stats stats;
			struct bytes out =
				convert(names[i], &opts, pd_format_name(n_formats), &stats);
			struct pd_sum left_out = sum_of_left_out(&stats);

			assert_true(out.n > 0);
			assert_int_equal(stats.in.samples, n);
			assert_int_equal(stats.in.samples, stats.out.samples + left_out.samples);
			assert_int_equal(stats.in.period, stats.out.period + left_out.period);
			assert_int_equal(stats.n_stacks,
				stats.n_complete + stats.n_guessed + stats.n_truncated);
			bytes_free(&out);
		}
	}
	assert_true(n_formats >= 9);
}

/* The first event is shown, and the samples of the others are counted. */
static void samples_that_a_format_does_not_show_are_counted(void **state)
{
	const struct pd_profile_opts opts = named_opts();
	struct pd_profile_stats folded, pprof;
	struct bytes out = convert("group", &opts, "folded", &folded);

	(void)state;
	bytes_free(&out);
	out = convert("group", &opts, "pprof", &pprof);
	bytes_free(&out);
	assert_int_equal(pprof.left_out[PD_LEFT_OUT_OTHER_EVENT].samples, 0);
	assert_int_equal(folded.left_out[PD_LEFT_OUT_OTHER_EVENT].samples, 19);
	assert_int_equal(folded.in.samples, pprof.in.samples);
	assert_int_equal(folded.in.period, pprof.in.period);
	assert_int_equal(folded.out.samples + 19, pprof.out.samples);
}

/* One filter each, by its list in struct pd_filter_opts. */
static struct pd_filter_opts filter_by(enum pd_left_out reason)
{
	static const struct pd_number_range pid = { 32501, 32501 }, cpu = { 4096, 5000 };
	static const char *const comm = "renamed", *const dso = "forkexec",
				 *const symbol = "after_exec", *const any = ".",
				 *const nothing = "no such function", *const event = "cpu-clock",
				 *const time = "10%-50%";
	struct pd_filter_opts filter = { 0 };

	switch (reason) {
	case PD_LEFT_OUT_BY_EVENT:
		filter.events = &event;
		filter.n_events = 1;
		break;
	case PD_LEFT_OUT_BY_TIME:
		filter.times = &time;
		filter.n_times = 1;
		break;
	case PD_LEFT_OUT_BY_CPU:
		filter.cpus = &cpu;
		filter.n_cpus = 1;
		break;
	case PD_LEFT_OUT_BY_PID:
		filter.pids = &pid;
		filter.n_pids = 1;
		break;
	case PD_LEFT_OUT_BY_TID:
		filter.tids = &pid;
		filter.n_tids = 1;
		break;
	case PD_LEFT_OUT_BY_COMM:
		filter.comms = &comm;
		filter.n_comms = 1;
		break;
	case PD_LEFT_OUT_BY_DSO:
		filter.dsos = &dso;
		filter.n_dsos = 1;
		break;
	case PD_LEFT_OUT_BY_SYMBOL:
		filter.symbols = &symbol;
		filter.n_symbols = 1;
		break;
	case PD_LEFT_OUT_BY_FOCUS:
		filter.focus = &nothing;
		filter.n_focus = 1;
		break;
	case PD_LEFT_OUT_BY_IGNORE:
		filter.ignore = &any;
		filter.n_ignore = 1;
		break;
	default:
		filter.roots = &nothing;
		filter.n_roots = 1;
		break;
	}
	return filter;
}

/* Return whether the recording has what the filter needs. */
static bool check_filter(const char *name, enum pd_left_out reason, struct pd_sum all)
{
	struct pd_profile_opts opts = named_opts();
	struct pd_profile_stats stats;
	struct bytes out = { 0 };
	struct pd_file *file = open_data(name);

	opts.filter = filter_by(reason);
	struct pd_error *err = pd_convert(file, &opts, "pprof", append, &out, &stats);
	pd_file_close(file);
	bytes_free(&out);
	if (err) {
		assert_error(
			err, reason == PD_LEFT_OUT_BY_EVENT ? PD_ERROR_NOTHING : PD_ERROR_USAGE);
		return false;
	}
	struct pd_sum left_out = sum_of_left_out(&stats);
	assert_int_equal(left_out.samples, stats.left_out[reason].samples);
	assert_int_equal(stats.out.samples + left_out.samples, all.samples);
	assert_int_equal(stats.out.period + left_out.period, all.period);
	return left_out.samples > 0;
}

static void filters_leave_out_what_they_count(void **state)
{
	static const char *const names[] = { "forkexec", "group", "tracepoints" };

	(void)state;
	for (size_t i = PD_LEFT_OUT_BY_EVENT; i < PD_LEFT_OUT_OTHER_EVENT; i++) {
		bool has_effect = false;

		for (size_t k = 0; k < PD_ARRAY_LEN(names); k++) {
			const struct pd_profile_opts opts = named_opts();
			struct pd_profile_stats all;
			struct bytes out = convert(names[k], &opts, "pprof", &all);

			bytes_free(&out);
			has_effect |= check_filter(names[k], (enum pd_left_out)i, all.out);
		}
		if (!has_effect)
			fail_msg("the filter %s has no effect",
				pd_left_out_name((enum pd_left_out)i));
	}
}

static void reasons_have_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_N_LEFT_OUT; i++)
		assert_true(pd_left_out_name((enum pd_left_out)i)[0]);
	assert_string_equal(pd_left_out_name(PD_LEFT_OUT_UNKNOWN_EVENT), "unknown_event");
	assert_string_equal(pd_left_out_name(PD_LEFT_OUT_BY_COMM), "comms");
	assert_string_equal(pd_left_out_name(PD_LEFT_OUT_OTHER_EVENT), "other_event");
	assert_string_equal(pd_left_out_name(PD_N_LEFT_OUT), "");
}

/* Append a frame without a name: "[libc.so.6]". */
static void fold_unnamed(
	const struct pd_profile *profile, const struct pd_profile_frame *frame, FILE *out)
{
	const char *name, *slash;

	if (frame->kind == PD_FRAME_UNMAPPED) {
		fputs(";[unknown]", out);
		return;
	}
	name = pd_profile_get_binary(profile, frame->binary).name;
	slash = strrchr(name, '/');
	fprintf(out, ";[%s]", slash ? slash + 1 : name);
}

/* Append the functions of a stack, root first, as the format folded has them. */
static void fold_stack(const struct pd_profile *profile, uint32_t stack, FILE *out)
{
	size_t n;
	const uint32_t *frames = pd_profile_get_stack(profile, stack, &n);

	while (n--) {
		struct pd_profile_frame frame = pd_profile_get_frame(profile, frames[n]);

		if (frame.kind == PD_FRAME_TRUNCATED)
			fputs(";[truncated]", out);
		else if (!frame.n_functions)
			fold_unnamed(profile, &frame, out);
		for (uint32_t i = frame.n_functions; i-- > 0;)
			fprintf(out, ";%s", pd_profile_get_function(profile, frames[n], i).name);
	}
}

/* The weight of the line of @p folded that is @p key; 0 if there is none. */
static uint64_t weight_of(const char *folded, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = folded; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

/* Whatever the format folded shows is in the profile, with the same weights. */
static void profiles_have_the_stacks_of_formats(void **state)
{
	static const char *const names[] = { "nested", "forkexec", "fp" };
	const struct pd_profile_opts opts = named_opts();

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		struct bytes folded = convert(names[i], &opts, "folded", NULL);
		struct pd_profile *profile = profile_of(names[i], &opts, NULL);
		uint64_t sum = 0, expected = 0;

		bytes_add(&folded, "", 1);
		for (char *line = (char *)folded.data; *line; line = strchr(line, '\n') + 1)
			expected += strtoull(strchr(line, ' ') + 1, NULL, 10);
		for (uint32_t s = 0; s < pd_profile_n_samples(profile); s++) {
			struct pd_profile_sample sample = pd_profile_get_sample(profile, s);
			char *key;
			size_t len;
			FILE *out = open_memstream(&key, &len);
			assert_non_null(out);

			fputs(pd_profile_get_thread(profile, sample.thread).comm, out);
			fold_stack(profile, sample.stack, out);
			fclose(out);
			assert_true(weight_of((char *)folded.data, key) >= sample.sum.period);
			free(key);
			sum += sample.sum.period;
		}
		assert_true(sum > 0);
		assert_int_equal(sum, expected);
		pd_profile_destroy(profile);
		bytes_free(&folded);
	}
}

static void frames_say_where_they_are(void **state)
{
	const struct pd_profile_opts opts = named_opts();
	struct pd_profile *profile = profile_of("nested", &opts, NULL);
	bool has_source = false;

	(void)state;
	assert_int_equal(pd_profile_n_events(profile), 1);
	assert_string_equal(pd_profile_get_event(profile, 0).name, "cpu-clock:u");
	for (uint32_t i = 0; i < pd_profile_n_frames(profile); i++) {
		struct pd_profile_frame frame = pd_profile_get_frame(profile, i);
		struct pd_profile_binary binary;

		if (frame.kind != PD_FRAME_USER)
			continue;
		binary = pd_profile_get_binary(profile, frame.binary);
		assert_false(binary.is_kernel);
		assert_int_equal(binary.is_found, frame.has_file_offset);
		assert_int_equal(binary.is_found, !binary.why[0]);
		assert_false(frame.is_guessed);
		for (uint32_t k = 0; k < frame.n_functions; k++) {
			struct pd_profile_function function =
				pd_profile_get_function(profile, i, k);

			assert_int_equal(function.is_inlined, k + 1 < frame.n_functions);
			has_source |= strstr(function.file, "nested.c") && function.line > 0;
			assert_true(function.line >= function.start_line);
		}
	}
	assert_true(has_source);
	pd_profile_destroy(profile);
}

static void single_samples_have_times_and_addresses(void **state)
{
	struct pd_profile_opts opts = named_opts();

	(void)state;
	opts.keep_rows = true;
	struct pd_profile *profile = profile_of("forkexec", &opts, NULL);
	uint64_t period = 0, time = 0;
	struct pd_profile_stats stats;

	assert_ok(pd_profile_get_stats(profile, NULL, &stats));
	assert_int_equal(pd_profile_n_rows(profile), stats.out.samples);
	assert_true(pd_profile_n_rows(profile) > 10);
	for (size_t i = 0; i < pd_profile_n_rows(profile); i++) {
		struct pd_profile_row row = pd_profile_get_row(profile, i);
		size_t n;
		uint32_t stack = pd_profile_get_sample(profile, row.sample).stack;
		const uint32_t *frames = pd_profile_get_stack(profile, stack, &n);

		assert_true(row.time >= time && row.time != UINT64_MAX);
		time = row.time;
		period += row.period;
		/*
		 * An address has the same offset in its page of the process and of the file. That
		 * of a caller is the return address in the process.
		 */
		for (size_t k = 0; k < n; k++) {
			struct pd_profile_frame frame = pd_profile_get_frame(profile, frames[k]);

			if (frame.kind == PD_FRAME_USER)
				assert_true((row.pcs[k] - frame.addr) % 4096 <= (k > 0));
		}
	}
	assert_int_equal(period, stats.out.period);
	pd_profile_destroy(profile);
}

static void labels_keep_samples_apart(void **state)
{
	static const char *const labels[] = { "time", "cpu" };
	struct pd_profile_opts opts = named_opts();

	(void)state;
	struct pd_profile *plain = profile_of("forkexec", &opts, NULL);
	assert_int_equal(pd_profile_get_sample(plain, 0).time, UINT64_MAX);
	assert_int_equal(pd_profile_get_sample(plain, 0).cpu, PD_PROFILE_NONE);
	opts.labels = labels;
	opts.n_labels = 2;
	struct pd_profile *apart = profile_of("forkexec", &opts, NULL);
	assert_true(pd_profile_n_samples(apart) > pd_profile_n_samples(plain));
	assert_int_not_equal(pd_profile_get_sample(apart, 0).time, UINT64_MAX);
	pd_profile_destroy(plain);
	pd_profile_destroy(apart);
}

/* A profile for looking is complete enough for some formats, whose output is that of pd_convert(). */
static void profiles_are_written_like_conversions(void **state)
{
	static const char *const all[] = { "pprof", "folded", "callgrind" };
	static const char *const more[] = { "script", "firefox", "html", "speedscope" };
	const struct pd_profile_opts opts = named_opts();
	struct pd_profile *profile = profile_of("cxx", &opts, NULL);

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(all); i++) {
		struct bytes expected = convert("cxx", &opts, all[i], NULL), out = { 0 };

		assert_ok(pd_profile_write(profile, all[i], append, &out));
		assert_int_equal(out.n, expected.n);
		assert_memory_equal(out.data, expected.data, out.n);
		bytes_free(&out);
		bytes_free(&expected);
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(more); i++) {
		struct bytes out = { 0 };

		assert_error(pd_profile_write(profile, more[i], append, &out), PD_ERROR_USAGE);
		struct pd_profile *own = profile_of("cxx", &opts, more[i]);
		assert_ok(pd_profile_write(own, more[i], append, &out));
		pd_profile_destroy(own);
		struct bytes expected = convert("cxx", &opts, more[i], NULL);
		assert_int_equal(out.n, expected.n);
		assert_memory_equal(out.data, expected.data, out.n);
		bytes_free(&out);
		bytes_free(&expected);
	}
	pd_profile_destroy(profile);
}

static const struct pd_error refusal_template = { .code = PD_ERROR_OS };
static struct pd_error refusal;

static struct pd_error *refuse_bytes(void *ctx, const void *data, size_t size)
{
	(void)data;
	(void)size;
	++*(size_t *)ctx;
	return &refusal;
}

struct progress {
	uint64_t done;
	uint64_t total;
	size_t n;
	/* Call that is refused; 0: none. */
	size_t refused;
};

static struct pd_error *note_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct progress *progress = ctx;

	assert_true(done >= progress->done);
	assert_true(!total || done <= total);
	progress->done = done;
	progress->total = total;
	return ++progress->n == progress->refused ? &refusal : NULL;
}

static void errors_of_callbacks_come_back(void **state)
{
	struct pd_profile_opts opts = named_opts();
	struct progress progress = { .refused = 1 };
	size_t n_calls = 0;

	(void)state;
	refusal = refusal_template;
	for (size_t i = 0; pd_format_name(i); i++) {
		struct pd_file *file = open_data("nested");

		n_calls = 0;
		assert_ptr_equal(
			pd_convert(file, &opts, pd_format_name(i), refuse_bytes, &n_calls, NULL),
			&refusal);
		assert_int_equal(n_calls, 1);
		pd_file_close(file);
	}
	opts.on_progress = note_progress;
	opts.progress_ctx = &progress;
	struct pd_file *file = open_data("nested");
	n_calls = 0;
	assert_ptr_equal(pd_convert(file, &opts, "pprof", refuse_bytes, &n_calls, NULL), &refusal);
	assert_int_equal(n_calls, 0);
	assert_int_equal(progress.n, 1);
	pd_file_close(file);
}

static void a_directory_is_not_a_stream(void **state)
{
	const struct pd_profile_opts opts = named_opts();
	struct pd_file *file = open_data("nested");
	struct pd_profile *profile;
	size_t n_calls = 0;

	(void)state;
	assert_error(pd_convert(file, &opts, "parquet", refuse_bytes, &n_calls, NULL),
		PD_ERROR_UNSUPPORTED);
	/* The file was not read. */
	assert_ok(pd_profile_create(file, &opts, NULL, &profile));
	assert_error(
		pd_profile_write(profile, "parquet", refuse_bytes, &n_calls), PD_ERROR_UNSUPPORTED);
	assert_int_equal(n_calls, 0);
	pd_profile_destroy(profile);
	pd_file_close(file);
}

/* Refuses to go on when it is called for the last time that is left. */
static struct pd_error *count_down(void *ctx, uint64_t done, uint64_t total)
{
	size_t *n_left = ctx;

	(void)done;
	(void)total;
	return --*n_left ? NULL : &refusal;
}

static size_t n_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* A thread that was joined may be listed a moment longer. */
static void expect_threads(size_t n)
{
	for (int i = 0; i < 1000 && n_threads() != n; i++)
		usleep(2000);
	assert_int_equal(n_threads(), n);
}

/* Cancel at each call of the callback in turn. Returns the number of calls. */
static size_t cancel_everywhere(const char *name, const char *format, size_t jobs)
{
	struct pd_profile_opts opts = named_opts();
	size_t n_left, n_before = n_threads();

	opts.on_progress = count_down;
	opts.progress_ctx = &n_left;
	opts.jobs = jobs;
	for (size_t n = 1;; n++) {
		struct bytes out = { 0 };
		struct pd_file *file = open_data(name);

		n_left = n;
		struct pd_error *err = pd_convert(file, &opts, format, append, &out, NULL);
		pd_file_close(file);
		expect_threads(n_before);
		assert_true(!err || err == &refusal);
		assert_int_equal(!out.n, !!err);
		bytes_free(&out);
		if (!err)
			return n - 1;
	}
}

static void conversions_are_cancelled_anywhere(void **state)
{
	static const char *const formats[] = { "folded", "script", "html", "perfdata" };

	struct pd_profile_opts opts = named_opts();

	(void)state;
	refusal = refusal_template;
	/* The thread sanitizer starts a thread of its own when the program starts its first one. */
	opts.jobs = 4;
	struct bytes out = convert("cxx", &opts, "folded", NULL);
	bytes_free(&out);
	for (size_t i = 0; i < PD_ARRAY_LEN(formats); i++) {
		/* Before names, which perfdata does not need, and at the end. */
		size_t n_least = i < 3 ? 2 : 1;

		assert_true(cancel_everywhere("nested", formats[i], 1) >= n_least);
		assert_true(cancel_everywhere("cxx", formats[i], 4) >= n_least);
	}
}

static void progress_is_reported_up_to_the_end(void **state)
{
	static const char *const names[] = { "nested", "compressed", "parallel", "piped" };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		struct pd_profile_opts opts = named_opts();
		struct progress progress = { 0 };
		struct bytes out;

		opts.on_progress = note_progress;
		opts.progress_ctx = &progress;
		out = convert(names[i], &opts, "folded", NULL);
		assert_true(progress.done > 1000 && progress.done == progress.total);
		bytes_free(&out);
	}
}

/* Expect a USAGE error for the options. */
static void expect_usage(const struct pd_profile_opts *opts, const char *format)
{
	struct pd_file *file = open_data("nested");
	size_t n_calls = 0;

	assert_error(pd_convert(file, opts, format, refuse_bytes, &n_calls, NULL), PD_ERROR_USAGE);
	assert_int_equal(n_calls, 0);
	pd_file_close(file);
}

/* Options may go when the call returns that got them, with everything that they point to. */
static void options_are_copied(void **state)
{
	struct {
		char title[16], key[16], function[16];
		const char *functions[1], *sort[1];
		struct pd_number_range pids[1];
		struct pd_tag tags[1];
	} *texts = calloc(1, sizeof(*texts));
	struct bytes out = { 0 };
	struct pd_profile_opts opts = {
		.title = strcpy(texts->title, "a title"),
		.filter = { .pids = texts->pids, .n_pids = 1 },
		.tags = texts->tags,
		.n_tags = 1,
		.format.report = { .sort = texts->sort, .n_sort = 1 },
		.format.folded = { .skip_after = texts->functions, .n_skip_after = 1 },
	};

	(void)state;
	texts->pids[0].last = UINT32_MAX;
	texts->tags[0] = (struct pd_tag){ strcpy(texts->key, "key"), "value" };
	texts->functions[0] = strcpy(texts->function, "main");
	texts->sort[0] = "sym";
	struct pd_profile *profile = profile_of("nested", &opts, "report");
	memset(texts, 'x', sizeof(*texts));
	free(texts);
	assert_ok(pd_profile_write(profile, "report", append, &out));
	assert_non_null(memmem(out.data, out.n, "a title", 7));
	bytes_free(&out);
	pd_profile_destroy(profile);
}

static void invalid_options_are_refused(void **state)
{
	static const char *const name = "x", *const bad = "(";
	static const struct pd_number_range range = { 2, 1 };
	struct pd_profile_opts opts = { 0 };

	(void)state;
	expect_usage(NULL, "json");
	expect_usage(NULL, "");
	opts.filter.pids = &range;
	opts.filter.n_pids = 1;
	expect_usage(&opts, "pprof");
	opts = (struct pd_profile_opts){ .filter = { .focus = &bad, .n_focus = 1 } };
	expect_usage(&opts, "pprof");
	opts = (struct pd_profile_opts){ .filter = { .times = &(const char *){ "later" },
						 .n_times = 1 } };
	expect_usage(&opts, "pprof");
	opts = (struct pd_profile_opts){ .filter = { .roots = &name, .n_roots = 1 },
		.no_names = true };
	expect_usage(&opts, "pprof");
	opts = (struct pd_profile_opts){ .labels = &name, .n_labels = 1 };
	expect_usage(&opts, "pprof");
	opts = (struct pd_profile_opts){ .names.form = (enum pd_name_form)4 };
	expect_usage(&opts, "pprof");
	/* Members that this version does not know, of the options and of a group of them. */
	opts = (struct pd_profile_opts){ .reserved[0] = 1 };
	expect_usage(&opts, "pprof");
	opts = (struct pd_profile_opts){
		.format.report.reserved[PD_ARRAY_LEN(opts.format.report.reserved) - 1] = 1
	};
	expect_usage(&opts, "report");
	opts = (struct pd_profile_opts){ .keep_rows = true };
	expect_usage(&opts, "script");
	opts = (struct pd_profile_opts){ .format.perfdata.level = 23 };
	expect_usage(&opts, "perfdata");
	/* The plain build asks no servers. */
	needs_linux();
	opts = (struct pd_profile_opts){ .search = { .debuginfod_urls = "ftp://host" } };
	expect_usage(&opts, "pprof");
}

/* perfdata needs the recording twice: possible from memory, files and folders, not from a pipe. */
static bool is_reported(const struct pd_diag *diag, const char *message)
{
	bool found = false;

	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		char *text = pd_error_string(pd_diag_get(diag, i).first);

		found |= text && strcmp(text, message) == 0;
		free(text);
	}
	return found;
}

/* Reading the memory at address 0 fails with EIO, as reading a damaged disk does. */
static void files_that_cannot_be_read_are_reported(void **state)
{
	struct pd_profile_opts opts = named_opts();

	(void)state;
	opts.search.ignore_vmlinux = true;
	opts.search.kallsyms = "/proc/self/mem";
	struct pd_file *file = open_data("bpf");
	struct bytes out = { 0 };
	assert_ok(pd_convert(file, &opts, "folded", append, &out, NULL));
	assert_true(is_reported(file->diag, "/proc/self/mem: cannot be read: Input/output error"));
	free(out.data);
	pd_file_close(file);
	file = open_data("bpf");
	struct pd_profile *profile;
	assert_ok(pd_profile_create(file, &opts, NULL, &profile));
	assert_true(is_reported(file->diag, "/proc/self/mem: cannot be read: Input/output error"));
	pd_profile_destroy(profile);
	pd_file_close(file);
}

/* Names would be missing otherwise, and nothing would say why. */
static void files_that_are_not_there_are_refused(void **state)
{
	const struct {
		struct pd_search_opts search;
		enum pd_error_code code;
		const char *text;
	} cases[] = {
		{ { .vmlinux = "/no/vmlinux" }, PD_ERROR_OS, "what vmlinux names" },
		{ { .kallsyms = "/no/kallsyms" }, PD_ERROR_OS, "what kallsyms names" },
		{ { .modules = "/no/modules" }, PD_ERROR_OS, "what modules names" },
		{ { .symfs = "/no/root" }, PD_ERROR_OS, "what symfs names" },
		{ { .kernel_dir = "/no/dir" }, PD_ERROR_OS, "what kernel_dir names" },
		{ { .perf_map_dir = "/no/dir" }, PD_ERROR_OS, "what perf_map_dir names" },
		{ { .vmlinux = "/" }, PD_ERROR_USAGE, "vmlinux names a directory" },
		{ { .symfs = "/dev/null" }, PD_ERROR_USAGE, "symfs names no directory" },
	};
	struct pd_file *file = open_data("nested");
	struct bytes out = { 0 };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct pd_profile_opts opts = named_opts();

		opts.search = cases[i].search;
		struct pd_error *err = pd_convert(file, &opts, "folded", append, &out, NULL);
		assert_non_null(err);
		assert_non_null(strstr(err->message, cases[i].text));
		assert_error(err, cases[i].code);
	}
	assert_int_equal(out.n, 0);
	pd_file_close(file);
}

static void streams_are_not_rewritten(void **state)
{
	static const char *const names[] = { "nested", "piped", "parallel" };
	struct pd_file *file;
	int ends[2];

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		const struct pd_profile_opts opts = named_opts();
		struct bytes out = convert(names[i], &opts, "perfdata", NULL);
		struct pd_profile_stats stats, before;
		struct bytes again = { 0 };

		assert_ok(pd_file_open_memory("out", out.data, out.n, NULL, &file));
		assert_ok(pd_convert(file, &opts, "folded", append, &again, &stats));
		pd_file_close(file);
		bytes_free(&again);
		again = convert(names[i], &opts, "folded", &before);
		assert_int_equal(stats.out.samples, before.out.samples);
		assert_int_equal(stats.out.period, before.out.period);
		bytes_free(&again);
		bytes_free(&out);
	}
	struct bytes piped = testdata_read("piped", "perf.data");
	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, (int)piped.n) >= (int)piped.n);
	assert_int_equal(write(ends[1], piped.data, piped.n), piped.n);
	close(ends[1]);
	assert_ok(pd_file_open_fd(ends[0], "pipe", NULL, &file));
	assert_error(pd_convert(file, NULL, "perfdata", append, NULL, NULL), PD_ERROR_UNSUPPORTED);
	bytes_free(&piped);
	struct bytes out = { 0 };
	assert_ok(pd_convert(file, NULL, "folded", append, &out, NULL));
	assert_true(out.n > 0);
	bytes_free(&out);
	pd_file_close(file);
	close(ends[0]);
	file = open_data("nested");
	struct pd_profile *profile;
	assert_error(pd_profile_create(file, NULL, "perfdata", &profile), PD_ERROR_UNSUPPORTED);
	pd_file_close(file);
}

/* A recording that one of several threads converts over and over. */
struct job {
	const char *name;
	const char *format;
	struct bytes expected;
	pthread_t thread;
	size_t n_wrong;
};

static void *run_job(void *arg)
{
	struct job *job = arg;
	struct pd_profile_opts opts = named_opts();

	opts.jobs = 2;
	for (size_t i = 0; i < 5; i++) {
		struct bytes out = convert(job->name, &opts, job->format, NULL);

		job->n_wrong += out.n != job->expected.n ||
				memcmp(out.data, job->expected.data, out.n) != 0;
		bytes_free(&out);
	}
	return NULL;
}

static void threads_convert_different_recordings(void **state)
{
	struct job jobs[] = { { .name = "nested", .format = "report" },
		{ .name = "cxx", .format = "pprof" }, { .name = "forkexec", .format = "html" },
		{ .name = "fp", .format = "perfdata" } };
	const struct pd_profile_opts opts = named_opts();

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(jobs); i++)
		jobs[i].expected = convert(jobs[i].name, &opts, jobs[i].format, NULL);
	for (size_t i = 0; i < PD_ARRAY_LEN(jobs); i++)
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]), 0);
	for (size_t i = 0; i < PD_ARRAY_LEN(jobs); i++) {
		pthread_join(jobs[i].thread, NULL);
		assert_int_equal(jobs[i].n_wrong, 0);
		bytes_free(&jobs[i].expected);
	}
}

/* Convert testdata/nested to text. The caller frees the result. */
static char *text_of(const struct pd_profile_opts *opts, const char *format)
{
	struct bytes out = convert("nested", opts, format, NULL);

	bytes_add(&out, "", 1);
	return (char *)out.data;
}

static void expect_text(const struct pd_profile_opts *opts, const char *format, const char *part)
{
	const struct pd_profile_opts defaults = named_opts();
	char *text = text_of(opts, format), *plain = text_of(&defaults, format);

	assert_non_null(strstr(text, part));
	assert_null(strstr(plain, part));
	free(text);
	free(plain);
}

static void formats_have_the_options_of_the_program(void **state)
{
	static const char *const keys[] = { "sym" }, *const fields[] = { "comm,period" };
	static const char *const sources[] = { "testdata/nested" };
	const struct pd_profile_opts opts = named_opts();
	struct pd_profile_opts changed = opts;

	(void)state;
	changed.format.text.style = PD_STYLE_JSON;
	expect_text(&changed, "report", "\"kind\"");
	changed = opts;
	changed.title = "my title";
	expect_text(&changed, "report", "my title");
	changed = opts;
	changed.format.report.sort = keys;
	changed.format.report.n_sort = 1;
	changed.format.report.limit = 1;
	expect_text(&changed, "report", "more row");
	changed.format.report.limit = PD_REPORT_NO_ROWS;
	char *text = text_of(&changed, "report");
	assert_null(strstr(text, "work"));
	free(text);
	changed = opts;
	changed.format.folded.tid = true;
	expect_text(&changed, "folded", "nested-");
	changed = opts;
	changed.format.script.fields = fields;
	changed.format.script.n_fields = 1;
	changed.format.script.header = true;
	expect_text(&changed, "script", "# hostname :");
	struct bytes plain = convert("nested", &opts, "html", NULL);
	changed = opts;
	changed.format.html.embeds_source = true;
	changed.format.html.source_dirs = sources;
	changed.format.html.n_source_dirs = 1;
	struct bytes page = convert("nested", &changed, "html", NULL);
	assert_true(page.n > plain.n + 500);
	bytes_free(&plain);
	bytes_free(&page);
}

/* Offset of the sample number @p n of a recording. */
static uint64_t offset_of_sample(const struct bytes *b, size_t n)
{
	struct pd_file *file = recording_open(b, NULL);
	struct pd_reader *reader;
	struct pd_record rec;

	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	do {
		assert_ok(pd_reader_next(reader, &rec));
		assert_non_null(rec.bytes);
	} while (rec.type != PD_RECORD_SAMPLE || n--);
	uint64_t offset = rec.offset;
	pd_reader_destroy(reader);
	pd_file_close(file);
	return offset;
}

static void damage_is_counted(void **state)
{
	enum { BEFORE = 5 };
	struct bytes b = file_read("testdata/nested/perf.data"), out = { 0 };
	const struct pd_profile_opts opts = named_opts();
	struct pd_profile_stats whole, stats;

	(void)state;
	struct pd_file *file = recording_open(&b, NULL);
	assert_ok(pd_convert(file, &opts, "folded", append, &out, &whole));
	pd_file_close(file);
	assert_int_equal(whole.n_gaps, 0);
	assert_int_equal(whole.n_after_gaps, 0);
	/* The type and size of a record. */
	memset(b.data + offset_of_sample(&b, BEFORE), 0xff, 8);
	file = recording_open(&b, NULL);
	assert_ok(pd_convert(file, &opts, "folded", append, &out, &stats));
	pd_file_close(file);
	assert_int_equal(stats.n_gaps, 1);
	assert_true(stats.n_gap_bytes > 8);
	assert_true(stats.n_after_gaps > 0);
	assert_true(stats.in.samples >= stats.n_after_gaps);
	assert_true(stats.in.samples < whole.in.samples);
	bytes_free(&b);
	bytes_free(&out);
}

static void profiles_are_merged(void **state)
{
	struct pd_profile_opts opts = named_opts();
	struct pd_profile_stats one, both;
	struct bytes out = { 0 };

	(void)state;
	opts.input = "before";
	struct pd_profile *to = profile_of("nested", &opts, "folded");
	opts.input = "after";
	struct pd_profile *from = profile_of("cxx", &opts, "folded");
	struct pd_profile *other = profile_of("cxx", &opts, "pprof");
	assert_ok(pd_profile_get_stats(to, "folded", &one));
	assert_ok(pd_profile_get_stats(from, "folded", &both));
	uint64_t n = one.out.samples + both.out.samples;
	assert_ok(pd_profile_merge(to, from));
	assert_error(pd_profile_merge(to, other), PD_ERROR_USAGE);
	assert_ok(pd_profile_get_stats(to, "folded", &both));
	assert_int_equal(both.out.samples, n);
	assert_ok(pd_profile_write(to, "folded", append, &out));
	bytes_add(&out, "", 1);
	assert_non_null(strstr((char *)out.data, "nested"));
	assert_non_null(strstr((char *)out.data, "cxx"));
	bytes_free(&out);
	pd_profile_destroy(to);
	pd_profile_destroy(from);
	pd_profile_destroy(other);
}

/* Files, mappings and memory of this process. */
struct usage {
	size_t n_files;
	size_t n_mappings;
	/* Pages in memory that are not of a file. */
	size_t n_pages;
};

static struct usage measure_usage(void)
{
	struct usage usage = { 0 };
	char line[4096];
	size_t n_file_pages;
	FILE *maps = fopen("/proc/self/maps", "r"), *statm = fopen("/proc/self/statm", "r");

	assert_true(maps && statm);
	/* Empty the heap: how much it keeps depends on the order in which threads freed memory. */
	malloc_trim(0);
	while (fgets(line, sizeof(line), maps))
		usage.n_mappings++;
	assert_int_equal(fscanf(statm, "%*u %zu %zu", &usage.n_pages, &n_file_pages), 2);
	usage.n_pages -= n_file_pages;
	fclose(maps);
	fclose(statm);
	DIR *dir = opendir("/proc/self/fd");
	assert_non_null(dir);
	while (readdir(dir))
		usage.n_files++;
	closedir(dir);
	return usage;
}

static void convert_some(size_t n)
{
	static const char *const names[] = { "nested", "cxx", "forkexec", "fp", "piped" };
	static const char *const formats[] = { "pprof", "report", "perfdata", "html" };
	struct pd_profile_opts opts = named_opts();

	for (size_t i = 0; i < n; i++) {
		struct bytes out = convert(names[i % PD_ARRAY_LEN(names)], &opts,
			formats[i % PD_ARRAY_LEN(formats)], NULL);

		assert_true(out.n > 0);
		bytes_free(&out);
	}
}

/* 100 conversions hold as much as one of each kind. Sanitizers keep memory that was freed. */
static void conversions_leave_nothing_behind(void **state)
{
	(void)state;
	convert_some(20);
	struct usage before = measure_usage();
	convert_some(80);
	struct usage after = measure_usage();

	assert_int_equal(after.n_files, before.n_files);
#ifndef PD_SANITIZED
	enum { SLACK_PAGES = 64 };

	print_message("%zu and %zu mappings, %zu and %zu pages\n", before.n_mappings,
		after.n_mappings, before.n_pages, after.n_pages);
	assert_int_equal(after.n_mappings, before.n_mappings);
	assert_true(after.n_pages <= before.n_pages + SLACK_PAGES);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_accounts_for_every_sample),
		cmocka_unit_test(samples_that_a_format_does_not_show_are_counted),
		cmocka_unit_test(filters_leave_out_what_they_count),
		cmocka_unit_test(reasons_have_names),
		cmocka_unit_test(profiles_have_the_stacks_of_formats),
		cmocka_unit_test(frames_say_where_they_are),
		cmocka_unit_test(single_samples_have_times_and_addresses),
		cmocka_unit_test(labels_keep_samples_apart),
		cmocka_unit_test(profiles_are_written_like_conversions),
		cmocka_unit_test(errors_of_callbacks_come_back),
		cmocka_unit_test(a_directory_is_not_a_stream),
		cmocka_unit_test(conversions_are_cancelled_anywhere),
		cmocka_unit_test(progress_is_reported_up_to_the_end),
		cmocka_unit_test(options_are_copied),
		cmocka_unit_test(invalid_options_are_refused),
		cmocka_unit_test(files_that_cannot_be_read_are_reported),
		cmocka_unit_test(files_that_are_not_there_are_refused),
		cmocka_unit_test(streams_are_not_rewritten),
		cmocka_unit_test(formats_have_the_options_of_the_program),
		cmocka_unit_test(damage_is_counted),
		cmocka_unit_test(profiles_are_merged),
		cmocka_unit_test(conversions_leave_nothing_behind),
		cmocka_unit_test(threads_convert_different_recordings),
	};

	/* One heap for all threads: how many they would make depends on what else runs. */
	mallopt(M_ARENA_MAX, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
