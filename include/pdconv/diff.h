/**
 * @file Comparison of recordings, as `pdconv diff` and `pdconv view BEFORE AFTER` show it.
 */
#ifndef PDCONV_DIFF_H
#define PDCONV_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/profile_opts.h>

PD_DECLS_BEGIN

/** Recordings of one side of a comparison. Borrowed. */
struct pd_diff_side {
	struct pd_file *const *files;
	size_t n;
};

/** Options of a comparison. Zero is the default of each. */
struct pd_diff_opts {
	/** Options of the profiles. Their label, pd_profile_opts.input, is not used. */
	struct pd_profile_opts profile;
	/** Growth of a function that is accepted, in percent: see struct pd_growth. */
	double growth_limit;
	/** folded: scale the weights before the change to the total after it. */
	bool normalizes;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

/** Functions that take longer after the change by more than the limit, beyond noise. */
struct pd_growth {
	/** Number of functions. Growth of everything by a common factor counts as one. */
	size_t n;
	/** Function with the largest growth, or "everything". NULL: none grew. */
	char *name;
	/** Growth of that function in percent; infinite: the function appeared. */
	double percent;
};

/** Free the name. A zeroed struct is valid. */
void pd_growth_deinit(struct pd_growth *growth);

/**
 * Read the recordings @p before and @p after a change, and write what changed to @p fn: "report",
 * as text, Markdown or JSON; "folded", for a differential flame graph; or "html", a page with both,
 * for one recording on each side. Several recordings on a side show what is noise. @p opts may be
 * NULL, and so may @p growth_ret, which only the report finds.
 *
 * Damage is noted in the diag of each file. A stream can be read once. Nothing is written of
 * "report" and "folded" before all recordings were read. After an error, @p fn may have received
 * part of the output.
 *
 * Errors: USAGE for other formats, a side without recordings, and what pd_profile_create() rejects;
 * those of reading the files; those of @p fn and on_progress; NOMEM.
 */
struct pd_error *pd_diff(const struct pd_diff_side *before, const struct pd_diff_side *after,
	const struct pd_diff_opts *opts, const char *format, pd_on_bytes *fn, void *ctx,
	struct pd_growth *growth_ret) pd_must_check;

PD_DECLS_END

#endif
