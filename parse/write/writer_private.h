/**
 * @file What the parts of the writer share: parse/write/writer.c, writer_file.c and writer_stream.c.
 */
#ifndef PD_PARSE_WRITE_WRITER_PRIVATE_H
#define PD_PARSE_WRITE_WRITER_PRIVATE_H

#include <pdconv/header.h>
#include <pdconv/vec.h>
#include <pdconv/writer.h>

/** Bytes of a FEATURE record before the body. */
enum { PD_FEATURE_RECORD_BYTES = 16 };

struct pd_writer_event {
	/** In the order of what is written. */
	struct pd_bytes attr;
	PD_VEC(uint64_t) ids;
};

struct pd_writer_feature {
	bool is_present;
	struct pd_bytes body;
};

/* An entry of HEADER_AUXTRACE. */
struct pd_writer_trace {
	uint64_t offset;
	uint64_t size;
};

struct pd_writer {
	FILE *out;
	char *name;
	struct pd_writer_opts opts;
	/** Bytes that were written: where the next one goes. */
	uint64_t offset;
	struct pd_file_header header;
	PD_VEC(struct pd_writer_event) events;
	/** The attr table in front of the records has them all, with all their ids. */
	bool has_whole_table;
	PD_VEC(struct pd_writer_trace) traces;
	struct pd_writer_feature features[PD_N_FEATURE_BITS];
	struct pd_bytes event_types;
	/** The header, and of a file the first attr table, is written. */
	bool has_begun;
	bool is_finished;
	/** Of a stream: features were written, and not yet the mark that ends them. */
	bool lacks_end_mark;
	unsigned max_feature;
};

struct pd_writer_frame {
	uint32_t type;
	uint32_t size;
	/** Bytes that must follow. */
	uint64_t payload_size;
};

/** Write bytes as they are; and what was encoded, which is freed whatever happens. */
struct pd_error *pd_writer_put(struct pd_writer *w, const void *bytes, size_t size) pd_must_check;
struct pd_error *pd_writer_put_encoded(struct pd_writer *w, struct pd_bytes *bytes) pd_must_check;

/** The first bytes of either mode. */
const char *pd_writer_magic(const struct pd_writer *w);
/** Append the ids of @p event. */
void pd_writer_put_ids(const struct pd_writer_event *event, struct pd_bytes *out);
/** It has records that only simpleperf writes. */
bool pd_writer_is_simpleperf(const struct pd_writer *w);
/** What the record at @p bytes says of itself; false if it is not wholly there. */
bool pd_writer_read_frame(
	const struct pd_writer *w, const uint8_t *bytes, size_t size, struct pd_writer_frame *ret);

/** What comes first is written, unless it is already. */
struct pd_error *pd_writer_begin(struct pd_writer *w) pd_must_check;

struct pd_error *pd_writer_begin_file(struct pd_writer *w) pd_must_check;
struct pd_error *pd_writer_sync_file(struct pd_writer *w) pd_must_check;
struct pd_error *pd_writer_finish_file(struct pd_writer *w) pd_must_check;

struct pd_error *pd_writer_begin_stream(struct pd_writer *w) pd_must_check;
/** The event as a record. */
struct pd_error *pd_writer_stream_event(
	struct pd_writer *w, const struct pd_writer_event *event) pd_must_check;
/** The feature as a record, or as several. */
struct pd_error *pd_writer_stream_feature(
	struct pd_writer *w, unsigned bit, const void *body, size_t size) pd_must_check;
/** The mark behind the last feature. */
struct pd_error *pd_writer_end_features(struct pd_writer *w) pd_must_check;

#endif
