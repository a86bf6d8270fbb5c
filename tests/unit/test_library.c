/* What programs that use the library see of it: its public headers, and nothing else. */
#include "tests/unit/test_recording.h"

#include <pdconv/pdconv.h>

static struct pd_reader *start(struct pd_file *file, enum pd_order_kind kind)
{
	struct pd_reader *reader;

	assert_ok(pd_reader_create(file, kind, &reader));
	return reader;
}

static bool next(struct pd_reader *reader, struct pd_record *rec)
{
	assert_ok(pd_reader_next(reader, rec));
	return rec->bytes;
}

/* Nobody has to ask for the news that a file was cut. */
static void a_file_has_its_own_diag(void **state)
{
	struct bytes b = testdata_read("fp", "perf.data");
	struct pd_record rec;
	bool is_cut = false;

	(void)state;
	b.n /= 2;
	struct pd_file *file = recording_open(&b, NULL);
	struct pd_reader *reader = start(file, PD_ORDER_FILE);
	while (next(reader, &rec))
		;
	for (size_t i = 0; i < pd_diag_n(file->diag); i++) {
		struct pd_diag_entry entry = pd_diag_get(file->diag, i);

		assert_string_equal(entry.first->path, "built");
		is_cut |= entry.first->code == PD_ERROR_CUT && entry.first->offset == b.n;
	}
	assert_true(is_cut);
	pd_reader_destroy(reader);
	pd_file_close(file);
	bytes_free(&b);
}

enum { N_KEPT = 50 };

/* Samples are kept while all others are read, and used after the reader has gone. */
static void records_can_be_kept(void **state)
{
	const char *const names[] = { "nested", "compressed", "piped" };
	struct pd_record kept[N_KEPT], rec;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char path[64];
		size_t n = 0;
		struct pd_file *file;

		snprintf(path, sizeof(path), "testdata/%s/perf.data", names[i]);
		assert_ok(pd_file_open(path, NULL, &file));
		struct pd_reader *reader = start(file, PD_ORDER_TIME);
		while (next(reader, &rec)) {
			if (rec.type == PD_RECORD_SAMPLE && n < N_KEPT)
				kept[n++] = pd_record_keep(&rec);
		}
		pd_reader_destroy(reader);
		assert_int_equal(n, N_KEPT);
		for (size_t k = 0; k < n; k++) {
			const struct pd_event *event = pd_events_find(&file->events, &kept[k]);
			struct pd_sample sample;
			const char *wrong;

			assert_int_equal(pd_sample_decode(&event->plan, &kept[k], file->swap,
						 &sample, &wrong),
				PD_SAMPLE_OK);
			assert_int_equal(sample.time, kept[k].time);
			pd_record_release(&kept[k]);
			pd_record_release(&kept[k]);
			assert_null(kept[k].bytes);
		}
		pd_file_close(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_its_own_diag),
		cmocka_unit_test(records_can_be_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
