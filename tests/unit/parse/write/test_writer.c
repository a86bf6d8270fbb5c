/* Recordings that are written and read again, and input that a writer refuses. */
#include "tests/unit/test_writing.h"

#include <unistd.h>

#include "base/array.h"
#include "parse/open_file.h"
#include "parse/write/branch.h"

enum { RECORD_BYTES = 32, N_TYPES = 100 };

static const uint64_t ids[] = { 11, 12, 13 };

/* A file of two events' worth of ids, of which one is added. */
static struct pd_writer *begin(FILE *out, bool is_pipe, bool swap)
{
	struct pd_writer *writer = writer_open(out, is_pipe, swap);
	struct pd_attr attr = written_attr();

	assert_ok(pd_writer_add_event(writer, &attr, ids, 2));
	return writer;
}

static struct pd_file *reopen(const struct bytes *b)
{
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file;

	assert_ok(pd_file_open_memory("written", b->data, b->n, diag, &file));
	assert_int_equal(pd_diag_n(diag), 0);
	file->diag = NULL;
	pd_diag_destroy(diag);
	return file;
}

static void add_hostname(struct pd_writer *writer, bool swap)
{
	struct pd_string name = { .value = { .s = "host", .len = 4 } };
	struct pd_bytes out = { .swap = swap };

	pd_layout_encode(&pd_layout_string, &name, NULL, &out);
	assert_ok(pd_writer_add_feature(writer, PD_FEATURE_HOSTNAME, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

/* Header, ids, attrs, records, feature table, features. */
static void files_are_laid_out_as_perf_does_it(void **state)
{
	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	write_sample(writer, false, 12, 5);
	add_hostname(writer, false);
	writer_close(writer);

	struct bytes b = written(out);
	size_t attrs = FILE_HEADER_BYTES + 16;
	size_t data = attrs + 112 + 16;
	assert_memory_equal(b.data, "PERFILE2", 8);
	assert_int_equal(load64(&b, 8), FILE_HEADER_BYTES);
	assert_int_equal(load64(&b, AT_ATTR_SIZE), 128);
	assert_int_equal(load64(&b, AT_ATTRS), attrs);
	assert_int_equal(load64(&b, AT_DATA_OFFSET), data);
	assert_int_equal(load64(&b, AT_DATA_SIZE), RECORD_BYTES);
	assert_int_equal(load64(&b, AT_FEATURES), 1 << PD_FEATURE_HOSTNAME);
	assert_int_equal(load64(&b, FILE_HEADER_BYTES), 11);
	assert_int_equal(load64(&b, data + RECORD_BYTES), data + RECORD_BYTES + 16);
	assert_int_equal(load64(&b, data + RECORD_BYTES + 8), 4 + 64);
	assert_int_equal(b.n, data + RECORD_BYTES + 16 + 4 + 64);
	bytes_free(&b);
}

static void check_read_again(bool is_pipe, bool swap)
{
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, is_pipe, swap);

	add_hostname(writer, swap);
	write_sample(writer, swap, 12, 5);
	assert_ok(pd_writer_finish(writer));
	uint64_t size = pd_writer_size(writer);
	pd_writer_destroy(writer);
	struct bytes b = written(out);
	assert_int_equal(size, b.n);
	struct pd_file *file = reopen(&b);
	assert_int_equal(file->swap, swap);
	assert_int_equal(file->is_pipe, is_pipe);
	assert_int_equal(file->events.list.n, 1);
	assert_int_equal(file->events.list.data[0].ids.n, 2);
	assert_int_equal(file->events.list.data[0].attr.flags, written_attr().flags);
	assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "host");
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 1);
	pd_file_close(file);
	bytes_free(&b);
}

static void written_recordings_can_be_read(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		check_read_again(i & 1, i & 2);
}

static void events_and_ids_may_come_late(void **state)
{
	struct pd_attr attr = written_attr();

	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	write_sample(writer, false, 11, 5);
	attr.config = 1;
	assert_ok(pd_writer_add_event(writer, &attr, ids + 2, 1));
	write_sample(writer, false, 13, 6);
	assert_ok(pd_writer_add_ids(writer, 0, &(uint64_t){ 14 }, 1));
	add_hostname(writer, false);
	writer_close(writer);

	struct bytes b = written(out);
	struct pd_file *file = reopen(&b);
	assert_true(file->header.attrs_offset > file->header.data_offset);
	assert_int_equal(file->events.list.n, 2);
	assert_int_equal(file->events.list.data[0].ids.n, 3);
	assert_int_equal(file->events.list.data[1].ids.data[0], 13);
	assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "host");
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 2);
	pd_file_close(file);
	bytes_free(&b);
}

/* Some readers use the size in the header for all attrs, others the size in each attr. */
static void attrs_of_several_sizes_become_one_size(void **state)
{
	struct pd_attr attr = written_attr();

	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	attr.size = 144;
	attr.config4 = 4;
	assert_ok(pd_writer_add_event(writer, &attr, NULL, 0));
	attr.size = 0;
	assert_ok(pd_writer_add_event(writer, &attr, ids + 2, 1));
	writer_close(writer);

	struct bytes b = written(out);
	struct pd_file *file = reopen(&b);
	assert_int_equal(file->header.attr_size, 144 + 16);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(file->events.list.data[i].attr.size, 144);
	assert_int_equal(file->events.list.data[1].attr.config4, 4);
	assert_int_equal(file->events.list.data[2].attr.config4, 0);
	assert_int_equal(file->events.list.data[2].ids.data[0], 13);
	pd_file_close(file);
	bytes_free(&b);
}

static void the_largest_attr_can_be_read(void **state)
{
	uint8_t bytes[PD_ATTR_MAX_BYTES] = { 0 };
	struct pd_attr attr = written_attr();
	struct pd_bytes encoded = { 0 };

	(void)state;
	attr.size = PD_ATTR_MAX_BYTES;
	pd_attr_encode(&attr, &encoded);
	assert_int_equal(encoded.buf.n, sizeof(bytes));
	memcpy(bytes, encoded.buf.data, sizeof(bytes));
	pd_bytes_deinit(&encoded);
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	assert_ok(pd_writer_add_event_bytes(writer, bytes, sizeof(bytes), NULL, 0));
	writer_close(writer);

	struct bytes b = written(out);
	struct pd_file *file = reopen(&b);
	assert_int_equal(file->header.attr_size, PD_ATTR_MAX_BYTES + 16);
	assert_int_equal(file->events.list.data[0].attr.size, PD_ATTR_MAX_BYTES);
	pd_file_close(file);
	bytes_free(&b);
}

static void a_killed_writer_leaves_an_interrupted_recording(void **state)
{
	struct pd_attr attr = written_attr();
	struct pd_file *file;

	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	write_sample(writer, false, 11, 5);
	add_hostname(writer, false);
	assert_ok(pd_writer_add_event(writer, &attr, ids + 2, 1));
	pd_writer_destroy(writer);

	struct bytes b = written(out);
	assert_ok(pd_file_open_memory("killed", b.data, b.n, NULL, &file));
	assert_true(file->is_unfinished);
	assert_int_equal(file->events.list.n, 1);
	assert_int_equal(file->events.list.data[0].ids.n, 2);
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 1);
	pd_file_close(file);
	bytes_free(&b);
}

/* A synced recording can be read even by readers that take a size of 0 for no records. */
static void a_synced_writer_leaves_a_recording(void **state)
{
	(void)state;
	for (int is_pipe = 0; is_pipe < 2; is_pipe++) {
		FILE *out = tmpfile();
		struct pd_writer *writer = begin(out, is_pipe, false);

		write_sample(writer, false, 11, 5);
		assert_ok(pd_writer_sync(writer));
		write_sample(writer, false, 11, 6);
		assert_ok(pd_writer_sync(writer));
		add_hostname(writer, false);
		pd_writer_destroy(writer);

		struct bytes b = written(out);
		struct pd_file *file = reopen(&b);
		assert_false(file->is_unfinished);
		assert_int_equal(file->events.list.n, 1);
		assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 2);
		pd_file_close(file);
		bytes_free(&b);
	}
}

/* Samples of other ids than those before the records may be lost, but not those records. */
static void a_synced_writer_leaves_records_that_follow_late_ids(void **state)
{
	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);

	write_sample(writer, false, 11, 5);
	assert_ok(pd_writer_sync(writer));
	assert_ok(pd_writer_add_ids(writer, 0, &(uint64_t){ 14 }, 1));
	write_sample(writer, false, 11, 6);
	assert_ok(pd_writer_sync(writer));
	pd_writer_destroy(writer);

	struct bytes b = written(out);
	struct pd_file *file = reopen(&b);
	assert_int_equal(file->events.list.data[0].ids.n, 2);
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), 2);
	pd_file_close(file);
	bytes_free(&b);
}

/* Finish a branch of @p writer, whose output is @p out, and copy what it lacks. */
static struct bytes finish_branch(const struct pd_writer *writer, FILE *out)
{
	struct pd_writer *branch;
	FILE *branched = tmpfile();

	assert_ok(parse_writer_branch(writer, branched, &branch));
	add_hostname(branch, false);
	assert_ok(pd_writer_finish(branch));
	pd_writer_destroy(branch);
	assert_int_equal(fflush(out), 0);
	for (off_t at = PD_HEADER_BYTES; at < (off_t)pd_writer_size(writer); at++) {
		char byte;

		assert_int_equal(pread(fileno(out), &byte, 1, at), 1);
		assert_int_equal(pwrite(fileno(branched), &byte, 1, at), 1);
	}
	return written(branched);
}

static void check_branch(struct bytes b, size_t n_ids, size_t n_samples)
{
	struct pd_file *file = reopen(&b);

	assert_false(file->is_unfinished);
	assert_int_equal(file->events.list.n, 1);
	assert_int_equal(file->events.list.data[0].ids.n, n_ids);
	assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "host");
	assert_int_equal(count_records(file, PD_RECORD_SAMPLE), n_samples);
	pd_file_close(file);
	bytes_free(&b);
}

static void branches_are_finished_while_the_recording_goes_on(void **state)
{
	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	struct pd_writer *branch;

	assert_error(parse_writer_branch(writer, out, &branch), PD_ERROR_USAGE);
	write_sample(writer, false, 11, 5);
	check_branch(finish_branch(writer, out), 2, 1);
	write_sample(writer, false, 11, 6);
	assert_ok(pd_writer_add_ids(writer, 0, &(uint64_t){ 14 }, 1));
	write_sample(writer, false, 14, 7);
	check_branch(finish_branch(writer, out), 3, 3);
	write_sample(writer, false, 14, 8);
	add_hostname(writer, false);
	writer_close(writer);
	check_branch(written(out), 3, 4);
}

/* A data size of 0 would mean that recording was interrupted. */
static void a_file_without_records_is_a_finished_one(void **state)
{
	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	add_hostname(writer, false);
	writer_close(writer);

	struct bytes b = written(out);
	struct pd_file *file = reopen(&b);
	assert_false(file->is_unfinished);
	assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "host");
	assert_int_equal(count_records(file, 0), 1);
	pd_file_close(file);
	bytes_free(&b);
}

static void check_bitmap(bool swap)
{
	static const unsigned bits[] = { 1, 40, 63, 64, 128, 200, 255 };
	enum { N_BITS = PD_ARRAY_LEN(bits) };
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, swap);
	struct pd_file *file;
	size_t n_present = 0;

	write_sample(writer, swap, 11, 5);
	for (size_t i = 0; i < N_BITS; i++)
		assert_ok(pd_writer_add_feature(writer, bits[i], "abcdefgh", 1 + i));
	writer_close(writer);
	struct bytes b = written(out);
	assert_ok(pd_file_open_memory("bits", b.data, b.n, NULL, &file));
	for (size_t i = 0; i < N_BITS; i++) {
		assert_true(file->feature[bits[i]].is_present);
		assert_int_equal(file->feature[bits[i]].size, 1 + i);
		assert_memory_equal(file->feature[bits[i]].bytes, "abcdefgh", 1 + i);
	}
	for (size_t bit = 0; bit < PD_N_FEATURE_BITS; bit++)
		n_present += file->feature[bit].is_present;
	assert_int_equal(n_present, N_BITS);
	pd_file_close(file);
	bytes_free(&b);
}

static void all_bits_of_the_bitmap_can_be_set(void **state)
{
	(void)state;
	check_bitmap(false);
	check_bitmap(true);
}

static void auxtrace_index_has_the_offsets_of_records(void **state)
{
	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	write_sample(writer, false, 11, 5);
	write_trace(writer, false, "trace data bytes", 16);
	write_trace(writer, false, "", 0);
	writer_close(writer);

	struct bytes b = written(out);
	struct pd_file *file = reopen(&b);
	size_t first = file->header.data_offset + RECORD_BYTES;
	const struct pd_feature *index = &file->feature[PD_FEATURE_AUXTRACE];
	assert_int_equal(index->size, 8 + 2 * 16);
	assert_int_equal(load64(&b, index->offset), 2);
	assert_int_equal(load64(&b, index->offset + 8), first);
	assert_int_equal(load64(&b, index->offset + 16), 48);
	assert_int_equal(load64(&b, index->offset + 24), first + 48 + 16);
	assert_memory_equal(b.data + first + 48, "trace data bytes", 16);
	assert_int_equal(count_records(file, PD_RECORD_AUXTRACE), 2);
	pd_file_close(file);
	bytes_free(&b);
}

/* u32 type 0, misc, size; pid, 24 bytes, name in 64. */
static void build_id_entry(struct bytes *b, const char *name)
{
	size_t start = record_begin(b, 0, PD_MISC_USER);

	u32(b, UINT32_MAX);
	bytes_add(b, "abcdefghijklmnopqrst\0\0\0", 24);
	padded(b, name);
	record_end(b, start);
}

static void streams_have_records_instead_of_sections(void **state)
{
	struct bytes entries = { 0 };

	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, true, false);
	add_hostname(writer, false);
	build_id_entry(&entries, "/bin/one");
	build_id_entry(&entries, "/bin/two");
	assert_ok(pd_writer_add_feature(writer, PD_FEATURE_BUILD_ID, entries.data, entries.n));
	assert_ok(pd_writer_add_feature(writer, PD_FEATURE_TRACING_DATA, "tracing", 7));
	write_sample(writer, false, 11, 5);
	writer_close(writer);

	struct bytes b = written(out);
	struct pd_file *file;
	assert_ok(pd_file_open_memory("stream", b.data, b.n, NULL, &file));
	assert_int_equal(file->build_ids.n, 2);
	assert_string_equal(file->build_ids.data[1].name, "/bin/two");
	assert_int_equal(file->feature[PD_FEATURE_TRACING_DATA].size, 8);
	assert_padded(file);
	/* ATTR, HOSTNAME, two BUILD_ID, TRACING_DATA, SAMPLE. */
	assert_int_equal(count_records(file, 0), 6);
	pd_file_close(file);
	bytes_free(&entries);
	bytes_free(&b);
}

/* perf 6.1 shows events as a group if a mark follows the features; perf 7.2 warns of it. */
static void features_of_several_events_end_with_a_mark(void **state)
{
	(void)state;
	for (size_t n_events = 1; n_events < 3; n_events++) {
		struct pd_attr attr = written_attr();
		FILE *out = tmpfile();
		struct pd_writer *writer = writer_open(out, true, false);
		struct pd_file *file;

		for (size_t i = 0; i < n_events; i++)
			assert_ok(pd_writer_add_event(writer, &attr, ids + i, 1));
		add_hostname(writer, false);
		write_sample(writer, false, 11, 5);
		writer_close(writer);
		struct bytes b = written(out);
		assert_ok(pd_file_open_memory("stream", b.data, b.n, NULL, &file));
		assert_int_equal(count_records(file, PD_RECORD_FEATURE), n_events);
		pd_file_close(file);
		bytes_free(&b);
	}
}

static bool has_payload(uint32_t type)
{
	return type == PD_RECORD_AUXTRACE || type == PD_RECORD_TRACING_DATA;
}

/* A record of each type, with 0 to 7 bytes in addition to the header. */
static void write_each_type(struct pd_writer *writer, bool swap)
{
	for (uint32_t type = 1; type < N_TYPES; type++) {
		struct pd_bytes b = { .swap = swap };

		for (uint16_t n = 0; n < 8 && !has_payload(type); n++) {
			pd_bytes_u32(&b, type);
			pd_bytes_u16(&b, 0);
			pd_bytes_u16(&b, PD_RECORD_HEADER_BYTES + n);
			pd_bytes_put(&b, "abcdefg", n);
		}
		assert_ok(pd_writer_add_records(writer, b.buf.data, b.buf.n));
		pd_bytes_deinit(&b);
	}
}

static void check_frame(const struct pd_cursor *at, uint32_t type, uint16_t n)
{
	bool is_padded = type != PD_RECORD_FEATURE && type != PD_RECORD_COMPRESSED;
	struct pd_cursor c = *at;

	assert_int_equal(pd_cursor_u32(&c), type);
	assert_int_equal(pd_cursor_u16(&c), 0);
	assert_int_equal(pd_cursor_u16(&c), PD_RECORD_HEADER_BYTES + (n && is_padded ? 8 : n));
	assert_memory_equal(c.pos, "abcdefg", n);
}

static void check_padded(bool is_pipe, bool swap)
{
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, is_pipe, swap);

	write_sample(writer, swap, 11, 5);
	size_t start = pd_writer_size(writer);
	write_each_type(writer, swap);
	writer_close(writer);
	struct bytes b = written(out);
	struct pd_cursor c = pd_cursor_init(b.data + start, b.n - start, swap);
	for (uint32_t type = 1; type < N_TYPES; type++) {
		for (uint16_t n = 0; n < 8 && !has_payload(type); n++) {
			struct pd_cursor size = { .pos = c.pos + 6, .end = c.end, .swap = swap };

			check_frame(&c, type, n);
			c.pos += pd_cursor_u16(&size);
		}
	}
	assert_ptr_equal(c.pos, c.end);
	bytes_free(&b);
}

static void records_of_all_types_are_padded(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		check_padded(i & 1, i & 2);
}

static void records_that_cannot_be_padded_are_rejected(void **state)
{
	uint8_t *large = calloc(1, UINT16_MAX);
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);

	(void)state;
	large[0] = PD_RECORD_COMM;
	large[6] = 0xf8;
	large[7] = 0xff;
	assert_ok(pd_writer_add_records(writer, large, UINT16_MAX - 7));
	large[6] = 0xf9;
	assert_error(pd_writer_add_records(writer, large, UINT16_MAX - 6), PD_ERROR_USAGE);
	pd_writer_destroy(writer);
	fclose(out);
	free(large);
}

static void streams_cannot_hold_all_features(void **state)
{
	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, true, false);
	assert_true(pd_writer_can_hold(writer, PD_FEATURE_CMDLINE, UINT16_MAX - 16));
	assert_false(pd_writer_can_hold(writer, PD_FEATURE_CMDLINE, UINT16_MAX - 15));
	assert_false(pd_writer_can_hold(writer, PD_FEATURE_BRANCH_STACK, 0));
	assert_false(pd_writer_can_hold(writer, PD_FEATURE_DIR_FORMAT, 8));
	assert_true(pd_writer_can_hold(writer, PD_FEATURE_TRACING_DATA, 1 << 20));
	assert_error(
		pd_writer_add_feature(writer, PD_FEATURE_BRANCH_STACK, NULL, 0), PD_ERROR_USAGE);
	pd_writer_destroy(writer);
	fclose(out);
}

static void streams_hold_as_many_ids_as_a_record(void **state)
{
	enum { N_IDS = 8200 };
	uint64_t *many = calloc(N_IDS, sizeof(*many));
	struct pd_attr attr = written_attr();

	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, true, false);
	assert_error(pd_writer_add_event(writer, &attr, many, N_IDS), PD_ERROR_UNSUPPORTED);
	pd_writer_destroy(writer);
	fclose(out);
	free(many);
}

static void invalid_calls_are_rejected(void **state)
{
	static const uint8_t half[] = { 3, 0, 0, 0, 0, 0, 16, 0 };
	static const uint8_t trace[] = { 71, 0, 0, 0, 0, 0, 16, 0, 8, 0, 0, 0, 0, 0, 0, 0 };
	struct pd_attr attr = written_attr();

	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = begin(out, false, false);
	assert_error(pd_writer_add_records(writer, half, sizeof(half)), PD_ERROR_USAGE);
	assert_error(pd_writer_add_records(writer, half, 4), PD_ERROR_USAGE);
	assert_error(pd_writer_add_records(writer, trace, sizeof(trace)), PD_ERROR_USAGE);
	assert_error(pd_writer_add_record_with_payload(writer, trace, sizeof(trace), "1234", 4),
		PD_ERROR_USAGE);
	assert_error(pd_writer_add_feature(writer, 0, "x", 1), PD_ERROR_USAGE);
	assert_error(pd_writer_add_feature(writer, PD_FEATURE_AUXTRACE, "x", 1), PD_ERROR_USAGE);
	assert_error(pd_writer_add_feature(writer, PD_N_FEATURE_BITS, "x", 1), PD_ERROR_USAGE);
	add_hostname(writer, false);
	assert_error(pd_writer_add_feature(writer, PD_FEATURE_HOSTNAME, "x", 1), PD_ERROR_USAGE);
	assert_error(pd_writer_add_ids(writer, 1, ids, 1), PD_ERROR_USAGE);
	assert_error(pd_writer_add_event_types(writer, "x", 1), PD_ERROR_USAGE);
	attr.size = 60;
	assert_error(pd_writer_add_event(writer, &attr, NULL, 0), PD_ERROR_USAGE);
	assert_error(pd_writer_add_event_bytes(writer, half, 8, NULL, 0), PD_ERROR_USAGE);
	assert_ok(pd_writer_finish(writer));
	assert_error(pd_writer_add_records(writer, "", 0), PD_ERROR_USAGE);
	assert_error(pd_writer_add_feature(writer, 5, "x", 1), PD_ERROR_USAGE);
	assert_error(pd_writer_finish(writer), PD_ERROR_USAGE);
	pd_writer_destroy(writer);
	fclose(out);
}

static void files_need_an_event(void **state)
{
	(void)state;
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, false, false);
	write_sample(writer, false, 11, 5);
	assert_error(pd_writer_finish(writer), PD_ERROR_UNSUPPORTED);
	pd_writer_destroy(writer);
	fclose(out);
}

static void write_failures_are_errors(void **state)
{
	const struct pd_writer_opts opts = { 0 };
	struct pd_writer *writer;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	FILE *out = fdopen(fds[1], "wb");
	assert_error(pd_writer_create(out, "pipe", &opts, &writer), PD_ERROR_OS);
	fclose(out);
	close(fds[0]);

	out = fopen("/dev/full", "wb");
	if (!out)
		return;
	writer = writer_open(out, true, false);
	assert_error(pd_writer_finish(writer), PD_ERROR_OS);
	pd_writer_destroy(writer);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_laid_out_as_perf_does_it),
		cmocka_unit_test(written_recordings_can_be_read),
		cmocka_unit_test(events_and_ids_may_come_late),
		cmocka_unit_test(attrs_of_several_sizes_become_one_size),
		cmocka_unit_test(the_largest_attr_can_be_read),
		cmocka_unit_test(a_killed_writer_leaves_an_interrupted_recording),
		cmocka_unit_test(a_synced_writer_leaves_a_recording),
		cmocka_unit_test(a_synced_writer_leaves_records_that_follow_late_ids),
		cmocka_unit_test(branches_are_finished_while_the_recording_goes_on),
		cmocka_unit_test(a_file_without_records_is_a_finished_one),
		cmocka_unit_test(all_bits_of_the_bitmap_can_be_set),
		cmocka_unit_test(auxtrace_index_has_the_offsets_of_records),
		cmocka_unit_test(streams_have_records_instead_of_sections),
		cmocka_unit_test(features_of_several_events_end_with_a_mark),
		cmocka_unit_test(records_of_all_types_are_padded),
		cmocka_unit_test(records_that_cannot_be_padded_are_rejected),
		cmocka_unit_test(streams_cannot_hold_all_features),
		cmocka_unit_test(streams_hold_as_many_ids_as_a_record),
		cmocka_unit_test(invalid_calls_are_rejected),
		cmocka_unit_test(files_need_an_event),
		cmocka_unit_test(write_failures_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
