/* perf.data files: what is in them, cut anywhere, damaged anywhere, never finished. */
#include "parse/open_file.h"
#include "tests/unit/test_recording.h"

#include <pdconv/cursor.h>
#include <pdconv/reader.h>

#include "resolve/resolve.h"
#include "symbolize/binary.h"

struct counts {
	size_t records;
	size_t samples;
	size_t bad_samples;
	uint64_t period;
};

static void count_sample(const struct pd_file *file, const struct pd_record *rec, struct counts *c)
{
	const struct pd_event *event = pd_events_find(&file->events, rec);
	struct pd_sample s;
	const char *field;

	c->samples++;
	if (!event || pd_sample_decode(&event->plan, rec, &s, &field) != PD_SAMPLE_OK) {
		c->bad_samples++;
		return;
	}
	c->period += s.period;
	/* The last byte of a view is the one that may be outside. */
	if (s.stack_user.bytes.n)
		assert_true(
			s.stack_user.bytes.data + s.stack_user.bytes.n <= rec->bytes + rec->size);
	if (s.callchain.n)
		(void)pd_load_u64(s.callchain.data + 8 * (s.callchain.n - 1), file->swap);
}

/* Read all records and decode what can be decoded. */
static struct counts read_all(struct pd_file *file)
{
	struct counts c = { 0 };
	struct pd_reader *reader;
	struct pd_record rec;

	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	for (;;) {
		union pd_body body;
		const char *wrong;

		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		c.records++;
		assert_true(rec.size >= PD_RECORD_HEADER_BYTES);
		if (rec.type == PD_RECORD_SAMPLE)
			count_sample(file, &rec, &c);
		else if (pd_layout_find(rec.type, rec.misc) &&
			 pd_record_decode(&rec, 0, &body, &wrong))
			c.records += 0; /* only check that decoding succeeds or fails cleanly */
	}
	pd_reader_destroy(reader);
	return c;
}

/* Open a copy of exactly @p n bytes and read it; errors are fine. Returns whether it was opened. */
static bool survives(const void *data, size_t n, struct counts *ret)
{
	uint8_t *copy = malloc(n + !n);
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = NULL;
	struct pd_error *err;

	assert_non_null(copy);
	memcpy(copy, data, n);
	err = pd_file_open_memory("damaged", copy, n, diag, &file);
	if (err) {
		assert_true(err->code == PD_ERROR_FORMAT || err->code == PD_ERROR_UNSUPPORTED);
		assert_true(strlen(err->message) > 0);
	} else {
		*ret = read_all(file);
	}
	pd_file_close(file);
	pd_diag_destroy(diag);
	pd_error_destroy(err);
	free(copy);
	return !err;
}

/* perf 6.1 does not look into records that it compresses: no times of samples, no build ids. */
static bool is_compressed(size_t i)
{
	return strcmp(recording_names[i], "compressed") == 0;
}

static void header_fields_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct bytes b = testdata_read(recording_names[i], "perf.data");
		struct pd_diag *diag = pd_diag_create();
		struct pd_file *file;

		assert_ok(pd_file_open_memory(recording_names[i], b.data, b.n, diag, &file));
		assert_int_equal(pd_diag_n(diag), 0);
		assert_false(file->is_unfinished);
		assert_false(file->swap);
		assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "recorder");
		assert_string_equal(file->text[PD_FEATURE_ARCH], "x86_64");
		assert_int_equal(strncmp(file->text[PD_FEATURE_VERSION], "6.1", 3), 0);
		assert_true(file->cmdline.n > 6);
		assert_string_equal(file->cmdline.data[1], "record");
		assert_int_equal(strncmp(file->cmdline.data[file->cmdline.n - 1], "./", 2), 0);
		if (!is_compressed(i)) {
			assert_true(file->first_sample_ns > 0);
			assert_true(file->last_sample_ns > file->first_sample_ns);
		}

		assert_int_equal(file->events.list.n, 1);
		assert_string_equal(file->events.list.data[0].name, "cpu-clock:u");
		const struct pd_event *event = &file->events.list.data[0];
		assert_true(event->ids.n >= 1);
		for (size_t k = 0; k < event->ids.n; k++)
			assert_ptr_equal(pd_events_by_id(&file->events, event->ids.data[k]), event);
		assert_true(file->feature[PD_FEATURE_EVENT_DESC].is_present);
		assert_int_equal(file->feature[PD_FEATURE_COMPRESSED].is_present, is_compressed(i));
		pd_file_close(file);
		pd_diag_destroy(diag);
		bytes_free(&b);
	}
}

/* The recorded build id of a binary is that of the file next to the recording. */
static void build_ids_are_those_of_the_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		const char *name = recording_names[i];
		struct bytes b = testdata_read(name, "perf.data");
		struct pd_file *file;
		char recorded[128], path[128];

		if (is_compressed(i)) {
			bytes_free(&b);
			continue;
		}
		assert_ok(pd_file_open_memory(name, b.data, b.n, NULL, &file));
		snprintf(recorded, sizeof(recorded), "/tmp/pdconv-testdata/%s", name);
		const struct pd_build_id *id = pd_file_build_id(file, recorded, PD_MISC_USER);
		assert_non_null(id);
		assert_int_equal(id->len, 20);
		assert_null(pd_file_build_id(file, recorded, PD_MISC_KERNEL));
		assert_null(pd_file_build_id(file, "/no/such/file", PD_MISC_USER));

		struct sym_search search = { .symfs = "testdata" };
		struct sym_binary *binary;
		snprintf(path, sizeof(path), "/%s/%s", name, name);
		struct sym_recorded what = { .name = path, .id = *id };
		assert_ok(sym_binary_open(&search, &what, &binary));
		assert_int_equal(sym_binary_status(binary), SYM_FOUND);
		assert_true(pd_build_id_equal(sym_binary_build_id(binary), id));
		sym_binary_destroy(binary);
		pd_file_close(file);
		bytes_free(&b);
	}
}

static void truncation_anywhere_is_harmless(void **state)
{
	enum { DENSE = 400, STEPS = 250 };

	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct bytes b = testdata_read(recording_names[i], "perf.data");
		struct counts c = { 0 }, whole;
		size_t most = 0;

		assert_true(survives(b.data, b.n, &whole));
		assert_true(whole.samples > 40);
		assert_int_equal(whole.bad_samples, 0);
		for (size_t n = 0; n < DENSE; n++) {
			bool opened = survives(b.data, n, &c);

			/* The attr ends with its ids at 0x100 or later. */
			assert_true(!opened || n > FILE_HEADER_BYTES);
		}
		for (size_t n = DENSE; n < b.n; n += b.n / STEPS | 1) {
			assert_true(survives(b.data, n, &c));
			assert_int_equal(c.bad_samples, 0);
			/*
			 * Everything before the end of a truncated file is read, so a longer part
			 * never has fewer samples.
			 */
			assert_true(c.samples >= most);
			most = c.samples;
		}
		assert_true(most > whole.samples / 2);
		bytes_free(&b);
	}
}

static void damage(struct bytes *b, uint64_t *random)
{
	size_t n_flips = 1 + random_next(random) % 8;

	for (size_t i = 0; i < n_flips; i++) {
		/*
		 * Every second change is where the structure of the file is: in the header, or in
		 * the features at the end.
		 */
		uint64_t r = random_next(random);
		size_t at = r / 8 % b->n;

		if (r % 4 == 0)
			at = r / 8 % 512;
		else if (r % 4 == 1)
			at = b->n - 1 - r / 8 % 4096;
		b->data[at] = (uint8_t)random_next(random);
	}
}

/* Damage record headers and the starts of bodies, which random offsets hardly ever hit. */
static void damage_records(struct bytes *b, uint64_t *random)
{
	uint64_t at = load64(b, AT_DATA_OFFSET);
	uint64_t end = at + load64(b, AT_DATA_SIZE);

	while (at + 8 <= end) {
		size_t size = b->data[at + 6] | (size_t)b->data[at + 7] << 8;
		uint64_t r = random_next(random);

		if (r % 16 == 0)
			b->data[at + r / 16 % 48] = (uint8_t)(r >> 32);
		if (size < 8)
			return;
		at += size;
	}
}

static void convert(const struct bytes *b, const char *name)
{
	char dirs[128];
	struct resolve_opts opts = {
		.search = { .symfs = "/nonexistent", .debug_dirs = dirs },
		.jobs = 2,
	};
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = NULL;
	struct profile *profile = NULL;

	snprintf(dirs, sizeof(dirs), "testdata/%s", name);
	struct pd_error *err = pd_file_open_memory(name, b->data, b->n, diag, &file);
	if (!err)
		err = resolve_profile(file, &opts, &profile);
	if (!err)
		assert_true(prof_is_conserved(profile));
	prof_destroy(profile);
	pd_file_close(file);
	pd_diag_destroy(diag);
	pd_error_destroy(err);
}

static void damage_is_survived(void **state)
{
	enum { TRIES = 300, CONVERTED_EVERY = 5 };
	uint64_t random = 0x9e3779b97f4a7c15U;

	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct bytes b = testdata_read(recording_names[i], "perf.data");
		struct bytes copy = { 0 };

		for (size_t try = 0; try < TRIES; try++) {
			struct counts c;

			copy.n = 0;
			bytes_add(&copy, b.data, b.n);
			if (try % 2)
				damage(&copy, &random);
			else
				damage_records(&copy, &random);
			survives(copy.data, copy.n, &c);
			if (try % CONVERTED_EVERY == 0)
				convert(&copy, recording_names[i]);
		}
		bytes_free(&copy);
		bytes_free(&b);
	}
}

/* A recorder that was killed leaves data.size 0, and no features. */
static void an_unfinished_recording_is_read_to_its_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct bytes b = testdata_read(recording_names[i], "perf.data");
		struct pd_diag *diag = pd_diag_create();
		struct counts whole, found;
		struct pd_file *file;

		assert_true(survives(b.data, b.n, &whole));
		b.n = load64(&b, AT_DATA_OFFSET) + load64(&b, AT_DATA_SIZE);
		patch64(&b, AT_DATA_SIZE, 0);
		assert_ok(pd_file_open_memory("killed", b.data, b.n, diag, &file));
		assert_true(file->is_unfinished);
		assert_int_equal(file->events.list.n, 1);
		/*
		 * The event has no recorded name, so its name is derived from the attr, as in perf.
		 */
		assert_string_equal(file->events.list.data[0].name, "cpu-clock:uH");
		assert_null(file->text[PD_FEATURE_HOSTNAME]);
		assert_int_equal(file->build_ids.n, 0);
		found = read_all(file);
		assert_int_equal(found.records, whole.records);
		assert_int_equal(found.samples, whole.samples);
		assert_int_equal(found.period, whole.period);
		assert_int_equal(pd_diag_n(diag), 1);
		assert_non_null(strstr(diag_text(diag, 0), "interrupted"));
		pd_file_close(file);
		pd_diag_destroy(diag);
		bytes_free(&b);
	}
}

static void expect_refusal(const void *data, size_t n, enum pd_error_code code, const char *message)
{
	struct pd_file *file;
	struct pd_error *err = pd_file_open_memory("refused", data, n, NULL, &file);

	assert_non_null(err);
	assert_int_equal(err->code, code);
	if (!strstr(err->message, message))
		fail_msg("\"%s\" does not say \"%s\"", err->message, message);
	assert_string_equal(err->path, "refused");
	pd_error_destroy(err);
}

static void other_files_are_rejected(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_sample(&b, 1, 100);
	recording_end(&b);
	expect_refusal("", 0, PD_ERROR_FORMAT, "empty");
	expect_refusal("PERFILE2", 8, PD_ERROR_FORMAT, "not a perf.data file");
	expect_refusal("This is a text file, of two lines.\nNot more.\n", 45, PD_ERROR_FORMAT,
		"not a perf.data file");
	expect_refusal(b.data, 71, PD_ERROR_FORMAT, "ends in its header");
	expect_refusal(b.data, 150, PD_ERROR_FORMAT, "outside the file");
	patch64(&b, AT_ATTR_SIZE, 0);
	expect_refusal(b.data, b.n, PD_ERROR_FORMAT, "never finished");
	patch64(&b, AT_ATTR_SIZE, UINT64_MAX - 7);
	expect_refusal(b.data, b.n, PD_ERROR_FORMAT, "invalid attr size");
	patch64(&b, AT_ATTR_SIZE, BUILT_ATTR_BYTES + 16);
	patch64(&b, AT_ATTRS, UINT64_MAX - 8);
	expect_refusal(b.data, b.n, PD_ERROR_FORMAT, "outside the file");
	patch64(&b, AT_ATTRS, FILE_HEADER_BYTES);
	patch64(&b, AT_ATTRS + 8, 0);
	expect_refusal(b.data, b.n, PD_ERROR_FORMAT, "no events");
	patch64(&b, AT_ATTRS + 8, BUILT_ATTR_BYTES + 16);
	patch64(&b, AT_DATA_OFFSET, UINT64_MAX);
	expect_refusal(b.data, b.n, PD_ERROR_FORMAT, "past the end");
	patch64(&b, AT_DATA_OFFSET, BUILT_DATA_OFFSET);
	b.data[0] = 'Q';
	expect_refusal(b.data, b.n, PD_ERROR_FORMAT, "not a perf.data file");
	b.data[0] = 'P';
	bytes_free(&b);
}

static void a_minimal_recording_is_read(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	for (uint64_t i = 0; i < 5; i++)
		add_sample(&b, 7, 100 - i);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	assert_string_equal(file->events.list.data[0].name, "cpu-clock:HG");
	struct counts c = read_all(file);
	assert_int_equal(c.records, 5);
	assert_int_equal(c.samples, 5);
	assert_int_equal(c.period, 5 * 4000);
	pd_file_close(file);
	bytes_free(&b);
}

/* Beyond the features that perf has today, and outside the file. */
static void invalid_features_are_skipped(void **state)
{
	struct bytes b = { 0 };
	struct pd_diag *diag = pd_diag_create();

	(void)state;
	recording_begin(&b);
	add_sample(&b, 7, 100);
	recording_end(&b);
	patch64(&b, AT_FEATURES, 1 << PD_FEATURE_HOSTNAME | 1 << PD_FEATURE_ARCH);
	patch64(&b, AT_FEATURES + 24, (uint64_t)1 << 63); /* bit 255 */
	size_t table = b.n;
	for (size_t i = 0; i < 6; i++)
		u64(&b, 0);
	patch64(&b, table, b.n);
	patch64(&b, table + 8, 4 + 8);
	u32(&b, 8);
	bytes_add(&b, "recorder", 8); /* without its NUL */
	patch64(&b, table + 16, UINT64_MAX - 3);
	patch64(&b, table + 24, 16);
	patch64(&b, table + 32, table);
	patch64(&b, table + 40, 16);

	struct pd_file *file = recording_open(&b, diag);
	assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "recorder");
	assert_null(file->text[PD_FEATURE_ARCH]);
	assert_false(file->feature[PD_FEATURE_ARCH].is_present);
	assert_true(file->feature[255].is_present);
	assert_int_equal(pd_diag_n(diag), 1);
	assert_non_null(strstr(diag_text(diag, 0), "ARCH: feature section is outside"));
	assert_int_equal(read_all(file).samples, 1);
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_fields_are_read),
		cmocka_unit_test(build_ids_are_those_of_the_programs),
		cmocka_unit_test(truncation_anywhere_is_harmless),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(an_unfinished_recording_is_read_to_its_end),
		cmocka_unit_test(other_files_are_rejected),
		cmocka_unit_test(a_minimal_recording_is_read),
		cmocka_unit_test(invalid_features_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
