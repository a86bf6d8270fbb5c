/* Stored profiles: the same output as before, and no harm from damaged ones. */
#include "tests/unit/test_recording.h"

#include "base/array.h"
#include "output/formats.h"
#include "profile/store.h"
#include "resolve/resolve.h"

static const char *const format_names[] = { "report", "pprof", "folded", "script" };

/* Options that fill all parts of a profile. */
static struct resolve_opts all_parts(void)
{
	struct resolve_opts opts = {
		.request = { .rows = true,
			.frame_offsets = true,
			.edges = true,
			.code = true,
			.tags = (1 << PROF_N_TAGS) - 1 },
		.list_files = true,
		.input = "input",
	};

	for (size_t kind = 0; kind < PROF_N_EVENT_KINDS; kind++)
		opts.request.details[kind] = UINT32_MAX;
	return opts;
}

static struct profile *build(const char *name, struct resolve_opts opts)
{
	char dir[64];
	struct bytes b = testdata_read(name, "perf.data");
	struct pd_file *file = recording_open(&b, NULL);
	struct profile *profile;

	snprintf(dir, sizeof(dir), "testdata/%s", name);
	opts.search = (struct sym_search){
		.symfs = "/nonexistent",
		.debug_dirs = dir,
		.buildid_dir = "/nonexistent",
	};
	assert_ok(resolve_profile(file, &opts, &profile));
	pd_file_close(file);
	bytes_free(&b);
	return profile;
}

static struct bytes encode(const struct profile *profile)
{
	struct bytes b = { .n = prof_store_size(profile) };

	b.cap = b.n;
	b.data = malloc(b.n);
	assert_non_null(b.data);
	prof_store_encode(profile, b.data);
	return b;
}

static struct bytes write_format(const struct profile *profile, const char *format)
{
	const struct out_write_opts opts = {
		.event = prof_no_event(),
		.has_all_events = true,
		.input = "perf.data",
		.format.report = { .limit = SIZE_MAX },
	};
	struct bytes b = { 0 };
	FILE *out = open_memstream((char **)&b.data, &b.n);

	assert_non_null(out);
	assert_ok(out_format_find(format)->write(profile, &opts, out));
	fclose(out);
	return b;
}

static void expect_same_output(const struct profile *a, const struct profile *b)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(format_names); i++) {
		struct bytes before = write_format(a, format_names[i]);
		struct bytes after = write_format(b, format_names[i]);

		assert_int_equal(before.n, after.n);
		assert_memory_equal(before.data, after.data, before.n);
		bytes_free(&before);
		bytes_free(&after);
	}
}

static void expect_round_trip(const char *name)
{
	struct profile *profile = build(name, all_parts()), *stored;
	struct bytes b = encode(profile);

	assert_ok(prof_store_decode(b.data, b.n, &stored));
	assert_non_null(stored);
	assert_true(prof_is_conserved(stored));
	expect_same_output(profile, stored);
	struct bytes again = encode(stored);
	assert_int_equal(again.n, b.n);
	bytes_free(&again);
	prof_destroy(stored);
	prof_destroy(profile);
	bytes_free(&b);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++)
		expect_round_trip(recording_names[i]);
	expect_round_trip("branches");
}

/* A sample that has a time is kept apart from all others, also from those of a stored profile. */
static void test_times(void **state)
{
	struct profile *profile = build("cxx", all_parts()), *stored;
	struct bytes b = encode(profile);
	const struct prof_value one = { 1, 1 };

	(void)state;
	assert_ok(prof_store_decode(b.data, b.n, &stored));
	uint32_t n = (uint32_t)profile->samples.n;
	assert_int_equal(stored->times.n, n);
	for (struct prof_sample_id id = { 0 }; id.i < n; id.i++) {
		const struct prof_sample sample = *prof_sample(profile, id);
		uint64_t time = prof_sample_time(profile, id);
		struct prof_sample_id added;

		assert_true(time != PD_NO_TIME);
		assert_int_equal(prof_sample_time(stored, id), time);
		assert_ok(prof_add_samples(stored, &sample, time, &one, &added));
		assert_int_equal(added.i, n + id.i);
		assert_int_equal(prof_sample_time(stored, added), time);
		assert_int_equal(prof_value(stored, id)->samples, 1);
	}
	/* One without a time is like no sample of the profile, and equals itself. */
	const struct prof_sample first = *prof_sample(profile, (struct prof_sample_id){ 0 });
	struct prof_sample_id added, again;
	assert_ok(prof_add_samples(stored, &first, PD_NO_TIME, &one, &added));
	assert_int_equal(added.i, 2 * n);
	assert_ok(prof_add_samples(stored, &first, PD_NO_TIME, &one, &again));
	assert_int_equal(again.i, added.i);
	assert_int_equal(prof_sample_time(stored, added), PD_NO_TIME);
	prof_destroy(stored);
	prof_destroy(profile);
	bytes_free(&b);
}

/* Equal things that are added to a stored profile get the ids that they had. */
static void test_growing(void **state)
{
	struct resolve_opts opts = all_parts();
	struct profile *stored;

	(void)state;
	opts.request.tags &= ~(1U << PROF_TAG_TIME);
	struct profile *profile = build("cxx", opts);
	struct bytes b = encode(profile);
	assert_ok(prof_store_decode(b.data, b.n, &stored));
	for (uint32_t i = 0; i < profile->strings.n; i++)
		assert_int_equal(
			prof_add_string(stored, base_intern_bytes(&profile->strings, i)).i, i);
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		struct prof_sample sample = *prof_sample(profile, id);
		struct prof_sample_id found;

		assert_ok(prof_add_sample(stored, &sample, 1, &found));
		assert_int_equal(found.i, id.i);
		/* A sample with this stack and another end is a different sample. */
		sample.end = sample.end ? 0 : 1;
		assert_ok(prof_add_sample(stored, &sample, 1, &found));
		assert_int_equal(found.i, profile->samples.n + id.i);
	}
	assert_int_equal(prof_add_string(stored, "a new one").i, profile->strings.n);
	prof_destroy(stored);
	prof_destroy(profile);
	bytes_free(&b);
}

static void test_empty(void **state)
{
	struct profile *profile, *stored;

	(void)state;
	assert_ok(prof_create(&profile));
	struct bytes b = encode(profile);
	assert_ok(prof_store_decode(b.data, b.n, &stored));
	assert_non_null(stored);
	assert_int_equal(stored->strings.n, 1);
	prof_destroy(stored);
	prof_destroy(profile);
	bytes_free(&b);
}

/* Decode a copy of @p n bytes, and write what comes out of it. Returns whether anything does. */
static bool use(const struct bytes *b, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct profile *profile;

	assert_non_null(copy);
	memcpy(copy, b->data, n);
	assert_ok(prof_store_decode(copy, n, &profile));
	for (size_t i = 0; i < PD_ARRAY_LEN(format_names) && profile; i++) {
		struct bytes text = write_format(profile, format_names[i]);
		bytes_free(&text);
	}
	prof_destroy(profile);
	free(copy);
	return profile;
}

static void test_cut(void **state)
{
	struct profile *profile = build("nested", all_parts());
	struct bytes b = encode(profile);

	(void)state;
	for (size_t n = 0; n < b.n; n += 8)
		assert_false(use(&b, n));
	assert_true(use(&b, b.n));
	prof_destroy(profile);
	bytes_free(&b);
}

/* Formats leave out an event without samples, and would not expect that there are some. */
static void test_other_totals(void **state)
{
	struct profile *profile = build("nested", all_parts());

	(void)state;
	profile->events.data[0].total = (struct prof_value){ 0 };
	struct bytes b = encode(profile);
	assert_false(use(&b, b.n));
	prof_destroy(profile);
	bytes_free(&b);
}

/* Rows without the addresses of their frames are not of pdconv, and are shown without frames. */
static void test_no_pcs(void **state)
{
	struct profile *profile = build("group", all_parts());

	(void)state;
	assert_true(profile->rows.n > 0);
	for (size_t i = 0; i < profile->rows.n; i++)
		profile->rows.data[i].pcs = prof_no_pcs();
	struct bytes b = encode(profile);
	assert_true(use(&b, b.n));
	prof_destroy(profile);
	bytes_free(&b);
}

static void test_damaged(void **state)
{
	enum { N_FLIPS = 3000 };
	struct profile *profile = build("nested", all_parts());
	struct bytes b = encode(profile);
	uint64_t seed = 1;
	size_t n_refused = 0;

	(void)state;
	for (size_t i = 0; i < N_FLIPS; i++) {
		size_t at = random_next(&seed) % b.n;
		uint8_t old = b.data[at];

		b.data[at] = i % 2 ? 0xff : old ^ (uint8_t)(1 << i % 8);
		n_refused += !use(&b, b.n);
		b.data[at] = old;
	}
	/* Most bytes are parts of ids or lengths. */
	assert_true(n_refused > N_FLIPS / 10);
	prof_destroy(profile);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_growing),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_other_totals),
		cmocka_unit_test(test_no_pcs),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
