/**
 * @file The records of a recording, of all its parts, in file order or in time order.
 */
#ifndef PDCONV_READER_H
#define PDCONV_READER_H

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

PD_DECLS_BEGIN

enum pd_order_kind {
	/** As they are in the file; of a directory: "data", then "data.0", and so on. */
	PD_ORDER_FILE,
	/**
	 * By time, all parts together; equal times as in file order. Records without a time, and
	 * those that simpleperf wants to be applied first, come as soon as they are read.
	 */
	PD_ORDER_TIME,
};

struct pd_reader;

/** @p file is borrowed and outlives the reader. Of a stream there is one reader only. */
struct pd_error *pd_reader_create(
	struct pd_file *file, enum pd_order_kind kind, struct pd_reader **ret) pd_must_check;
/** NULL is fine. */
void pd_reader_destroy(struct pd_reader *reader);

/**
 * The next record; @p ret->bytes is NULL at the end. What @p ret points to, and what is decoded
 * from it, is valid until the next call, and the reader's end; pd_record_keep keeps it longer. With
 * a stream a call may add events and features to the file: look them up anew.
 *
 * Records come out whatever their type; those that are compressed are followed by what they hold.
 * Where the input is so damaged that it cannot be read on, that is its end, and file->diag has a
 * PD_ERROR_CUT. Errors: reading, no memory; the reader is of no further use then.
 */
struct pd_error *pd_reader_next(struct pd_reader *reader, struct pd_record *ret) pd_must_check;

/**
 * Records that came in time order and yet late, because newer ones had left when they were read.
 */
uint64_t pd_reader_n_late(const struct pd_reader *reader);

PD_DECLS_END

#endif
