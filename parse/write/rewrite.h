/**
 * @file Copying a recording with edits.
 */
#ifndef PD_PARSE_WRITE_REWRITE_H
#define PD_PARSE_WRITE_REWRITE_H

#include <pdconv/attr.h>
#include <pdconv/bytes.h>
#include <pdconv/copy.h>

/** Edit of a record. */
enum parse_edit {
	PD_EDIT_KEEP,
	PD_EDIT_REPLACE,
	PD_EDIT_LEAVE_OUT,
};

/** Edits of a copy. Zeroed edits change nothing. All pointers are borrowed. */
struct parse_edits {
	/** Edit @p attr; called for each attr in the recording. NULL: attrs are copied. */
	void (*attr)(void *ctx, struct pd_attr *attr);
	/**
	 * Decide about @p rec. A replacement, a record of the same type, is appended to @p out in
	 * its byte order. NULL: all records are kept.
	 */
	struct pd_error *(*record)(
		void *ctx, const struct pd_record *rec, struct pd_bytes *out, enum parse_edit *ret);
	/** First argument of both functions. */
	void *ctx;
	/** Bitmap, as in the file header, of features to leave out. */
	uint64_t without[PD_N_FEATURE_BITS / 64];
	/** BUILD_ID records to add, in the byte order of the copy. */
	struct pd_view build_ids;
	/** zstd level for compressing records; 0: no compression. */
	int level;
};

/**
 * Like pd_copy(), with @p edits. Errors: in addition USAGE if @p edits are combined with another
 * byte order or with keep_compressed, and those of the functions in @p edits.
 */
struct pd_error *parse_rewrite(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, const struct parse_edits *edits,
	struct pd_copy_result *ret) pd_must_check;

#endif
