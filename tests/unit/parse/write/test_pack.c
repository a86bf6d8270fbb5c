/* Compressed records: several frames, each of which can be read without those before it. */
#include "parse/open_file.h"
#include "tests/unit/test_writing.h"

#include <pdconv/cursor.h>
#include <pdconv/reader.h>

#include "parse/write/pack.h"

enum {
	/** Samples of 24 bytes; together they are more than three frames. */
	N_SAMPLES = 600000,
	/** Compressed record that is damaged, and bytes of it that are. */
	DAMAGED_RECORD = 20,
	DAMAGED_BYTES = 512,
};

/* Sample of @p size bytes, of which those after the time are zero. */
static void pack_sample(struct parse_pack *pack, uint32_t pid, uint64_t time, size_t size)
{
	struct bytes sample = { 0 };
	size_t start = record_begin(&sample, PD_RECORD_SAMPLE, PD_MISC_USER);

	tid_time(&sample, pid, pid, time);
	while (sample.n < size)
		put(&sample, 0, 1);
	record_end(&sample, start);
	assert_ok(parse_pack_add(pack, sample.data, sample.n));
	bytes_free(&sample);
}

/* A recording of @p n samples, whose sizes are 24 bytes and up to @p n_more in addition. */
static struct bytes compressed_recording(size_t n, size_t n_more)
{
	const struct pd_attr attr = {
		.type = PD_TYPE_SOFTWARE,
		.size = PD_ATTR_MIN_BYTES,
		.sample_type = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME,
	};
	const struct pd_writer_opts opts = { 0 };
	struct pd_bytes feature = { 0 };
	struct pd_writer *writer;
	struct parse_pack *pack;
	FILE *out = tmpfile();

	assert_non_null(out);
	assert_ok(pd_writer_create(out, "packed", &opts, &writer));
	assert_ok(pd_writer_add_event(writer, &attr, NULL, 0));
	assert_ok(parse_pack_create(writer, 1, &pack));
	for (uint64_t i = 0; i < n; i++)
		pack_sample(pack, (uint32_t)i % 7, 1000 + i, 24 + i % (n_more + 1));
	assert_ok(parse_pack_flush(pack));
	parse_pack_describe(pack, &feature);
	assert_ok(pd_writer_add_feature(
		writer, PD_FEATURE_COMPRESSED, feature.buf.data, feature.buf.n));
	assert_ok(pd_writer_finish(writer));
	pd_bytes_deinit(&feature);
	parse_pack_destroy(pack);
	pd_writer_destroy(writer);
	return written(out);
}

/* Read all samples, whose times must ascend. *offset_ret is that of record DAMAGED_RECORD. */
static size_t count_samples(const struct bytes *b, uint64_t *offset_ret, struct pd_gaps *gaps_ret)
{
	struct pd_file *file = recording_open(b, NULL);
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n_samples = 0, n_compressed = 0;
	uint64_t last = 0;

	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		if (rec.type == PD_RECORD_COMPRESSED && n_compressed++ == DAMAGED_RECORD)
			*offset_ret = rec.offset;
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		assert_true(rec.time > last);
		last = rec.time;
		n_samples++;
	}
	*gaps_ret = file->gaps;
	pd_reader_destroy(reader);
	pd_file_close(file);
	return n_samples;
}

static void frames_after_damage_are_read(void **state)
{
	struct bytes b = compressed_recording(N_SAMPLES, 0);
	struct pd_gaps gaps;
	uint64_t offset;

	(void)state;
	assert_int_equal(count_samples(&b, &offset, &gaps), N_SAMPLES);
	assert_int_equal(gaps.n, 0);
	memset(b.data + offset, 0, DAMAGED_BYTES);
	/* The damage is in the first of four frames, whose other records are lost. */
	size_t n = count_samples(&b, &offset, &gaps);
	assert_true(n > N_SAMPLES * 2 / 3);
	assert_true(n < N_SAMPLES);
	assert_true(gaps.n > 0);
	bytes_free(&b);
}

static void compressed_records_are_padded(void **state)
{
	struct bytes b = compressed_recording(100, 7);
	struct pd_file *file = recording_open(&b, NULL);
	struct pd_gaps gaps;
	uint64_t offset;

	(void)state;
	assert_int_equal(count_samples(&b, &offset, &gaps), 100);
	assert_padded(file);
	pd_file_close(file);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_after_damage_are_read),
		cmocka_unit_test(compressed_records_are_padded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
