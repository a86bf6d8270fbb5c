/**
 * @file Iteration over the records of a recording, in file order or in time order.
 */
#ifndef PDCONV_READER_H
#define PDCONV_READER_H

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

PD_DECLS_BEGIN

enum pd_order_kind {
	/**
	 * Order in the file. A directory's main file "data" comes first, then "data.0" and so on.
	 */
	PD_ORDER_FILE,
	/**
	 * Order of time, with all data files of a directory merged; records with equal times are in
	 * file order. Records without a time are returned as soon as they are read, and so are
	 * those that simpleperf places before all others.
	 */
	PD_ORDER_TIME,
};

struct pd_reader;

/**
 * Create a reader of @p file, which is borrowed and must outlive it. A stream can only be read by
 * one reader. Errors: OS, NOMEM.
 */
struct pd_error *pd_reader_create(
	struct pd_file *file, enum pd_order_kind kind, struct pd_reader **ret) pd_must_check;
/** Destroy @p reader, which may be NULL. Records that were not kept become invalid. */
void pd_reader_destroy(struct pd_reader *reader);

/**
 * Read the next record; at the end @p ret->bytes is NULL. The record, and data that was decoded
 * from it, is valid until the next call or until the reader is destroyed; pd_record_keep() extends
 * that. Reading a stream may add events and features to the file and move them, so look them up
 * again.
 *
 * Records of every type are returned. A compressed record is followed by the records in it. If the
 * input is so damaged that reading cannot continue, the input ends there, and pd_file_diag() gets a
 * PD_ERROR_CUT. Errors: OS, NOMEM; after one, the reader can only be destroyed.
 */
struct pd_error *pd_reader_next(struct pd_reader *reader, struct pd_record *ret) pd_must_check;

/**
 * Number of records that were returned out of order, because newer ones had been returned before.
 */
uint64_t pd_reader_n_late(const struct pd_reader *reader);

PD_DECLS_END

#endif
