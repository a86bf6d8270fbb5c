/* The script format is the same for each number of threads, and as if written row by row. */
#include "base/array.h"
#include "output/formats.h"
#include "output/script/script_values.h"
#include "tests/unit/made_profile.h"

enum {
	N_ROWS = 20000,
	/** Row before which there are more notes than fit into a buffer. */
	NOTED_ROW = 7000,
	N_NOTES = 5000,
	/** First row of some whose text does not fit into a buffer. */
	LONG_ROW = 5000,
	N_LONG_ROWS = 3,
	LONG_BYTES = 300000,
};

/* Values of data_src with texts of different lengths, in the order in which rows have them. */
static uint64_t data_src_of(size_t row)
{
	return row < 3000 ? 0 : row < 9000 ? 0x100 : row < 15000 ? UINT64_MAX : 0x20;
}

static bool is_long(size_t row)
{
	return row >= LONG_ROW && row < LONG_ROW + N_LONG_ROWS;
}

static struct prof_sample_id add_sample(
	struct profile *profile, const char *name, enum prof_event_kind kind)
{
	const struct prof_event event = {
		.name = prof_add_string(profile, name),
		.kind = kind,
		.fields = PROF_FIELD_BIT(TIME) | PROF_FIELD_BIT(DATA_SRC),
	};
	const struct prof_thread thread = made_thread(profile, 1, 1, "comm");

	made_sample(profile, prof_add_event(profile, &event), &thread, "binary", 1);
	return (struct prof_sample_id){ (uint32_t)profile->samples.n - 1 };
}

static void add_row(
	struct profile *profile, struct prof_sample_id sample, struct prof_trace_text_id trace)
{
	size_t i = profile->rows.n;
	const struct prof_row row = {
		.time = i * 1000,
		.sample = sample,
		.cpu = PROF_NONE,
		.pcs = { PROF_NONE },
		.trace = trace,
	};
	const struct prof_detail detail = { .data_src = data_src_of(i) };

	assert_ok(base_spill_push(&profile->rows, row));
	assert_ok(base_spill_push(&profile->details, detail));
}

static void add_note(struct profile *profile, size_t row, FILE *expected)
{
	char text[100];
	size_t n = profile->notes.n;

	snprintf(text, sizeof(text), "note %zu before row %zu %*s.", n, row, (int)(n % 61), "");
	fprintf(expected, "%s\n", text);
	const struct prof_note note = {
		.row = (uint32_t)row,
		.event = prof_no_event(),
		.comm = prof_add_note_text(profile, "", 0),
		.text = prof_add_note_text(profile, text, strlen(text)),
	};
	assert_true(pd_vec_push(&profile->notes, note));
}

/* Add rows and notes, and write to @p expected what the format makes of them. */
static void fill(struct profile *profile, FILE *expected)
{
	struct prof_sample_id plain = add_sample(profile, "raw", PROF_EVENT_RAW);
	struct prof_sample_id traced = add_sample(profile, "trace", PROF_EVENT_TRACEPOINT);
	char *long_text = malloc(LONG_BYTES + 1);
	int width = 0;

	memset(long_text, 'x', LONG_BYTES);
	long_text[LONG_BYTES] = 0;
	struct prof_trace_text_id none = { 0 };
	struct prof_trace_text_id trace =
		prof_add_trace_text(profile, long_text, strlen(long_text));
	for (size_t i = 0; i < N_ROWS; i++) {
		char data_src[256];

		for (size_t n = i == NOTED_ROW ? N_NOTES : i % 700 == 0; n; n--)
			add_note(profile, i, expected);
		add_row(profile, is_long(i) ? traced : plain, is_long(i) ? trace : none);
		fprintf(expected, "    0.%06zu: ", i);
		if (is_long(i)) {
			fprintf(expected, "%s\n", long_text);
			continue;
		}
		int len = script_data_src(data_src_of(i), data_src, sizeof(data_src));
		width = len > width ? len : width;
		fprintf(expected, "%-*s\n", width, data_src);
	}
	add_note(profile, N_ROWS, expected);
	add_note(profile, N_ROWS, expected);
	free(long_text);
}

static void assert_writes(
	const struct profile *profile, size_t jobs, const char *wanted, size_t n_wanted)
{
	static const char *const fields[] = { "time,data_src", "trace:time,trace" };
	struct out_write_opts opts = out_write_defaults();
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	opts.jobs = jobs;
	opts.format.script.fields = fields;
	opts.format.script.n_fields = PD_ARRAY_LEN(fields);
	assert_ok(out_format_script.write(profile, &opts, out));
	assert_int_equal(fclose(out), 0);
	assert_int_equal(n, n_wanted);
	assert_memory_equal(text, wanted, n);
	free(text);
}

static void threads_write_what_one_writes(void **state)
{
	struct profile *profile;
	char *wanted;
	size_t n_wanted;
	FILE *expected = open_memstream(&wanted, &n_wanted);

	(void)state;
	assert_ok(prof_create(&profile));
	fill(profile, expected);
	fclose(expected);
	for (size_t jobs = 0; jobs < 5; jobs++)
		assert_writes(profile, jobs, wanted, n_wanted);
	assert_writes(profile, 100, wanted, n_wanted);
	free(wanted);
	prof_destroy(profile);
}

static void writing_ends_when_the_output_fails(void **state)
{
	struct out_write_opts opts = out_write_defaults();
	struct profile *profile;
	FILE *full = fopen("/dev/full", "w"), *ignored = fopen("/dev/null", "w");

	(void)state;
	opts.jobs = 2;
	assert_ok(prof_create(&profile));
	fill(profile, ignored);
	assert_ok(out_format_script.write(profile, &opts, full));
	assert_true(ferror(full));
	fclose(full);
	fclose(ignored);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_write_what_one_writes),
		cmocka_unit_test(writing_ends_when_the_output_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
