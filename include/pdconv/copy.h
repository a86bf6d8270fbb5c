/**
 * @file Copying a recording to a file or a stream, in either byte order.
 *
 * Records keep their order, except that the parts of a directory are merged by time. Events,
 * features, event types, tracing data and build ids are sections of a file and records of a stream,
 * and are converted. Compressed records are replaced by their contents. HEADER_COMPRESSED and
 * HEADER_DIR_FORMAT are left out, because they would no longer be true.
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

/** Options of a copy. Zeroed: a file in the byte order of this machine. */
struct pd_copy_opts {
	/** Write in the byte order that this machine does not have. */
	bool swap;
	/** Write a stream (pipe mode). */
	bool is_pipe;
	/**
	 * Copy compressed records as they are. Byte order and container must then be those of the
	 * input.
	 */
	bool keep_compressed;
};

/** What was copied. */
struct pd_copy_result {
	/** Number of records read, including compressed records and the records within them. */
	uint64_t n_records;
	/**
	 * Number of records and features that were byteswapped in part, as the rest cannot be
	 * decoded.
	 */
	uint64_t n_partly_byteswapped;
	/** Number of records of unknown type, of which only the header was byteswapped. */
	uint64_t n_unknown;
	/** Number of records left out because the data that must follow them is missing. */
	uint64_t n_without_payload;
	/** Bitmap of the features that the copy cannot hold, as in the file header. */
	uint64_t features_left_out[PD_N_FEATURE_BITS / 64];
};

/**
 * Copy @p file, of which no record has been read yet, to @p out; see pd_writer_create() about @p
 * out and @p name. Memory is needed for the features and the largest record, not for the whole
 * recording. Damage of the input goes to the diag of @p file. Errors: USAGE, invalid @p opts;
 * FORMAT, a stream without events cannot become a file; reading; writing; no memory. After an error
 * @p out holds an unfinished recording.
 */
struct pd_error *pd_copy(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, struct pd_copy_result *ret) pd_must_check;

PD_DECLS_END

#endif
