/**
 * @file The records of a file, in file order, compressed ones unpacked.
 *
 * Records that are about the recording as a whole (ATTR and the like) are applied to the file
 * as they are read, and come out like all others. Several streams of one file may be read: what one
 * has applied the others do not apply again.
 */
#ifndef PD_PARSE_STREAM_H
#define PD_PARSE_STREAM_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

struct pd_stream;

/**
 * The records of part @p part of @p file, which is borrowed and outlives the stream. A part that
 * comes piece by piece can be read once only; the second time is an error.
 */
struct pd_error *pd_stream_create(
	struct pd_file *file, uint32_t part, struct pd_stream **ret) pd_must_check;
/** NULL is fine. */
void pd_stream_destroy(struct pd_stream *stream);

/**
 * The next record; @p ret->bytes is NULL at the end. What COMPRESSED and COMPRESSED2 hold comes
 * behind them. Who keeps a record beyond the next call uses pd_record_keep. Where
 * the stream is damaged it ends, and the file's diag is told how much was not read. Errors: reading,
 * no memory.
 */
struct pd_error *pd_stream_next(struct pd_stream *stream, struct pd_record *ret) pd_must_check;

/** The record that was returned last is to be applied before all others, whatever its time. */
bool pd_stream_is_before_data(const struct pd_stream *stream);

/**
 * Read up to where samples begin, or some MiB, so that the file knows its events and features. The
 * records still come out of pd_stream_next.
 */
struct pd_error *pd_stream_read_ahead(struct pd_stream *stream) pd_must_check;

#endif
