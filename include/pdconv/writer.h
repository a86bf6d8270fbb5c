/**
 * @file Writer of recordings: makes a file or a stream from events, features and records.
 *
 *	pd_writer_create(out, "perf.data", &opts, &writer);
 *	pd_writer_add_event(writer, &attr, ids, n_ids);
 *	pd_writer_add_records(writer, records, size);	any number of times
 *	pd_writer_add_feature(writer, PD_FEATURE_ARCH, body, size);
 *	pd_writer_finish(writer);
 *	pd_writer_destroy(writer);
 *
 * Records and feature bodies must be encoded in the byte order of the output, with the functions of
 * pdconv/record.h, pdconv/sample.h and pdconv/layout.h. Records are written as they are added;
 * events and features may be added at any time. A file that is not finished reads as an interrupted
 * recording: it contains the records that were flushed, and the events and ids that were added
 * before the first record.
 *
 * A file consists of header, ids, attrs, records, feature table and features, like a file of perf.
 * Events that were added after the first record are in a second attr table at the end, to which the
 * header points then. A stream consists of records in the order in which they were added.
 *
 * After an error the writer can only be destroyed. Use a writer from one thread at a time.
 */
#ifndef PDCONV_WRITER_H
#define PDCONV_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/attr.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>

PD_DECLS_BEGIN

struct pd_writer;

/** Format of the output. Zeroed: a file in host byte order. */
struct pd_writer_opts {
	/** Write in the opposite of the host byte order. */
	bool swap;
	/** Write a stream (pipe mode). */
	bool is_pipe;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[4];
};

/**
 * Create a writer to @p out, which is borrowed until the writer is destroyed. @p out must be at its
 * start, and nothing else may write to it. For a file it must be seekable. @p name is used in
 * messages. Errors: OS if @p out is not seekable, NOMEM.
 */
struct pd_error *pd_writer_create(FILE *out, const char *name, const struct pd_writer_opts *opts,
	struct pd_writer **ret) pd_must_check;
/** Free @p writer, which may be NULL. Neither finishes the recording nor closes the output. */
void pd_writer_destroy(struct pd_writer *writer);

/**
 * Add an event and the ids of its instances. Events are numbered from 0 in the order in which they
 * are added. Errors: USAGE if attr->size is invalid, or, in a stream, if the ids exceed a record;
 * OS; NOMEM.
 */
struct pd_error *pd_writer_add_event(struct pd_writer *writer, const struct pd_attr *attr,
	const uint64_t *ids, size_t n_ids) pd_must_check;
/**
 * Like pd_writer_add_event(), with an attr that is encoded in the byte order of the output. @p ids
 * are in host byte order.
 */
struct pd_error *pd_writer_add_event_bytes(struct pd_writer *writer, const void *attr, size_t size,
	const uint64_t *ids, size_t n_ids) pd_must_check;
/**
 * Add ids of further instances to event number @p event. USAGE in a stream, where an event has all
 * of its ids when it is added.
 */
struct pd_error *pd_writer_add_ids(
	struct pd_writer *writer, size_t event, const uint64_t *ids, size_t n_ids) pd_must_check;

/**
 * Add one or more records, @p size bytes in total, none of which is followed by a payload. A record
 * whose size is not a multiple of 8 is padded with zeros, unless its type has such sizes
 * (TRACING_DATA, FEATURE, COMPRESSED, those of simpleperf). Add records of simpleperf, whose header
 * differs, after its feature META_INFO. Errors: USAGE if a record is incomplete, needs a payload or
 * becomes too large; OS; NOMEM.
 */
struct pd_error *pd_writer_add_records(
	struct pd_writer *writer, const void *records, size_t size) pd_must_check;
/**
 * Add an AUXTRACE or TRACING_DATA record and the payload that follows it, whose size must be the
 * one in the record. The writer makes HEADER_AUXTRACE, the list of AUXTRACE records, itself.
 * Errors: USAGE; OS; NOMEM.
 */
struct pd_error *pd_writer_add_record_with_payload(struct pd_writer *writer, const void *record,
	size_t size, const void *payload, uint64_t payload_size) pd_must_check;

/**
 * Whether feature @p bit can be added with a body of @p size bytes. A stream cannot contain
 * features that are empty, longer than a record, or about offsets in a file.
 */
bool pd_writer_can_hold(const struct pd_writer *writer, unsigned bit, size_t size) pd_must_check;
/**
 * Add feature @p bit with the body of its section, which is copied. In a stream HEADER_TRACING_DATA
 * and HEADER_BUILD_ID become TRACING_DATA and BUILD_ID records. Errors: USAGE if
 * pd_writer_can_hold() is false or the feature was added before; OS; NOMEM.
 */
struct pd_error *pd_writer_add_feature(
	struct pd_writer *writer, unsigned bit, const void *body, size_t size) pd_must_check;

/**
 * Add event types, the event names in recordings of Linux up to 3.10, of PD_EVENT_TYPE_BYTES each
 * (pdconv/header.h).
 */
struct pd_error *pd_writer_add_event_types(
	struct pd_writer *writer, const void *types, size_t size) pd_must_check;

/**
 * Flush what was added so far and make it readable as a recording, in case nothing follows. A file
 * then contains the records, and the events and ids that were added before the first record, but
 * no features. A file to which events were added later is readable when it is finished. Errors:
 * OS, NOMEM.
 */
struct pd_error *pd_writer_sync(struct pd_writer *writer) pd_must_check;

/**
 * Write features and the final header, and flush. Nothing can be added afterwards. A file without
 * records gets a FINISHED_ROUND record, because readers take an empty data section for an
 * interrupted recording. Errors: USAGE if a file has no events; OS; NOMEM.
 */
struct pd_error *pd_writer_finish(struct pd_writer *writer) pd_must_check;

/** Number of bytes that were written so far; that of the whole recording once it is finished. */
uint64_t pd_writer_size(const struct pd_writer *writer);

PD_DECLS_END

#endif
