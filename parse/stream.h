/**
 * @file The records of a file, in file order, compressed ones unpacked.
 */
#ifndef PD_PARSE_STREAM_H
#define PD_PARSE_STREAM_H

#include "base/error.h"
#include "parse/file.h"
#include "parse/record.h"

struct pd_stream;

/** @p file is borrowed and outlives the stream. */
struct pd_error *pd_stream_create(const struct pd_file *file, struct pd_stream **ret) pd_must_check;
void pd_stream_destroy(struct pd_stream *stream);

/**
 * The next record; @p ret->bytes is NULL at the end. Records of COMPRESSED and COMPRESSED2 come
 * instead of those. Who keeps a record beyond the next call takes a reference of its chunk. Where
 * the stream is damaged it ends, and the file's diag is told how much was not read.
 */
struct pd_error *pd_stream_next(struct pd_stream *stream, struct pd_record *ret) pd_must_check;

#endif
