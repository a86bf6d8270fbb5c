/* The perfdata format: captured stacks are replaced by call chains, and nothing else changes. */
#include "tests/unit/test_writing.h"

#include <inttypes.h>

#include <pdconv/copy.h>

#include "base/array.h"
#include "resolve/resolve.h"
#include "output/formats.h"
#include "parse/open_file.h"

/* A recording of testdata/, and the folder with its program. */
static const struct recording {
	const char *name;
	const char *program;
} recordings[] = {
	{ "nested", "nested" },
	{ "cxx", "cxx" },
	{ "threads", "threads" },
	{ "forkexec", "forkexec" },
	{ "signal", "signal" },
	{ "fp", "fp" },
	{ "compressed", "nested" },
	{ "piped", "nested" },
	{ "parallel", "threads" },
	{ "group", "group" },
	{ "tracepoints", "tracepoints" },
	{ "deep", "deep" },
	{ "jit", "jit" },
	{ "bpf", "bpf" },
};

enum { N_ALL = PD_ARRAY_LEN(recordings) };

static const char secret[] = "hunter2 is no secret";

static struct pd_file *open_bytes(const struct bytes *b)
{
	return recording_open(b, NULL);
}

/*
 * Read a recording, byteswapped if @p swap. A recording that is a directory is copied into one
 * file.
 */
static struct bytes read_recording(const struct recording *recording, bool swap)
{
	struct pd_copy_opts opts = { .swap = swap };
	struct pd_copy_result result;
	struct pd_file *file;
	char path[256];

	snprintf(path, sizeof(path), "testdata/%s/perf.data", recording->name);
	assert_ok(pd_file_open(path, NULL, &file));
	if (!swap && file->parts.n == 1) {
		pd_file_close(file);
		return file_read(path);
	}
	FILE *out = tmpfile();
	opts.is_pipe = file->is_pipe;
	assert_ok(pd_copy(file, out, "copy", &opts, &result));
	pd_file_close(file);
	return written(out);
}

static struct profile *build(const struct bytes *b, const char *program, struct resolve_opts opts)
{
	struct profile *profile;
	char dir[256];

	snprintf(dir, sizeof(dir), "testdata/%s", program);
	opts.search = (struct sym_search){
		.symfs = "/nonexistent",
		.debug_dirs = dir,
		.buildid_dir = "/nonexistent",
	};
	opts.request.rows = true;
	struct pd_file *file = open_bytes(b);
	assert_ok(resolve_profile(file, &opts, &profile));
	pd_file_close(file);
	return profile;
}

/* Receives warnings of the next output, or NULL. */
static struct pd_diag *receiver;

static void write_to(
	const struct profile *profile, const struct bytes *b, struct out_write_opts opts, FILE *out)
{
	opts.input = "perf.data";
	opts.diag = receiver;
	opts.perfdata.file = open_bytes(b);
	assert_ok(out_format_find("perfdata")->write(profile, &opts, out));
	pd_file_close(opts.perfdata.file);
}

static struct bytes write_profile(
	const struct profile *profile, const struct bytes *b, struct out_write_opts opts)
{
	FILE *out = tmpfile();

	write_to(profile, b, opts, out);
	return written(out);
}

/* Convert the recording @p b to the perfdata format. */
static struct bytes convert(const struct bytes *b, const char *program, struct out_write_opts opts)
{
	struct resolve_opts build_opts = { .jobs = 2 };
	const struct out_write_opts none = { 0 };

	assert_ok(out_format_find("perfdata")->prepare(&none, &build_opts.request));
	build_opts.unwind = opts.unwind;
	struct profile *profile = build(b, program, build_opts);
	struct bytes converted = write_profile(profile, b, opts);
	prof_destroy(profile);
	return converted;
}

static void assert_equal_bytes(const struct bytes *a, const struct bytes *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->data, b->data, a->n);
}

static bool holds(const struct bytes *b, const char *text)
{
	return memmem(b->data, b->n, text, strlen(text));
}

static size_t count_in(const struct bytes *b, uint32_t type)
{
	struct pd_file *file = open_bytes(b);
	size_t n = count_records(file, type);

	pd_file_close(file);
	return n;
}

/*
 * Write the stack of a sample as text, without the frames that only mark truncation or stitching.
 */
static void write_stack(const struct profile *profile, struct prof_sample_id sample, FILE *out)
{
	uint32_t n;
	const struct prof_frame_id *frames =
		prof_stack(profile, prof_sample(profile, sample)->stack, &n);
	char buf[256];

	for (uint32_t i = 0; i < n; i++) {
		const struct prof_frame *frame = prof_frame(profile, frames[i]);
		uint32_t n_lines;
		const struct prof_line *lines = prof_frame_lines(profile, frames[i], &n_lines);

		if (frame->flags & (PROF_FRAME_TRUNCATED | PROF_FRAME_STITCHED))
			continue;
		for (uint32_t k = 0; k < n_lines; k++)
			fprintf(out, "%s;",
				prof_string(
					profile, prof_function(profile, lines[k].function)->name));
		if (!lines)
			fprintf(out, "%s;", prof_unnamed(profile, frame, buf, sizeof(buf)));
	}
}

/*
 * List all samples in time order: time, period, thread, event and stack. The caller frees the text.
 */
static char *list_samples(const struct profile *profile)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < profile->rows.n; i++) {
		const struct prof_row *row = &profile->rows.data[i];
		const struct prof_sample *sample = prof_sample(profile, row->sample);

		fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu32 " %s: ", row->time, row->period,
			prof_thread(profile, sample->thread)->tid,
			prof_string(profile, prof_event(profile, sample->event)->name));
		write_stack(profile, row->sample, out);
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

static char *list_recording(const struct bytes *b, const char *program)
{
	struct profile *profile = build(b, program, (struct resolve_opts){ 0 });
	char *text = list_samples(profile);

	prof_destroy(profile);
	return text;
}

static void assert_same_samples(const struct bytes *a, const struct bytes *b, const char *program)
{
	char *ours = list_recording(a, program);
	char *theirs = list_recording(b, program);

	assert_true(strlen(ours) > 0);
	assert_string_equal(ours, theirs);
	free(ours);
	free(theirs);
}

static bool captures(const struct pd_attr *attr)
{
	return attr->sample_type >> PD_SAMPLE_STACK_USER & 1;
}

static void check_attr(const struct pd_attr *before, const struct pd_attr *after)
{
	if (!captures(before)) {
		assert_memory_equal(before, after, sizeof(*before));
		return;
	}
	assert_false(after->sample_type >> PD_SAMPLE_STACK_USER & 1);
	assert_false(after->sample_type >> PD_SAMPLE_REGS_USER & 1);
	assert_true(after->sample_type >> PD_SAMPLE_CALLCHAIN & 1);
	assert_int_equal(after->sample_regs_user, 0);
	assert_int_equal(after->sample_stack_user, 0);
	assert_false(pd_attr_has(after, PD_ATTR_exclude_callchain_user));
	assert_int_equal(before->config, after->config);
	assert_int_equal(before->sample_period, after->sample_period);
}

/* HEADER_EVENT_DESC contains a second copy of the attrs, which must be edited too. */
static void check_event_desc(const struct pd_file *file)
{
	struct pd_event_desc_entry entry;
	struct pd_event_desc desc;

	if (!pd_file_feature(file, PD_FEATURE_EVENT_DESC, &desc))
		return;
	struct pd_layout_env env = { .attr_size = desc.attr_size };
	struct pd_list_iter iter = pd_list_iter(&desc.events, &env);
	for (size_t i = 0; pd_list_next(&iter, &pd_layout_event_desc_entry, &entry); i++) {
		struct pd_attr attr;

		assert_true(pd_attr_decode(&entry.attr, &attr) > 0);
		/* All attrs of a file have the size of the largest one. */
		attr.size = file->events.list.data[i].attr.size;
		assert_memory_equal(&attr, &file->events.list.data[i].attr, sizeof(attr));
	}
}

static void check_header(const struct bytes *before, const struct bytes *after)
{
	struct pd_file *a = open_bytes(before), *b = open_bytes(after);

	assert_int_equal(a->swap, b->swap);
	/* The features of a stream are known only after its records were read. */
	count_records(a, 0);
	assert_int_equal(a->events.list.n, b->events.list.n);
	for (size_t i = 0; i < a->events.list.n; i++) {
		struct pd_attr attr = a->events.list.data[i].attr;

		attr.size = b->events.list.data[i].attr.size;
		check_attr(&attr, &b->events.list.data[i].attr);
		assert_string_equal(a->events.list.data[i].name, b->events.list.data[i].name);
	}
	check_event_desc(b);
	assert_string_equal(a->text[PD_FEATURE_HOSTNAME], b->text[PD_FEATURE_HOSTNAME]);
	assert_true(b->build_ids.n >= a->build_ids.n);
	pd_file_close(a);
	pd_file_close(b);
}

static void stacks_become_chains(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * N_ALL; i++) {
		const struct recording *recording = &recordings[i / 2];
		struct bytes before = read_recording(recording, i % 2);
		struct bytes after =
			convert(&before, recording->program, (struct out_write_opts){ 0 });
		struct bytes twice =
			convert(&after, recording->program, (struct out_write_opts){ 0 });

		check_header(&before, &after);
		assert_int_equal(
			count_in(&before, PD_RECORD_SAMPLE), count_in(&after, PD_RECORD_SAMPLE));
		assert_same_samples(&before, &after, recording->program);
		assert_equal_bytes(&after, &twice);
		bytes_free(&twice);
		bytes_free(&after);
		bytes_free(&before);
	}
}

/*
 * Compressed records share a file offset, so samples must be identified by their ordinal as well.
 */
static void compression_preserves_all_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * N_ALL; i++) {
		const struct recording *recording = &recordings[i / 2];
		const char *program = recording->program;
		struct bytes before = read_recording(recording, i % 2);
		struct bytes plain = convert(&before, program, (struct out_write_opts){ 0 });
		struct bytes packed = convert(
			&before, program, (struct out_write_opts){ .format.perfdata.level = 3 });
		struct bytes unpacked = convert(&packed, program, (struct out_write_opts){ 0 });

		assert_true(count_in(&packed, PD_RECORD_COMPRESSED) > 0);
		assert_int_equal(count_in(&plain, PD_RECORD_COMPRESSED), 0);
		assert_equal_bytes(&plain, &unpacked);
		bytes_free(&unpacked);
		bytes_free(&packed);
		bytes_free(&plain);
		bytes_free(&before);
	}
}

/* Output that is not seekable, such as a pipe, is written as a stream. */
static void unseekable_output_gets_a_stream(void **state)
{
	const struct out_write_opts none = { 0 };

	(void)state;
	for (size_t i = 0; i < 2 * N_ALL; i++) {
		const struct recording *recording = &recordings[i / 2];
		struct bytes before = read_recording(recording, i % 2);
		struct resolve_opts opts = { 0 };
		FILE *out = tmpfile();

		assert_ok(out_format_find("perfdata")->prepare(&none, &opts.request));
		struct profile *profile = build(&before, recording->program, opts);
		fputc('\n', out);
		write_to(profile, &before,
			(struct out_write_opts){ .format.perfdata.level = i % 3 }, out);
		struct bytes all = written(out);
		const struct bytes after = { .data = all.data + 1, .n = all.n - 1 };

		struct pd_file *file = open_bytes(&after);
		assert_true(file->is_pipe);
		pd_file_close(file);
		check_header(&before, &after);
		assert_same_samples(&before, &after, recording->program);
		prof_destroy(profile);
		bytes_free(&all);
		bytes_free(&before);
	}
}

/* Call @p edit for each sample of the recording in memory. */
static void edit_samples(struct bytes *b, sample_visit *edit)
{
	struct pd_file *file = open_bytes(b);

	for_each_sample(file, edit, NULL);
	pd_file_close(file);
}

/* Overwrite the end of the captured stack, which holds no frame that unwinding needs. */
static void plant_secret(void *ctx, const struct pd_event *event, const struct pd_sample *sample)
{
	const struct pd_view *stack = &sample->stack_user.bytes;

	(void)ctx;
	(void)event;
	assert_true(stack->n > sizeof(secret));
	memcpy((uint8_t *)stack->data + stack->n - sizeof(secret), secret, sizeof(secret));
}

static void no_stack_memory_is_left(void **state)
{
	const struct out_write_opts opts[] = { { .format.perfdata.level = 0 },
		{ .unwind.no_user = true }, { .unwind.no_kernel = true },
		{ .format.perfdata.strip_hostname = true } };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct bytes before = read_recording(&recordings[0], swap);

		edit_samples(&before, plant_secret);
		assert_true(holds(&before, secret));
		for (size_t i = 0; i < PD_ARRAY_LEN(opts); i++) {
			struct bytes after = convert(&before, "nested", opts[i]);

			assert_false(holds(&after, secret));
			assert_true(after.n < before.n / 2);
			bytes_free(&after);
		}
		bytes_free(&before);
	}
}

/* Kept stacks are in addition to the call chain, which does not change. */
static void stacks_are_kept_on_request(void **state)
{
	struct bytes before = read_recording(&recordings[0], false);

	(void)state;
	edit_samples(&before, plant_secret);
	struct bytes plain = convert(&before, "nested", (struct out_write_opts){ 0 });
	struct bytes kept = convert(
		&before, "nested", (struct out_write_opts){ .format.perfdata.keep_stacks = true });
	struct bytes later = convert(&kept, "nested", (struct out_write_opts){ 0 });
	assert_true(holds(&kept, secret));
	assert_true(kept.n > before.n);
	assert_equal_bytes(&plain, &later);
	assert_same_samples(&before, &kept, "nested");
	bytes_free(&later);
	bytes_free(&kept);
	bytes_free(&plain);
	bytes_free(&before);
}

static int n_to_spoil;

/* Make the stack size larger than the record. */
static void spoil(void *ctx, const struct pd_event *event, const struct pd_sample *sample)
{
	uint64_t size = UINT16_MAX;

	(void)ctx;
	(void)event;
	if (n_to_spoil-- > 0)
		memcpy((uint8_t *)sample->stack_user.bytes.data - 8, &size, sizeof(size));
}

static void damaged_samples_are_left_out(void **state)
{
	enum { N_SPOILT = 3, N_SAMPLES = 84 };
	struct bytes before = read_recording(&recordings[0], false);
	struct pd_diag *diag = pd_diag_create();

	(void)state;
	edit_samples(&before, plant_secret);
	n_to_spoil = N_SPOILT;
	edit_samples(&before, spoil);
	receiver = diag;
	struct bytes after = convert(&before, "nested", (struct out_write_opts){ 0 });
	receiver = NULL;
	assert_false(holds(&after, secret));
	assert_int_equal(count_in(&after, PD_RECORD_SAMPLE), N_SAMPLES - N_SPOILT);
	assert_int_equal(pd_diag_n(diag), 1);
	assert_non_null(strstr(diag_text(diag, 0), "3 records left out: damaged"));
	pd_diag_destroy(diag);
	bytes_free(&after);
	bytes_free(&before);
}

static void samples_without_a_row_are_left_out(void **state)
{
	const struct out_write_opts none = { 0 };
	struct resolve_opts opts = { 0 };

	(void)state;
	assert_ok(out_format_find("perfdata")->prepare(&none, &opts.request));
	for (size_t i = 0; i < N_ALL; i++) {
		struct bytes before = read_recording(&recordings[i], false);
		struct profile *profile = build(&before, recordings[i].program, opts);
		size_t n = profile->uncounted.n;

		profile->rows.n = profile->origins.n = 0;
		struct bytes after = write_profile(profile, &before, (struct out_write_opts){ 0 });
		assert_int_equal(count_in(&after, PD_RECORD_SAMPLE), n);
		prof_destroy(profile);
		bytes_free(&after);
		bytes_free(&before);
	}
}

/* Add a sample with a counter value, a recorded kernel call chain and @p size bytes of stack. */
static void write_stack_sample(struct pd_writer *writer, const struct pd_plan *plan, bool swap,
	uint64_t time, uint64_t count, size_t size)
{
	static uint8_t stack[UINT16_MAX];
	const uint64_t chain[] = { PD_CONTEXT_KERNEL, 0xffffffff81000000 };
	const uint64_t read[] = { count, 11 };
	const struct pd_sample sample = {
		.pid = 7,
		.tid = 7,
		.id = 11,
		.time = time,
		.period = 1,
		.read = { .data = (const uint8_t *)read, .elem_size = 1, .n = sizeof(read) },
		.callchain = { .data = (const uint8_t *)chain, .elem_size = 8, .n = 2 },
		.stack_user = { { .data = stack, .elem_size = 1, .n = size }, size, size },
	};
	struct pd_bytes out = { .swap = swap };

	memcpy(stack, secret, sizeof(secret));
	assert_true(pd_sample_encode(plan, PD_MISC_KERNEL, &sample, &out));
	assert_ok(pd_writer_add_records(writer, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

static struct bytes make_group(bool swap, size_t size)
{
	static const uint64_t ids[] = { 11 };
	struct pd_attr attr = written_attr();
	struct pd_plan plan;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, false, swap);

	attr.sample_type |= 1 << PD_SAMPLE_READ | 1 << PD_SAMPLE_CALLCHAIN |
			    1 << PD_SAMPLE_REGS_USER | 1 << PD_SAMPLE_STACK_USER;
	attr.read_format = PD_READ_ID;
	attr.flags |= (uint64_t)1 << PD_ATTR_exclude_callchain_user;
	attr.sample_regs_user = 0xff0fff;
	attr.sample_stack_user = 4096;
	pd_plan_compile(&attr, &plan);
	assert_ok(pd_writer_add_event(writer, &attr, ids, 1));
	write_stack_sample(writer, &plan, swap, 1, 5, 64);
	write_stack_sample(writer, &plan, swap, 2, 5, size);
	write_stack_sample(writer, &plan, swap, 3, 9, 64);
	writer_close(writer);
	return written(out);
}

static int n_kernel_chains;

static void count_kernel_chain(
	void *ctx, const struct pd_event *event, const struct pd_sample *sample)
{
	(void)ctx;
	(void)event;
	assert_int_equal(sample->callchain.n, 2);
	n_kernel_chains++;
}

static void samples_without_a_count_are_kept(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct bytes before = make_group(swap, 64);
		struct bytes after = convert(&before, "nested", (struct out_write_opts){ 0 });

		n_kernel_chains = 0;
		edit_samples(&after, count_kernel_chain);
		assert_int_equal(n_kernel_chains, 3);
		assert_false(holds(&after, secret));
		bytes_free(&after);
		bytes_free(&before);
	}
}

static void parts_of_chains_are_left_out_on_request(void **state)
{
	struct bytes before = make_group(false, 64);
	struct bytes after =
		convert(&before, "nested", (struct out_write_opts){ .unwind.no_kernel = true });
	struct pd_file *file = open_bytes(&after);

	(void)state;
	/* Each sample shrinks by two chain entries of 8 bytes, in addition to its stack. */
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 3);
	pd_file_close(file);
	assert_true(after.n + 3 * 16 < before.n);
	bytes_free(&after);
	after = convert(&before, "nested", (struct out_write_opts){ .unwind.no_user = true });
	n_kernel_chains = 0;
	edit_samples(&after, count_kernel_chain);
	assert_int_equal(n_kernel_chains, 3);
	bytes_free(&after);
	bytes_free(&before);
}

static void samples_that_become_too_large_are_reported(void **state)
{
	struct bytes before = read_recording(&recordings[0], false);
	struct pd_diag *diag = pd_diag_create();
	struct resolve_opts opts = { 0 };
	const struct out_write_opts none = { 0 };
	size_t n_rows = 0;

	(void)state;
	assert_ok(out_format_find("perfdata")->prepare(&none, &opts.request));
	struct profile *profile = build(&before, "nested", opts);
	uint64_t *huge = calloc(UINT16_MAX, sizeof(*huge));
	struct prof_pcs_id chain = prof_add_pcs(profile, huge, UINT16_MAX / sizeof(*huge));
	for (; n_rows < 2; n_rows++)
		profile->origins.data[n_rows].chain = chain;
	receiver = diag;
	struct bytes after = write_profile(profile, &before, (struct out_write_opts){ 0 });
	receiver = NULL;
	assert_int_equal(count_in(&after, PD_RECORD_SAMPLE), profile->rows.n - n_rows);
	assert_non_null(strstr(diag_text(diag, 0), "2 records left out: too large for a record"));
	free(huge);
	prof_destroy(profile);
	pd_diag_destroy(diag);
	bytes_free(&after);
	bytes_free(&before);
}

static void host_and_command_are_left_out_on_request(void **state)
{
	const struct out_write_opts strip = { .format.perfdata = { .strip_hostname = true,
						      .strip_cmdline = true } };

	(void)state;
	for (size_t i = 0; i < N_ALL; i++) {
		struct bytes before = read_recording(&recordings[i], false);
		struct bytes after = convert(&before, recordings[i].program, strip);
		struct pd_file *file = open_bytes(&after);

		assert_null(file->text[PD_FEATURE_HOSTNAME]);
		assert_int_equal(file->cmdline.n, 0);
		assert_non_null(file->text[PD_FEATURE_OSRELEASE]);
		pd_file_close(file);
		bytes_free(&after);
		bytes_free(&before);
	}
}

/* `perf record -z` writes no build ids. */
static void missing_build_ids_are_added(void **state)
{
	const struct recording *recording = &recordings[6];

	(void)state;
	assert_string_equal(recording->name, "compressed");
	for (int swap = 0; swap < 2; swap++) {
		struct bytes before = read_recording(recording, swap);
		struct bytes after =
			convert(&before, recording->program, (struct out_write_opts){ 0 });
		struct pd_file *file = open_bytes(&before);

		assert_int_equal(file->build_ids.n, 0);
		pd_file_close(file);
		file = open_bytes(&after);
		assert_int_equal(file->build_ids.n, 1);
		assert_non_null(strstr(file->build_ids.data[0].name, "/nested"));
		assert_int_equal(file->build_ids.data[0].id.len, 20);
		assert_int_equal(file->build_ids.data[0].pid, -1);
		pd_file_close(file);
		bytes_free(&after);
		bytes_free(&before);
	}
}

static void output_does_not_depend_on_threads(void **state)
{
	const struct out_write_opts none = { 0 };
	struct bytes before = read_recording(&recordings[1], false);
	struct bytes results[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct resolve_opts opts = { 0 };

		assert_ok(out_format_find("perfdata")->prepare(&none, &opts.request));
		opts.jobs = 1 + 3 * i;
		struct profile *profile = build(&before, "cxx", opts);
		results[i] = write_profile(profile, &before, (struct out_write_opts){ 0 });
		prof_destroy(profile);
	}
	assert_equal_bytes(&results[0], &results[1]);
	bytes_free(&results[0]);
	bytes_free(&results[1]);
	bytes_free(&before);
}

/* Overwrite random bytes, often in the header, and sometimes truncate the recording. */
static void mutate(struct bytes *b, uint64_t *random)
{
	size_t n = 1 + random_next(random) % 8;
	size_t range = random_next(random) % 2 && b->n > 600 ? 600 : b->n;

	while (n--)
		b->data[random_next(random) % range] = (uint8_t)random_next(random);
	if (random_next(random) % 8 == 0)
		b->n = 1 + random_next(random) % b->n;
}

static struct pd_error *convert_hostile(
	const struct bytes *b, struct out_write_opts opts, FILE *out)
{
	struct resolve_opts build_opts = { .search = { .symfs = "/nonexistent",
						   .buildid_dir = "/nonexistent" } };
	struct profile *profile = NULL;
	struct pd_file *file;
	struct pd_error *err = pd_file_open_memory("hostile", b->data, b->n, NULL, &file);

	if (err)
		return err;
	assert_ok(out_format_find("perfdata")->prepare(&opts, &build_opts.request));
	err = resolve_profile(file, &build_opts, &profile);
	pd_file_close(file);
	if (err)
		return err;
	opts.perfdata.file = open_bytes(b);
	err = out_format_find("perfdata")->write(profile, &opts, out);
	pd_file_close(opts.perfdata.file);
	prof_destroy(profile);
	return err;
}

/* Conversion may fail, but output that was written without an error is readable. */
static void mutated_recordings_give_readable_output(void **state)
{
	enum { N_MUTATIONS = 20 };
	uint64_t random = 0x9e3779b97f4a7c15;

	(void)state;
	for (size_t i = 0; i < N_ALL * N_MUTATIONS; i++) {
		struct bytes b = read_recording(&recordings[i / N_MUTATIONS], i % 2);
		FILE *out = tmpfile();

		mutate(&b, &random);
		struct pd_error *err = convert_hostile(
			&b, (struct out_write_opts){ .format.perfdata.level = i % 4 == 3 }, out);
		struct bytes after = written(out);
		if (!err)
			pd_file_close(open_bytes(&after));
		pd_error_destroy(err);
		bytes_free(&after);
		bytes_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_become_chains),
		cmocka_unit_test(compression_preserves_all_samples),
		cmocka_unit_test(unseekable_output_gets_a_stream),
		cmocka_unit_test(no_stack_memory_is_left),
		cmocka_unit_test(stacks_are_kept_on_request),
		cmocka_unit_test(damaged_samples_are_left_out),
		cmocka_unit_test(samples_without_a_row_are_left_out),
		cmocka_unit_test(samples_without_a_count_are_kept),
		cmocka_unit_test(parts_of_chains_are_left_out_on_request),
		cmocka_unit_test(samples_that_become_too_large_are_reported),
		cmocka_unit_test(host_and_command_are_left_out_on_request),
		cmocka_unit_test(missing_build_ids_are_added),
		cmocka_unit_test(output_does_not_depend_on_threads),
		cmocka_unit_test(mutated_recordings_give_readable_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
