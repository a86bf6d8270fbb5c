/* Records in file order: compressed ones, damage, payloads after records, rounds. */
#include "tests/unit/test_recording.h"

#include <zstd.h>

#include <pdconv/reader.h>

#include "base/array.h"
#include "parse/open_file.h"
#include "parse/part_stream.h"

/* Times of the records in the order of reading, which identify them here. */
struct times {
	uint64_t data[4096];
	size_t n;
};

static uint64_t sample_time(const struct pd_record *rec)
{
	struct bytes b = { .data = (uint8_t *)rec->bytes, .n = rec->size };

	assert_int_equal(rec->size, 24);
	return load64(&b, 16);
}

static void add_time(struct times *times, const struct pd_record *rec)
{
	if (rec->type != PD_RECORD_SAMPLE)
		return;
	assert_true(times->n < PD_ARRAY_LEN(times->data));
	times->data[times->n++] = sample_time(rec);
}

static void stream_times(struct pd_file *file, struct times *ret)
{
	struct parse_stream *stream;
	struct pd_record rec;

	ret->n = 0;
	assert_ok(parse_stream_create(file, 0, &stream));
	for (;;) {
		assert_ok(parse_stream_next(stream, &rec));
		if (!rec.bytes)
			break;
		add_time(ret, &rec);
	}
	/* The end is the end. */
	assert_ok(parse_stream_next(stream, &rec));
	assert_null(rec.bytes);
	parse_stream_destroy(stream);
}

static void reader_times(struct pd_file *file, struct times *ret, uint64_t *late_ret)
{
	struct pd_reader *reader;
	struct pd_record rec;

	ret->n = 0;
	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		add_time(ret, &rec);
	}
	*late_ret = pd_reader_n_late(reader);
	pd_reader_destroy(reader);
}

static void expect_count_up(const struct times *times, uint64_t first, size_t n)
{
	assert_int_equal(times->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(times->data[i], first + i);
}

static void expect_one_warning(const struct pd_diag *diag, const char *text)
{
	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		if (strstr(diag_text(diag, i), text)) {
			assert_int_equal(pd_diag_get(diag, i).count, 1);
			return;
		}
	}
	fail_msg("nothing says \"%s\"", text);
}

/* @p n samples with the times @p first, @p first + 1, ... */
static struct bytes plain_samples(uint64_t first, size_t n)
{
	struct bytes b = { 0 };

	for (size_t i = 0; i < n; i++)
		add_sample(&b, 7, first + i);
	return b;
}

enum form { COMPRESSED, COMPRESSED2 };

/* Records with parts of a zstd stream, of at most `part` bytes each. */
static void add_compressed(struct bytes *b, enum form form, const struct bytes *zstd, size_t part)
{
	for (size_t at = 0; at < zstd->n; at += part) {
		size_t n = zstd->n - at < part ? zstd->n - at : part;
		size_t start = record_begin(
			b, form == COMPRESSED ? PD_RECORD_COMPRESSED : PD_RECORD_COMPRESSED2, 0);

		if (form == COMPRESSED2)
			u64(b, n);
		bytes_add(b, zstd->data + at, n);
		if (form == COMPRESSED2) {
			while (b->n % 8)
				put(b, 0xee, 1); /* not part of the stream */
		}
		record_end(b, start);
	}
}

/* Append @p plain to @p zstd as one frame. */
static void compress_frame(const struct bytes *plain, struct bytes *zstd)
{
	size_t cap = ZSTD_compressBound(plain->n);
	uint8_t *out = malloc(cap);
	size_t n = ZSTD_compress(out, cap, plain->data, plain->n, 1);

	assert_false(ZSTD_isError(n));
	bytes_add(zstd, out, n);
	free(out);
}

/* Like perf: one zstd frame that is never ended, flushed after each piece. */
static void compress_flushed(const struct bytes *plain, size_t piece, struct bytes *zstd)
{
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	uint8_t buf[8192];

	for (size_t at = 0; at < plain->n; at += piece) {
		ZSTD_inBuffer in = { .src = plain->data + at,
			.size = plain->n - at < piece ? plain->n - at : piece };
		size_t left;

		do {
			ZSTD_outBuffer out = { .dst = buf, .size = sizeof(buf) };

			left = ZSTD_compressStream2(cctx, &out, &in, ZSTD_e_flush);
			assert_false(ZSTD_isError(left));
			bytes_add(zstd, buf, out.pos);
		} while (left || in.pos < in.size);
	}
	ZSTD_freeCCtx(cctx);
}

static void a_compressed_recording_of_perf_is_read(void **state)
{
	struct bytes b = testdata_read("compressed", "perf.data");
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file;
	struct parse_stream *stream;
	struct pd_record rec;
	size_t n_samples = 0, n_unpacked = 0, n_compressed = 0;
	uint64_t period = 0;

	(void)state;
	assert_ok(pd_file_open_memory("compressed", b.data, b.n, diag, &file));
	assert_ok(parse_stream_create(file, 0, &stream));
	for (;;) {
		assert_ok(parse_stream_next(stream, &rec));
		if (!rec.bytes)
			break;
		n_compressed += rec.type == PD_RECORD_COMPRESSED;
		n_unpacked += rec.is_unpacked;
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		struct pd_sample s;
		const char *field;
		assert_int_equal(
			pd_sample_decode(&file->events.list.data[0].plan, &rec, &s, &field),
			PD_SAMPLE_OK);
		assert_int_equal(s.stack_user.reserved, 1024);
		assert_int_equal(s.regs_user.abi, PD_REGS_ABI_64);
		n_samples++;
		period += s.period;
	}
	/* 999 Hz: 1001001 ns each. */
	assert_int_equal(n_compressed, 1);
	assert_int_equal(n_samples, 84);
	assert_int_equal(period, 84 * 1001001);
	assert_true(n_unpacked >= n_samples);
	assert_int_equal(pd_diag_n(diag), 0);
	parse_stream_destroy(stream);
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&b);
}

/* All records are read once and in order, however they are split into frames and records. */
static void records_span_compressed_records(void **state)
{
	const size_t parts[] = { 1, 7, 64, 1000, 60000 };
	const size_t pieces[] = { 5, 24, 100, 1 << 20 };
	struct bytes plain = plain_samples(1, 700);

	(void)state;
	for (size_t p = 0; p < PD_ARRAY_LEN(pieces); p++) {
		struct bytes zstd = { 0 };

		compress_flushed(&plain, pieces[p], &zstd);
		for (size_t i = 0; i < 2 * PD_ARRAY_LEN(parts); i++) {
			struct pd_diag *diag = pd_diag_create();
			struct bytes b = { 0 };
			struct times times;

			recording_begin(&b);
			add_compressed(&b, i % 2 ? COMPRESSED2 : COMPRESSED, &zstd, parts[i / 2]);
			add_sample(&b, 7, 701); /* uncompressed records may follow */
			recording_end(&b);
			struct pd_file *file = recording_open(&b, diag);
			stream_times(file, &times);
			expect_count_up(&times, 1, 701);
			assert_int_equal(pd_diag_n(diag), 0);
			pd_file_close(file);
			pd_diag_destroy(diag);
			bytes_free(&b);
		}
		bytes_free(&zstd);
	}
	bytes_free(&plain);
}

static void several_frames_are_one_stream(void **state)
{
	struct bytes zstd = { 0 }, b = { 0 };
	struct times times;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		struct bytes plain = plain_samples(1 + 100 * i, 100);

		compress_frame(&plain, &zstd);
		bytes_free(&plain);
	}
	recording_begin(&b);
	add_compressed(&b, COMPRESSED2, &zstd, 33);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	stream_times(file, &times);
	expect_count_up(&times, 1, 1000);
	pd_file_close(file);
	bytes_free(&b);
	bytes_free(&zstd);
}

/* Read much more than fits in a chunk, and keep some records while others are read. */
static void kept_records_stay_as_they_are(void **state)
{
	enum { N = 100000, KEPT_EVERY = 997 };
	struct pd_record kept[N / KEPT_EVERY + 1];
	struct bytes plain = plain_samples(1, N), zstd = { 0 }, b = { 0 };
	struct parse_stream *stream;
	struct pd_record rec;
	size_t n = 0, n_kept = 0;

	(void)state;
	compress_frame(&plain, &zstd);
	recording_begin(&b);
	add_compressed(&b, COMPRESSED, &zstd, 60000);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	assert_ok(parse_stream_create(file, 0, &stream));
	for (;;) {
		assert_ok(parse_stream_next(stream, &rec));
		if (!rec.bytes)
			break;
		if (rec.type != PD_RECORD_COMPRESSED && n++ % KEPT_EVERY == 0)
			kept[n_kept++] = pd_record_keep(&rec);
	}
	assert_int_equal(n, N);
	parse_stream_destroy(stream);
	for (size_t i = 0; i < n_kept; i++) {
		assert_non_null(kept[i].chunk);
		assert_int_equal(sample_time(&kept[i]), 1 + i * KEPT_EVERY);
		pd_record_release(&kept[i]);
		pd_record_release(&kept[i]);
		assert_null(kept[i].bytes);
	}
	pd_file_close(file);
	bytes_free(&b);
	bytes_free(&zstd);
	bytes_free(&plain);
}

static void records_after_damaged_compressed_ones_are_read(void **state)
{
	struct bytes first = plain_samples(1, 50), second = plain_samples(1000, 50);
	struct bytes third = plain_samples(52, 50), b = { 0 }, zstd = { 0 };
	struct bytes tail = { .data = (uint8_t *)"the rest of a frame", .n = 19 };
	struct pd_diag *diag = pd_diag_create();
	struct times times;

	(void)state;
	recording_begin(&b);
	compress_frame(&first, &zstd);
	add_compressed(&b, COMPRESSED2, &zstd, 60000);
	zstd.n = 0;
	compress_frame(&second, &zstd);
	memset(zstd.data, 0xa5, zstd.n < 16 ? zstd.n : 16);
	add_compressed(&b, COMPRESSED2, &zstd, 60000);
	/* More of the same frame is lost with its beginning; another frame is not. */
	add_compressed(&b, COMPRESSED2, &tail, 60000);
	add_sample(&b, 7, 51);
	zstd.n = 0;
	compress_frame(&third, &zstd);
	add_compressed(&b, COMPRESSED2, &zstd, 60000);
	add_sample(&b, 7, 102);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, diag);
	stream_times(file, &times);
	expect_count_up(&times, 1, 102);
	expect_one_warning(diag, "compressed records are damaged");
	expect_one_warning(diag, "needs damaged bytes before it, and is passed over");
	assert_int_equal(pd_diag_n(diag), 3);
	assert_int_equal(file->gaps.n, 2);
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&b);
	bytes_free(&zstd);
	bytes_free(&first);
	bytes_free(&second);
	bytes_free(&third);
}

/* The recorder was killed between two parts of a record. */
static void endless_records_are_reported(void **state)
{
	struct bytes plain = plain_samples(1, 50), b = { 0 }, zstd = { 0 };
	struct pd_diag *diag = pd_diag_create();
	struct times times;

	(void)state;
	plain.n -= 10;
	compress_flushed(&plain, 100, &zstd);
	recording_begin(&b);
	add_compressed(&b, COMPRESSED, &zstd, 200);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, diag);
	stream_times(file, &times);
	expect_count_up(&times, 1, 49);
	expect_one_warning(diag, "a record is cut");
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&b);
	bytes_free(&zstd);
	bytes_free(&plain);
}

static void a_size_below_the_header_ends_the_stream(void **state)
{
	(void)state;
	for (uint16_t size = 0; size < PD_RECORD_HEADER_BYTES; size++) {
		for (int compressed = 0; compressed < 2; compressed++) {
			struct bytes plain = plain_samples(1, 3), b = { 0 }, zstd = { 0 };
			struct pd_diag *diag = pd_diag_create();
			struct times times;

			plain.data[2 * 24 + 6] = (uint8_t)size;
			recording_begin(&b);
			if (compressed) {
				compress_frame(&plain, &zstd);
				add_compressed(&b, COMPRESSED, &zstd, 60000);
			} else {
				bytes_add(&b, plain.data, plain.n);
			}
			recording_end(&b);
			struct pd_file *file = recording_open(&b, diag);
			stream_times(file, &times);
			expect_count_up(&times, 1, 2);
			expect_one_warning(diag, "invalid record size");
			pd_file_close(file);
			pd_diag_destroy(diag);
			bytes_free(&b);
			bytes_free(&zstd);
			bytes_free(&plain);
		}
	}
}

static void add_auxtrace(struct bytes *b, uint64_t data_size, size_t written)
{
	size_t start = record_begin(b, PD_RECORD_AUXTRACE, 0);

	u64(b, data_size);
	for (size_t i = 0; i < 4; i++)
		u64(b, 0);
	record_end(b, start);
	for (size_t i = 0; i < written; i++)
		put(b, 0xff, 1);
}

static void payloads_after_records_are_skipped(void **state)
{
	const struct {
		uint64_t size;
		size_t written;
		size_t n_samples;
	} cases[] = {
		{ 0, 0, 2 },
		{ 4096, 4096, 2 },
		{ 100000, 100000, 2 },
		{ 4096, 100, 1 },
		{ UINT64_MAX, 64, 1 },
		{ UINT64_MAX - 47, 64, 1 },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct pd_diag *diag = pd_diag_create();
		struct bytes b = { 0 };
		struct times times;

		recording_begin(&b);
		add_sample(&b, 7, 1);
		add_auxtrace(&b, cases[i].size, cases[i].written);
		if (cases[i].n_samples > 1)
			add_sample(&b, 7, 2);
		recording_end(&b);
		struct pd_file *file = recording_open(&b, diag);
		stream_times(file, &times);
		expect_count_up(&times, 1, cases[i].n_samples);
		if (cases[i].n_samples > 1)
			assert_int_equal(pd_diag_n(diag), 0);
		else
			expect_one_warning(diag, "payload after a record is truncated");
		pd_file_close(file);
		pd_diag_destroy(diag);
		bytes_free(&b);
	}
}

/* An MMAP2 record marked as having a build id, with @p head and then 20 bytes in its place. */
static void add_marked(struct bytes *b, uint32_t head, uint64_t ino, uint64_t generation)
{
	size_t start = record_begin(b, PD_RECORD_MMAP2, PD_MISC_USER | PD_MISC_MMAP_BUILD_ID);

	u64(b, (uint64_t)7 << 32 | 7);
	for (size_t i = 0; i < 3; i++) /* addr, len, pgoff */
		u64(b, 0x1000);
	u32(b, head);
	u32(b, 0); /* minor number */
	u64(b, ino);
	u64(b, generation);
	u64(b, 5); /* prot, flags */
	padded(b, "program");
	u64(b, (uint64_t)7 << 32 | 7);
	u64(b, 1);
	record_end(b, start);
}

/* The kernel leaves the mark of another recording in records with device and inode. */
static void build_ids_are_told_from_inodes(void **state)
{
	static const struct {
		uint32_t head;
		uint64_t ino;
		uint64_t generation;
		bool is_build_id;
	} cases[] = {
		{ 20, 11086183, 3153850893, true }, { 8, 11086183, 0, true }, { 0, 0, 0, true },
		{ 0xfe, 11086183, 3153850893, false }, /* virtio */
		{ 8, 11086183, 3153850893, false },    /* a SCSI disk */
		{ 0x103, 11086183, 0, false },	       /* NVMe */
		{ 0, 11086183, 0, false },	       /* overlayfs */
	};
	struct bytes b = { 0 };
	struct parse_stream *stream;
	struct pd_record rec;

	(void)state;
	recording_begin(&b);
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++)
		add_marked(&b, cases[i].head, cases[i].ino, cases[i].generation);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	assert_ok(parse_stream_create(file, 0, &stream));
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		union pd_body body;
		const char *wrong;

		assert_ok(parse_stream_next(stream, &rec));
		assert_true(pd_record_decode(&rec, 16, &body, &wrong));
		assert_int_equal(!!(rec.misc & PD_MISC_MMAP_BUILD_ID), cases[i].is_build_id);
		if (cases[i].is_build_id)
			assert_int_equal(body.mmap2_build_id.build_id.len, cases[i].head);
		else
			assert_int_equal(body.mmap2.ino, cases[i].ino);
	}
	parse_stream_destroy(stream);
	pd_file_close(file);
	bytes_free(&b);
}

static void add_round(struct bytes *b)
{
	record_end(b, record_begin(b, PD_RECORD_FINISHED_ROUND, 0));
}

/* Two CPUs that are drained alternately; the second one is always later. */
static void rounds_come_out_in_time_order(void **state)
{
	enum { ROUNDS = 20, EACH = 10 };

	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		struct bytes plain = { 0 }, zstd = { 0 }, b = { 0 };
		struct times times;
		uint64_t late;

		for (uint64_t round = 0; round < ROUNDS; round++) {
			for (uint64_t cpu = 2; cpu-- > 0;) {
				for (uint64_t i = 0; i < EACH; i++)
					add_sample(&plain, 7, 1 + round * 2 * EACH + 2 * i + cpu);
			}
			if (round != ROUNDS / 2)
				add_round(&plain);
		}
		recording_begin(&b);
		if (compressed) {
			compress_flushed(&plain, 480, &zstd);
			add_compressed(&b, COMPRESSED2, &zstd, 100);
		} else {
			bytes_add(&b, plain.data, plain.n);
		}
		recording_end(&b);
		struct pd_file *file = recording_open(&b, NULL);
		reader_times(file, &times, &late);
		expect_count_up(&times, 1, 2 * ROUNDS * EACH);
		assert_int_equal(late, 0);
		pd_file_close(file);
		bytes_free(&b);
		bytes_free(&zstd);
		bytes_free(&plain);
	}
}

static void late_records_are_counted_and_returned(void **state)
{
	struct bytes b = { 0 };
	struct times times;
	uint64_t late;

	(void)state;
	recording_begin(&b);
	for (uint64_t round = 0; round < 3; round++) {
		add_sample(&b, 7, 100 + round);
		add_round(&b);
	}
	add_sample(&b, 7, 5);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	reader_times(file, &times, &late);
	assert_int_equal(times.n, 4);
	assert_int_equal(late, 1);
	pd_file_close(file);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_compressed_recording_of_perf_is_read),
		cmocka_unit_test(records_span_compressed_records),
		cmocka_unit_test(several_frames_are_one_stream),
		cmocka_unit_test(kept_records_stay_as_they_are),
		cmocka_unit_test(records_after_damaged_compressed_ones_are_read),
		cmocka_unit_test(endless_records_are_reported),
		cmocka_unit_test(a_size_below_the_header_ends_the_stream),
		cmocka_unit_test(payloads_after_records_are_skipped),
		cmocka_unit_test(build_ids_are_told_from_inodes),
		cmocka_unit_test(rounds_come_out_in_time_order),
		cmocka_unit_test(late_records_are_counted_and_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
