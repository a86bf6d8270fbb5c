/**
 * @file Iteration over the records of a file in file order, with compressed records decompressed.
 *
 * Records about the recording as a whole (ATTR and the like) are applied to the file when they are
 * read, and are returned like all others. Several streams may read the same file: each such record
 * is applied once.
 */
#ifndef PD_PARSE_PART_STREAM_H
#define PD_PARSE_PART_STREAM_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

struct parse_stream;

/**
 * Create a stream of the records in part @p part of @p file, which is borrowed and must outlive it.
 * Errors: USAGE if the part is a pipe or compressed and was read before; NOMEM.
 */
struct pd_error *parse_stream_create(
	struct pd_file *file, uint32_t part, struct parse_stream **ret) pd_must_check;
/** Free @p stream, which may be NULL. */
void parse_stream_destroy(struct parse_stream *stream);

/**
 * Read the next record; @p ret->bytes is NULL at the end. COMPRESSED and COMPRESSED2 records are
 * followed by the records in them. The time of the record is set, except for mappings from before
 * the recording, which must be applied before all others. The record is valid until the next call;
 * pd_record_keep() extends that. Damaged bytes are skipped, which is noted in file->diag and
 * file->gaps: see parse/framer.h. Errors: OS, NOMEM.
 */
struct pd_error *parse_stream_next(
	struct parse_stream *stream, struct pd_record *ret) pd_must_check;

/**
 * Read up to the first sample, but at most about 64 MiB, so that events and features of the file
 * are known. The records are returned by parse_stream_next() afterwards. Errors: OS, NOMEM.
 */
struct pd_error *parse_stream_read_ahead(struct parse_stream *stream) pd_must_check;

#endif
