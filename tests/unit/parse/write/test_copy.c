/* Copies of recordings: in both byte orders and containers, and of damaged ones. */
#include "tests/unit/test_writing.h"

#include <pdconv/copy.h>

#include "base/array.h"
#include "parse/open_file.h"

enum {
	UNKNOWN_TYPE = 99,
	N_MUTATIONS = 150,
	HOSTNAME_BYTES = 68,
};

static struct pd_file *open_bytes(const struct bytes *b)
{
	struct pd_file *file;

	assert_ok(pd_file_open_memory("bytes", b->data, b->n, NULL, &file));
	return file;
}

static struct bytes copy_file(
	struct pd_file *file, const struct pd_copy_opts *opts, struct pd_copy_result *ret)
{
	FILE *out = tmpfile();

	assert_ok(pd_copy(file, out, "copy", opts, ret));
	return written(out);
}

static struct bytes copy_bytes(
	const struct bytes *from, struct pd_copy_opts opts, struct pd_copy_result *ret)
{
	struct pd_file *file = open_bytes(from);
	struct bytes b = copy_file(file, &opts, ret);

	pd_file_close(file);
	return b;
}

static void assert_equal_bytes(const struct bytes *a, const struct bytes *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->data, b->data, a->n);
}

static void write_record(struct pd_writer *writer, uint32_t type, const char *body)
{
	struct bytes b = { 0 };
	size_t start = record_begin(&b, type, 0);

	bytes_add(&b, body, strlen(body));
	record_end(&b, start);
	assert_ok(pd_writer_add_records(writer, b.data, b.n));
	bytes_free(&b);
}

/* Samples, a payload, an unknown type, and a body that cannot be decoded. */
static struct bytes make(bool is_pipe)
{
	static const uint64_t ids[] = { 11, 12 };
	struct pd_attr attr = written_attr();
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, is_pipe, false);
	uint8_t hostname[HOSTNAME_BYTES] = { 64, 0, 0, 0, 'h', 'o', 's', 't' };

	assert_ok(pd_writer_add_event(writer, &attr, ids, 2));
	assert_ok(pd_writer_add_feature(writer, PD_FEATURE_HOSTNAME, hostname, sizeof(hostname)));
	write_sample(writer, false, 11, 5);
	write_trace(writer, false, "trace data bytes", 16);
	write_record(writer, UNKNOWN_TYPE, "whatever");
	write_record(writer, PD_RECORD_STAT_CONFIG, "too many");
	write_sample(writer, false, 12, 6);
	writer_close(writer);
	return written(out);
}

static void copies_in_the_same_order_are_equal(void **state)
{
	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		struct bytes made = make(is_pipe);
		struct pd_copy_result result;
		struct bytes copy =
			copy_bytes(&made, (struct pd_copy_opts){ .is_pipe = is_pipe }, &result);

		assert_equal_bytes(&copy, &made);
		assert_int_equal(result.n_unknown, 0);
		assert_int_equal(result.n_partly_byteswapped, 0);
		bytes_free(&copy);
		bytes_free(&made);
	}
}

static void copies_are_byteswapped_and_back(void **state)
{
	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		struct pd_copy_opts opts = { .swap = true, .is_pipe = is_pipe };
		struct bytes made = make(is_pipe);
		struct pd_copy_result result;
		struct bytes turned = copy_bytes(&made, opts, &result);
		struct pd_file *file = open_bytes(&turned);

		assert_true(file->swap);
		assert_int_equal(result.n_unknown, 1);
		/* The body that is damaged; in a stream also the mark that ends the features. */
		assert_int_equal(result.n_partly_byteswapped, 1);
		assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "host");
		assert_int_equal(file->events.list.data[0].ids.data[1], 12);
		assert_int_equal(count_records(file, UNKNOWN_TYPE), 1);
		assert_int_equal(count_records(file, PD_RECORD_STAT_CONFIG), 1);
		pd_file_close(file);

		opts.swap = false;
		struct bytes back = copy_bytes(&turned, opts, &result);
		assert_equal_bytes(&back, &made);
		bytes_free(&back);
		bytes_free(&turned);
		bytes_free(&made);
	}
}

static void containers_are_converted_and_back(void **state)
{
	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		struct bytes made = make(is_pipe);
		struct pd_copy_result result;
		struct bytes other =
			copy_bytes(&made, (struct pd_copy_opts){ .is_pipe = !is_pipe }, &result);
		struct bytes back =
			copy_bytes(&other, (struct pd_copy_opts){ .is_pipe = is_pipe }, &result);

		assert_equal_bytes(&back, &made);
		bytes_free(&back);
		bytes_free(&other);
		bytes_free(&made);
	}
}

/* Records of a stream that become part of a file's header: an event after samples, and ids. */
static void late_events_of_a_stream_are_in_the_table(void **state)
{
	static const uint64_t ids[] = { 11, 12, 13 };
	struct pd_attr attr = written_attr();
	struct pd_copy_result result;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, true, false);

	(void)state;
	assert_ok(pd_writer_add_event(writer, &attr, ids, 1));
	write_sample(writer, false, 11, 5);
	assert_ok(pd_writer_add_event(writer, &attr, ids, 2)); /* one more of the same */
	attr.config = 1;
	assert_ok(pd_writer_add_event(writer, &attr, ids + 2, 1));
	write_sample(writer, false, 13, 6);
	writer_close(writer);
	struct bytes made = written(out);
	struct bytes copy = copy_bytes(&made, (struct pd_copy_opts){ 0 }, &result);
	struct pd_file *file = open_bytes(&copy);
	assert_int_equal(file->events.list.n, 2);
	assert_int_equal(file->events.list.data[0].ids.n, 2);
	assert_int_equal(file->events.list.data[1].attr.config, 1);
	assert_int_equal(count_records(file, PD_RECORD_ATTR), 0);
	assert_int_equal(count_records(file, 0), 2);
	pd_file_close(file);
	bytes_free(&copy);
	bytes_free(&made);
}

static void features_that_a_stream_cannot_hold_are_reported(void **state)
{
	struct pd_attr attr = written_attr();
	uint8_t *large = calloc(1, UINT16_MAX);
	struct pd_copy_result result;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, false, false);

	(void)state;
	assert_ok(pd_writer_add_event(writer, &attr, NULL, 0));
	assert_ok(pd_writer_add_feature(writer, 200, large, UINT16_MAX));
	assert_ok(pd_writer_add_feature(writer, PD_FEATURE_BRANCH_STACK, NULL, 0));
	assert_ok(pd_writer_add_feature(writer, PD_FEATURE_DIR_FORMAT, large, 8));
	writer_close(writer);
	struct bytes made = written(out);
	struct bytes copy = copy_bytes(&made, (struct pd_copy_opts){ .is_pipe = true }, &result);
	assert_int_equal(result.features_left_out[0], 1 << PD_FEATURE_BRANCH_STACK);
	assert_int_equal(result.features_left_out[200 / 64], 1 << (200 % 64));
	assert_int_equal(result.features_left_out[1] | result.features_left_out[2], 0);
	bytes_free(&copy);
	bytes_free(&made);
	free(large);
}

/* perf stat writes zeros although it does not compress, and perf 7.2 rejects its recordings. */
static void compression_that_is_not_used_is_left_out(void **state)
{
	static const uint8_t zeros[20];
	struct pd_attr attr = written_attr();
	struct pd_copy_result result;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, false, false);

	(void)state;
	assert_ok(pd_writer_add_event(writer, &attr, NULL, 0));
	assert_ok(pd_writer_add_feature(writer, PD_FEATURE_COMPRESSED, zeros, sizeof(zeros)));
	writer_close(writer);
	struct bytes made = written(out);
	struct bytes copy = copy_bytes(&made, (struct pd_copy_opts){ 0 }, &result);
	struct pd_file *file = open_bytes(&copy);
	assert_false(file->feature[PD_FEATURE_COMPRESSED].is_present);
	pd_file_close(file);
	bytes_free(&copy);
	bytes_free(&made);
}

/* Readers could not find the records after such a record. */
static void records_without_their_payload_are_left_out(void **state)
{
	struct bytes made = { 0 };
	struct pd_copy_result result;

	(void)state;
	recording_begin(&made);
	add_sample(&made, 7, 5);
	size_t start = record_begin(&made, PD_RECORD_AUXTRACE, 0);
	u64(&made, 1000);
	for (size_t i = 0; i < 4; i++)
		u64(&made, 0);
	record_end(&made, start);
	recording_end(&made);
	struct bytes copy = copy_bytes(&made, (struct pd_copy_opts){ 0 }, &result);
	assert_int_equal(result.n_without_payload, 1);
	struct pd_file *file = open_bytes(&copy);
	assert_int_equal(count_records(file, 0), 1);
	pd_file_close(file);
	bytes_free(&copy);
	bytes_free(&made);
}

/* A sample with a stack of @p n bytes. The kernel does not pad it at the end of the address space. */
static void add_stack_sample(struct bytes *b, size_t n)
{
	size_t start = record_begin(b, PD_RECORD_SAMPLE, PD_MISC_USER);

	tid_time(b, 7, 8, 9);
	u64(b, 11);
	u64(b, n);
	bytes_add(b, "1234567", n);
	u64(b, n);
	record_end(b, start);
}

/* Records of the kernel and of old versions of perf that lack padding. */
static struct bytes make_unpadded(bool is_pipe)
{
	struct pd_attr attr = written_attr();
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, is_pipe, false);

	attr.sample_type |= (uint64_t)1 << PD_SAMPLE_STACK_USER;
	attr.sample_stack_user = 8;
	assert_ok(pd_writer_add_event(writer, &attr, &(uint64_t){ 11 }, 1));
	write_trace(writer, false, "payload.", 8);
	writer_close(writer);
	struct bytes b = written(out);
	if (!is_pipe)
		b.n = load64(&b, AT_DATA_OFFSET);
	for (size_t n = 1; n < 8; n++)
		add_stack_sample(&b, n);
	size_t start = record_begin(&b, PD_RECORD_CPU_MAP, 0);
	put(&b, 0, 2);
	put(&b, 1, 2);
	put(&b, 3, 2);
	record_end(&b, start);
	if (!is_pipe)
		patch64(&b, AT_DATA_SIZE, b.n - load64(&b, AT_DATA_OFFSET));
	return b;
}

static void check_stack(void *ctx, const struct pd_event *event, const struct pd_sample *sample)
{
	size_t *n_samples = ctx;

	(void)event;
	++*n_samples;
	assert_int_equal(sample->time, 9);
	assert_int_equal(sample->stack_user.bytes.n, *n_samples);
	assert_memory_equal(sample->stack_user.bytes.data, "1234567", *n_samples);
}

static void check_padded(const struct bytes *copy)
{
	struct pd_file *file = open_bytes(copy);
	size_t n_samples = 0;

	for_each_sample(file, check_stack, &n_samples);
	assert_int_equal(n_samples, 7);
	assert_int_equal(count_records(file, PD_RECORD_CPU_MAP), 1);
	assert_padded(file);
	pd_file_close(file);
}

static void records_without_padding_get_it(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		const struct pd_copy_opts opts = { .swap = i & 1, .is_pipe = i & 2 };
		struct bytes made = make_unpadded(i & 4);
		struct pd_copy_result result;
		struct bytes copy = copy_bytes(&made, opts, &result);

		check_padded(&copy);
		bytes_free(&copy);
		bytes_free(&made);
	}
}

static void records_that_cannot_be_padded_are_left_out(void **state)
{
	struct pd_copy_result result;
	struct bytes made = { 0 };

	(void)state;
	recording_begin(&made);
	add_sample(&made, 7, 5);
	size_t start = record_begin(&made, PD_RECORD_SAMPLE, PD_MISC_USER);
	tid_time(&made, 7, 8, 9);
	u64(&made, 11);
	while (made.n < start + UINT16_MAX)
		put(&made, 0, 1);
	record_end(&made, start);
	add_sample(&made, 7, 6);
	recording_end(&made);
	struct bytes copy = copy_bytes(&made, (struct pd_copy_opts){ 0 }, &result);
	struct pd_file *file = open_bytes(&copy);
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 2);
	assert_int_equal(count_records(file, 0), 2);
	pd_file_close(file);
	bytes_free(&copy);
	bytes_free(&made);
}

static void copies_of_interrupted_recordings_are_finished(void **state)
{
	struct bytes made = { 0 };
	struct pd_copy_result result;

	(void)state;
	recording_begin(&made);
	add_sample(&made, 7, 5);
	add_sample(&made, 7, 6);
	made.n -= 4;
	struct bytes copy = copy_bytes(&made, (struct pd_copy_opts){ 0 }, &result);
	struct pd_file *file = open_bytes(&copy);
	assert_false(file->is_unfinished);
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 1);
	pd_file_close(file);
	bytes_free(&copy);
	bytes_free(&made);
}

static void compressed_records_are_unpacked_or_kept(void **state)
{
	struct bytes made = testdata_read("compressed", "perf.data");
	struct pd_copy_result result;

	(void)state;
	struct bytes unpacked = copy_bytes(&made, (struct pd_copy_opts){ 0 }, &result);
	struct pd_file *file = open_bytes(&unpacked);
	size_t n_samples = count_records(file, PD_RECORD_SAMPLE);
	assert_true(n_samples > 0);
	assert_int_equal(count_records(file, PD_RECORD_COMPRESSED), 0);
	assert_false(file->feature[PD_FEATURE_COMPRESSED].is_present);
	pd_file_close(file);

	struct bytes kept =
		copy_bytes(&made, (struct pd_copy_opts){ .keep_compressed = true }, &result);
	assert_true(kept.n < unpacked.n);
	file = open_bytes(&kept);
	assert_true(file->feature[PD_FEATURE_COMPRESSED].is_present);
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), n_samples);
	pd_file_close(file);
	bytes_free(&kept);
	bytes_free(&unpacked);
	bytes_free(&made);
}

static void directories_become_a_file(void **state)
{
	struct pd_copy_result result;
	struct pd_file *file;
	size_t n_samples;

	(void)state;
	assert_ok(pd_file_open("testdata/parallel/perf.data", NULL, &file));
	assert_true(file->parts.n > 1);
	n_samples = count_records(file, PD_RECORD_SAMPLE);
	struct bytes copy = copy_file(file, &(struct pd_copy_opts){ 0 }, &result);
	pd_file_close(file);
	file = open_bytes(&copy);
	assert_false(file->feature[PD_FEATURE_DIR_FORMAT].is_present);
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), n_samples);
	pd_file_close(file);
	bytes_free(&copy);
}

/* A piece of a record of simpleperf, or the end of it. */
static void write_piece(struct pd_writer *writer, uint32_t type, const void *bytes, size_t n)
{
	struct bytes b = { 0 };
	size_t start = record_begin(&b, type, 0);

	bytes_add(&b, bytes, n);
	record_end(&b, start);
	assert_ok(pd_writer_add_records(writer, b.data, b.n));
	bytes_free(&b);
}

/* u32 type, u16 upper half of the size, u16 lower half; u32 length, text. */
static struct bytes make_long_record(void)
{
	enum { TEXT_BYTES = 100000, SIZE = 8 + 4 + TEXT_BYTES, KERNEL_SYMBOL = 32769 };
	struct bytes b = { 0 };

	u32(&b, KERNEL_SYMBOL);
	put(&b, SIZE >> 16, 2);
	put(&b, SIZE & 0xffff, 2);
	u32(&b, TEXT_BYTES);
	for (size_t i = 0; i < TEXT_BYTES; i++)
		put(&b, 'a' + i % 26, 1);
	return b;
}

static void records_of_several_pieces_stay_whole(void **state)
{
	enum { PIECE = 60000 };
	struct pd_attr attr = written_attr();
	struct bytes whole = make_long_record();
	struct pd_copy_result result;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, false, false);

	(void)state;
	assert_ok(pd_writer_add_event(writer, &attr, NULL, 0));
	assert_ok(pd_writer_add_feature(writer, 129, "key\0value", 10));
	write_piece(writer, 32772, whole.data, PIECE);
	write_piece(writer, 32772, whole.data + PIECE, whole.n - PIECE);
	write_piece(writer, 32773, NULL, 0);
	writer_close(writer);
	struct bytes made = written(out);
	struct bytes turned = copy_bytes(&made, (struct pd_copy_opts){ .swap = true }, &result);
	struct pd_file *file = open_bytes(&turned);
	assert_int_equal(count_records(file, 32769), 1);
	assert_int_equal(count_records(file, 0), 1);
	pd_file_close(file);
	struct bytes once = copy_bytes(&made, (struct pd_copy_opts){ 0 }, &result);
	struct bytes back = copy_bytes(&turned, (struct pd_copy_opts){ 0 }, &result);
	assert_equal_bytes(&back, &once);
	bytes_free(&back);
	bytes_free(&once);
	bytes_free(&turned);
	bytes_free(&made);
	bytes_free(&whole);
}

static void tracing_data_within_a_record_are_copied(void **state)
{
	static const char data[] = "\30\0\0\0tracing data, 24 bytes..";
	struct pd_attr attr = written_attr();
	struct pd_copy_result result;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, false, false);

	(void)state;
	assert_ok(pd_writer_add_event(writer, &attr, NULL, 0));
	write_piece(writer, PD_RECORD_TRACING_DATA, data, sizeof(data) - 1);
	writer_close(writer);
	struct bytes made = written(out);
	struct bytes turned = copy_bytes(&made, (struct pd_copy_opts){ .swap = true }, &result);
	assert_int_equal(result.n_without_payload, 0);
	struct bytes back = copy_bytes(&turned, (struct pd_copy_opts){ 0 }, &result);
	assert_equal_bytes(&back, &made);
	bytes_free(&back);
	bytes_free(&turned);
	bytes_free(&made);
}

static void invalid_options_are_rejected(void **state)
{
	struct pd_copy_opts opts = { .swap = true, .keep_compressed = true };
	struct bytes made = make(false);
	struct pd_file *file = open_bytes(&made);
	struct pd_copy_result result;
	FILE *out = tmpfile();

	(void)state;
	assert_error(pd_copy(file, out, "copy", &opts, &result), PD_ERROR_USAGE);
	opts = (struct pd_copy_opts){ .is_pipe = true, .keep_compressed = true };
	assert_error(pd_copy(file, out, "copy", &opts, &result), PD_ERROR_USAGE);
	fclose(out);
	pd_file_close(file);
	bytes_free(&made);
}

/* Change some bytes, or truncate the recording. */
static void mutate(struct bytes *b, uint64_t *random)
{
	size_t n = 1 + random_next(random) % 8;
	size_t range = random_next(random) % 2 && b->n > 600 ? 600 : b->n;

	while (n--)
		b->data[random_next(random) % range] = (uint8_t)random_next(random);
	if (random_next(random) % 8 == 0)
		b->n = 1 + random_next(random) % b->n;
}

static void check_copy(const struct bytes *copy)
{
	struct pd_file *file = open_bytes(copy);

	assert_padded(file);
	pd_file_close(file);
}

/* Copying may fail, but a copy that was written without an error can be read. */
static void check_hostile(const struct bytes *b, const struct pd_copy_opts *opts)
{
	struct pd_copy_result result;
	struct pd_file *file;
	struct pd_error *err = pd_file_open_memory("hostile", b->data, b->n, NULL, &file);

	if (err) {
		pd_error_destroy(err);
		return;
	}
	FILE *out = tmpfile();
	err = pd_copy(file, out, "copy", opts, &result);
	pd_file_close(file);
	struct bytes copy = written(out);
	if (err)
		pd_error_destroy(err);
	else
		check_copy(&copy);
	bytes_free(&copy);
}

static void crafted_recordings_are_harmless(void **state)
{
	static const char *const names[] = { "compressed", "fp", "tracepoints", "group", "piped" };
	uint64_t random = 0x9e3779b97f4a7c15;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		struct bytes original = testdata_read(names[i], "perf.data");

		for (int k = 0; k < N_MUTATIONS; k++) {
			const struct pd_copy_opts opts = { .swap = k & 1, .is_pipe = k & 2 };
			struct bytes b = { 0 };

			bytes_add(&b, original.data, original.n);
			mutate(&b, &random);
			check_hostile(&b, &opts);
			bytes_free(&b);
		}
		bytes_free(&original);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_in_the_same_order_are_equal),
		cmocka_unit_test(copies_are_byteswapped_and_back),
		cmocka_unit_test(containers_are_converted_and_back),
		cmocka_unit_test(late_events_of_a_stream_are_in_the_table),
		cmocka_unit_test(features_that_a_stream_cannot_hold_are_reported),
		cmocka_unit_test(compression_that_is_not_used_is_left_out),
		cmocka_unit_test(records_without_their_payload_are_left_out),
		cmocka_unit_test(records_without_padding_get_it),
		cmocka_unit_test(records_that_cannot_be_padded_are_left_out),
		cmocka_unit_test(copies_of_interrupted_recordings_are_finished),
		cmocka_unit_test(compressed_records_are_unpacked_or_kept),
		cmocka_unit_test(directories_become_a_file),
		cmocka_unit_test(records_of_several_pieces_stay_whole),
		cmocka_unit_test(tracing_data_within_a_record_are_copied),
		cmocka_unit_test(invalid_options_are_rejected),
		cmocka_unit_test(crafted_recordings_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
