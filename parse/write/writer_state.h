/**
 * @file State of a writer, and its two forms: a file with a header (writer_file.c), and a stream
 * (writer_stream.c).
 */
#ifndef PD_PARSE_WRITE_WRITER_STATE_H
#define PD_PARSE_WRITE_WRITER_STATE_H

#include <pdconv/header.h>
#include <pdconv/vec.h>
#include <pdconv/writer.h>

/** Size of a FEATURE record before its body, in bytes. */
enum { PD_FEATURE_RECORD_BYTES = 16 };

struct parse_writer_event {
	/** Encoded attr, in the byte order of the output. */
	struct pd_bytes attr;
	PD_VEC(uint64_t) ids;
};

struct parse_writer_feature {
	bool is_present;
	struct pd_bytes body;
};

/** Entry of HEADER_AUXTRACE. */
struct parse_writer_trace {
	uint64_t offset;
	uint64_t size;
};

struct pd_writer {
	FILE *out;
	char *name;
	struct pd_writer_opts opts;
	/** Number of bytes that were written: offset of the next one. */
	uint64_t offset;
	struct pd_file_header header;
	PD_VEC(struct parse_writer_event) events;
	/** The attr table before the records contains all events, and all their ids. */
	bool has_all_events;
	bool has_whole_table;
	PD_VEC(struct parse_writer_trace) traces;
	struct parse_writer_feature features[PD_N_FEATURE_BITS];
	struct pd_bytes event_types;
	/** The header, and the first attr table of a file, were written. */
	bool has_begun;
	bool is_finished;
	/** Stream: features were written, but not yet the empty feature that ends them. */
	bool lacks_end_mark;
	unsigned max_feature;
};

struct parse_writer_frame {
	uint32_t type;
	uint32_t size;
	/** Size of the payload that must follow, in bytes. */
	uint64_t payload_size;
};

/** Write bytes. parse_writer_put_encoded() frees @p bytes, even on failure. */
struct pd_error *parse_writer_put(
	struct pd_writer *w, const void *bytes, size_t size) pd_must_check;
struct pd_error *parse_writer_put_encoded(
	struct pd_writer *w, struct pd_bytes *bytes) pd_must_check;

/** Magic in the byte order of the output. */
const char *parse_writer_magic(const struct pd_writer *w);
/** Append the ids of @p event. */
void parse_writer_put_ids(const struct parse_writer_event *event, struct pd_bytes *out);
/** Whether the recording is one of simpleperf, by its META_INFO. */
bool parse_writer_is_simpleperf(const struct pd_writer *w);
/** Decode type and sizes of the record at @p bytes. False if it is incomplete. */
bool parse_writer_read_frame(const struct pd_writer *w, const uint8_t *bytes, size_t size,
	struct parse_writer_frame *ret);

/** Write the header, unless it was written before. */
struct pd_error *parse_writer_begin(struct pd_writer *w) pd_must_check;

struct pd_error *parse_writer_begin_file(struct pd_writer *w) pd_must_check;
struct pd_error *parse_writer_sync_file(struct pd_writer *w) pd_must_check;
struct pd_error *parse_writer_finish_file(struct pd_writer *w) pd_must_check;

struct pd_error *parse_writer_begin_stream(struct pd_writer *w) pd_must_check;
/** Write @p event as a record. */
struct pd_error *parse_writer_stream_event(
	struct pd_writer *w, const struct parse_writer_event *event) pd_must_check;
/** Write the feature as one or several records. */
struct pd_error *parse_writer_stream_feature(
	struct pd_writer *w, unsigned bit, const void *body, size_t size) pd_must_check;
/** Write the empty feature that ends the features, if anything depends on it. */
struct pd_error *parse_writer_end_features(struct pd_writer *w) pd_must_check;

#endif
