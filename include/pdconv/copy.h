/**
 * @file Writing a recording that was read, as a file or a stream, in either byte order.
 *
 * Records keep their order, but those of a directory are merged by time into one. What a file has
 * in sections and a stream in records (events, features, event types, tracing data, build ids)
 * changes its form with the container. Compressed records are replaced by what they hold, and
 * HEADER_COMPRESSED and HEADER_DIR_FORMAT are left out, for they would no longer be true.
 */
#ifndef PDCONV_COPY_H
#define PDCONV_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/decls.h>

PD_DECLS_BEGIN

/** Zeroed: a file in this machine's byte order. */
struct pd_copy_opts {
	/** Write in the other byte order than this machine. */
	bool swap;
	/** Write a stream (pipe mode). */
	bool is_pipe;
	/** Compressed records stay as they are; byte order and container must stay as well. */
	bool keep_compressed;
};

/** What became of the recording. */
struct pd_copy_result {
	/** Records that were read, compressed containers and what they hold included. */
	uint64_t n_records;
	/** Records and features that do not decode, and were turned as far as they do. */
	uint64_t n_partly_byteswapped;
	/** Of types that are not known: only the header was turned. */
	uint64_t n_unknown;
	/** Left out because what should follow them is missing. */
	uint64_t n_without_payload;
	/** A bit for each feature that the copy cannot hold, as in the header. */
	uint64_t features_left_out[PD_N_FEATURE_BITS / 64];
};

/**
 * Write @p file, of which no record has been read, to @p out, another file: see pd_writer_create.
 * Memory is needed for the features of @p file and its largest record, not for all of it. Damage of
 * the input goes to the diag of @p file. Errors: @p opts make no sense; a stream without events is
 * to be a file; reading; writing; no memory. Then @p out holds an unfinished recording.
 */
struct pd_error *pd_copy(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, struct pd_copy_result *ret) pd_must_check;

PD_DECLS_END

#endif
