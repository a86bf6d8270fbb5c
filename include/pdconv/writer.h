/**
 * @file Writing a recording: events, features and records become a file or a stream.
 *
 * 	pd_writer_create(out, "perf.data", &opts, &writer);
 * 	pd_writer_add_event(writer, &attr, ids, n_ids);
 * 	pd_writer_add_records(writer, records, size);	as often as there are some
 * 	pd_writer_add_feature(writer, PD_FEATURE_ARCH, body, size);
 * 	pd_writer_finish(writer);
 * 	pd_writer_destroy(writer);
 *
 * What is added is in the byte order of what is written, encoded as pdconv/record.h,
 * pdconv/sample.h and pdconv/layout.h do it. Records go out as they are added; events and features
 * may be added at any time. A file that is never finished is what readers call an interrupted
 * recording: the records that left the buffer of the FILE are there, and the events that were added
 * before them.
 *
 * A file holds, as those of perf: header, ids, attrs, records, feature table, features. Events that
 * came after the first record are in a second attr table, at the end, which the header then points
 * to. In a stream everything is a record, in the order in which it was added.
 *
 * After an error the writer can only be destroyed.
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

/** Zeroed: a file in this machine's byte order. */
struct pd_writer_opts {
	/** In the other byte order than this machine. */
	bool swap;
	/** Pipe mode. */
	bool is_pipe;
};

/**
 * Write to @p out, which is borrowed until the writer is destroyed, stands at its start and is not
 * written to by others. A file needs one in which it can go back. @p name is for messages. Errors:
 * it cannot go back, no memory.
 */
struct pd_error *pd_writer_create(FILE *out, const char *name, const struct pd_writer_opts *opts,
	struct pd_writer **ret) pd_must_check;
/** NULL is fine. Does not finish what is written, nor close the file. */
void pd_writer_destroy(struct pd_writer *writer);

/**
 * Add an event and its instances. Events are numbered from 0 in the order in which they are added.
 * Errors: of a stream, more ids than a record holds; writing; no memory.
 */
struct pd_error *pd_writer_add_event(struct pd_writer *writer, const struct pd_attr *attr,
	const uint64_t *ids, size_t n_ids) pd_must_check;
/** The same of an attr as it is in another recording; the ids are in this machine's order. */
struct pd_error *pd_writer_add_event_bytes(struct pd_writer *writer, const void *attr, size_t size,
	const uint64_t *ids, size_t n_ids) pd_must_check;
/**
 * Add further instances to event number @p event. Not in a stream: there they come with the event.
 */
struct pd_error *pd_writer_add_ids(
	struct pd_writer *writer, size_t event, const uint64_t *ids, size_t n_ids) pd_must_check;

/**
 * Add one record or a run of them, @p size bytes, none of which has a payload behind it. Those of
 * simpleperf, whose header is another, come after its META_INFO. Errors: these are no whole
 * records; writing.
 */
struct pd_error *pd_writer_add_records(
	struct pd_writer *writer, const void *records, size_t size) pd_must_check;
/**
 * Add one record, AUXTRACE or TRACING_DATA, and the payload behind it, which is as long as the
 * record says. HEADER_AUXTRACE, the list of AUXTRACE records, needs not be added: it comes by
 * itself.
 */
struct pd_error *pd_writer_add_record_with_payload(struct pd_writer *writer, const void *record,
	size_t size, const void *payload, uint64_t payload_size) pd_must_check;

/**
 * Whether feature @p bit can be added with a body of @p size bytes. In a stream not all can: none
 * that is empty or longer than a record, and nothing about places in a file.
 */
bool pd_writer_can_hold(const struct pd_writer *writer, unsigned bit, size_t size) pd_must_check;
/**
 * Add feature @p bit, once, with the body of its section, of which a file keeps a copy until it is
 * finished. In a stream HEADER_TRACING_DATA and HEADER_BUILD_ID become the records that stand for
 * them. Errors: pd_writer_can_hold says no; it is there already; writing; no memory.
 */
struct pd_error *pd_writer_add_feature(
	struct pd_writer *writer, unsigned bit, const void *body, size_t size) pd_must_check;

/** Add event types, the names in recordings up to 3.10: each of PD_EVENT_TYPE_BYTES (header.h). */
struct pd_error *pd_writer_add_event_types(
	struct pd_writer *writer, const void *types, size_t size) pd_must_check;

/**
 * What was added so far leaves the buffer of the FILE, and is a recording that can be read should
 * nothing follow: of a file, without features, and with events that were there before the first
 * record. Errors: writing.
 */
struct pd_error *pd_writer_sync(struct pd_writer *writer) pd_must_check;

/**
 * Write what is left: features, the header with all places. Nothing can be added any more. A file
 * without records gets an empty round, FINISHED_ROUND: one that says it has none counts as
 * interrupted. Errors: a file has no event; writing; no memory.
 */
struct pd_error *pd_writer_finish(struct pd_writer *writer) pd_must_check;

PD_DECLS_END

#endif
