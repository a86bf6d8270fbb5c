/**
 * @file Copying a recording, as a file or a stream, in either byte order.
 *
 * Records keep their order; those of a directory are merged by time. Events, features, event types,
 * tracing data and build ids are sections of a file but records of a stream, and are converted
 * between the two. Compressed records are replaced by the records they contain. HEADER_COMPRESSED
 * and HEADER_DIR_FORMAT are left out, because they do not hold for the copy.
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

/** Format of the copy. Zeroed: a file in host byte order. */
struct pd_copy_opts {
	/** Write in the opposite of the host byte order. */
	bool swap;
	/** Write a stream (pipe mode). */
	bool is_pipe;
	/**
	 * Copy compressed records unchanged. Byte order and container must be those of the input.
	 */
	bool keep_compressed;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[4];
};

/** Counts of what was copied, changed and left out. */
struct pd_copy_result {
	/** Records that were read, including compressed records and the records in them. */
	uint64_t n_records;
	/**
	 * Records and features that could not be decoded completely: the rest of them was not
	 * byteswapped.
	 */
	uint64_t n_partly_byteswapped;
	/** Records and features of unknown type: only the record header was byteswapped. */
	uint64_t n_unknown;
	/** Records that were left out because the payload that must follow them is missing. */
	uint64_t n_without_payload;
	/**
	 * BUILD_ID records of a stream that stayed records, and event types that were left out,
	 * because there are too many (see doc/limits.md).
	 */
	uint64_t n_build_id_records;
	uint64_t n_event_types_left_out;
	/**
	 * Bitmap, as in the file header, of features that the container of the copy cannot hold.
	 */
	uint64_t features_left_out[PD_N_FEATURE_BITS / 64];
};

/**
 * Copy @p file to @p out, which must be a different file: see pd_writer_create() for @p out and
 * @p name. No record of @p file may have been read. Needs memory for the features of @p file and
 * its largest record. Damage of the input is noted in pd_file_diag(). Errors: USAGE if @p opts
 * contradict each other or @p file; UNSUPPORTED; reading; writing; NOMEM. After an error @p out
 * holds an unfinished recording.
 */
struct pd_error *pd_copy(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, struct pd_copy_result *ret) pd_must_check;

PD_DECLS_END

#endif
