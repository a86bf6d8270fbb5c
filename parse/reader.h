/**
 * @file The records of a file in time order.
 */
#ifndef PD_PARSE_READER_H
#define PD_PARSE_READER_H

#include "base/error.h"
#include "parse/file.h"
#include "parse/record.h"

struct pd_reader;

/** @p file is borrowed and outlives the reader. */
struct pd_error *pd_reader_create(const struct pd_file *file, struct pd_reader **ret) pd_must_check;
void pd_reader_destroy(struct pd_reader *reader);

/**
 * The next record; @p ret->bytes is NULL at the end. Records without a time come at once, in their
 * place of the file; all others in order of time. Valid until the next call; to keep it longer take
 * a reference of its chunk.
 */
struct pd_error *pd_reader_next(struct pd_reader *reader, struct pd_record *ret) pd_must_check;

/** Records that came out of order, because newer ones had left when they were read. */
uint64_t pd_reader_n_late(const struct pd_reader *reader);

#endif
