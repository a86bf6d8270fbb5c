/**
 * @file Helpers for recordings that tests write to a temporary file and read back from memory.
 */
#ifndef PD_TESTS_UNIT_WRITING_H
#define PD_TESTS_UNIT_WRITING_H

#include "parse/open_file.h"
#include "tests/unit/test_recording.h"

#include <pdconv/reader.h>
#include <pdconv/writer.h>

/** Return everything that was written to @p out, and close it. */
static inline struct bytes written(FILE *out)
{
	struct bytes b = { 0 };
	uint8_t buf[65536];
	size_t n;

	assert_int_equal(fflush(out), 0);
	rewind(out);
	while ((n = fread(buf, 1, sizeof(buf), out)) > 0)
		bytes_add(&b, buf, n);
	fclose(out);
	return b;
}

static inline struct pd_writer *writer_open(FILE *out, bool is_pipe, bool swap)
{
	const struct pd_writer_opts opts = { .swap = swap, .is_pipe = is_pipe };
	struct pd_writer *writer;

	assert_ok(pd_writer_create(out, "test", &opts, &writer));
	return writer;
}

static inline void writer_close(struct pd_writer *writer)
{
	assert_ok(pd_writer_finish(writer));
	pd_writer_destroy(writer);
}

/** Return the attr of an event whose samples and trailers contain TID, TIME and ID. */
static inline struct pd_attr written_attr(void)
{
	return (struct pd_attr){
		.type = PD_TYPE_SOFTWARE,
		.size = 112,
		.sample_period = 4000,
		.sample_type = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME | 1 << PD_SAMPLE_ID,
		.flags = (uint64_t)1 << PD_ATTR_sample_id_all | (uint64_t)2 << PD_ATTR_precise_ip,
	};
}

/** Add a sample of the event instance @p id at @p time. */
static inline void write_sample(struct pd_writer *writer, bool swap, uint64_t id, uint64_t time)
{
	const struct pd_sample sample = { .pid = 7, .tid = 8, .time = time, .id = id };
	struct pd_attr attr = written_attr();
	struct pd_bytes out = { .swap = swap };
	struct pd_plan plan;

	pd_plan_compile(&attr, &plan);
	assert_true(pd_sample_encode(&plan, PD_MISC_USER, &sample, &out));
	assert_ok(pd_writer_add_records(writer, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

/** Add an AUXTRACE record followed by @p n bytes of payload. */
static inline void write_trace(struct pd_writer *writer, bool swap, const void *payload, uint64_t n)
{
	const union pd_body body = { .auxtrace = { .data_size = n, .idx = 3 } };
	struct pd_bytes out = { .swap = swap };

	assert_true(pd_record_encode(&pd_layout_auxtrace, 0, &body, NULL, 0, &out));
	assert_ok(pd_writer_add_record_with_payload(writer, out.buf.data, out.buf.n, payload, n));
	pd_bytes_deinit(&out);
}

/** Callback for a decoded sample of @p event. */
typedef void sample_visit(void *ctx, const struct pd_event *event, const struct pd_sample *sample);

/** Call @p visit for each sample, in the order of the file. */
static inline void for_each_sample(struct pd_file *file, sample_visit *visit, void *ctx)
{
	struct pd_reader *reader;
	struct pd_record rec;

	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	for (;;) {
		struct pd_sample sample;
		const char *field;

		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		const struct pd_event *event = pd_events_find(&file->events, &rec);
		assert_non_null(event);
		assert_int_equal(
			pd_sample_decode(&event->plan, &rec, &sample, &field), PD_SAMPLE_OK);
		visit(ctx, event, &sample);
	}
	pd_reader_destroy(reader);
}

/** Check the size of each record: perf 7.2 reads no recording in which one is not a multiple of 8. */
static inline void assert_padded(struct pd_file *file)
{
	struct pd_reader *reader;
	struct pd_record rec;

	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		if (rec.type != PD_RECORD_TRACING_DATA && rec.type != PD_RECORD_FEATURE &&
			rec.type != PD_RECORD_COMPRESSED && rec.type < 32768)
			assert_int_equal(rec.size % 8, 0);
	}
	pd_reader_destroy(reader);
}

/** Return the number of records of @p type, or of all records if it is 0. */
static inline size_t count_records(struct pd_file *file, uint32_t type)
{
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n = 0;

	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		n += !type || rec.type == type;
	}
	pd_reader_destroy(reader);
	return n;
}

#endif
