/**
 * @file Writing a recording that was read, with some of it changed: pd_copy, and edits.
 */
#ifndef PD_PARSE_REWRITE_H
#define PD_PARSE_REWRITE_H

#include <pdconv/attr.h>
#include <pdconv/bytes.h>
#include <pdconv/copy.h>

/** What becomes of a record. */
enum pd_edit {
	PD_EDIT_KEEP,
	PD_EDIT_REPLACE,
	PD_EDIT_LEAVE_OUT,
};

/** Zeroed: nothing is changed. Everything is borrowed. */
struct pd_edits {
	/** Change @p attr; called for each, wherever it is in the recording. NULL: they stay. */
	void (*attr)(void *ctx, struct pd_attr *attr);
	/**
	 * Say what becomes of @p rec. What replaces it, a record of the same type, is appended to
	 * @p out, in the order of that. NULL: all are kept.
	 */
	struct pd_error *(*record)(
		void *ctx, const struct pd_record *rec, struct pd_bytes *out, enum pd_edit *ret);
	/** For both. */
	void *ctx;
	/** A bit for each feature that is left out, as in the header. */
	uint64_t without[PD_N_FEATURE_BITS / 64];
	/** Further BUILD_ID records, in the order of the copy. */
	struct pd_view build_ids;
	/** Records are compressed with this level of zstd; 0: they are not. */
	int level;
};

/**
 * As pd_copy, with @p edits. Errors: also USAGE, if they go together with another byte order, or with
 * records that stay compressed; and those of @p edits.
 */
struct pd_error *pd_rewrite(struct pd_file *file, FILE *out, const char *name,
	const struct pd_copy_opts *opts, const struct pd_edits *edits,
	struct pd_copy_result *ret) pd_must_check;

#endif
