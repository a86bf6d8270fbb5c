/**
 * @file Instructions and source lines of a function with their samples, as `pdconv annotate` shows
 * them.
 */
#ifndef PDCONV_ANNOTATE_H
#define PDCONV_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/profile_opts.h>

PD_DECLS_BEGIN

/** Options of an annotation. Zero is the default of each. */
struct pd_annotate_opts {
	/**
	 * Name of the function as in pd_filter_opts.symbols, or of one that was inlined. Of
	 * several functions the one with most samples is shown. NULL: the function with most
	 * samples.
	 */
	const char *function;
	/** Show source lines by file; without a function, those of all functions. */
	bool lines;
	/** Show all instructions of a long function, not only those near samples. */
	bool whole;
	/** Show no source lines between instructions. */
	bool no_source;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

/**
 * Read all of @p file and write the annotation to @p fn, in the style of profile->format.text. The
 * directories profile->format.html.source_dirs are searched for source files. @p profile and @p
 * opts may be NULL. Instructions need the library libLLVM, which is loaded when it is needed.
 *
 * Errors: NOTHING for a function without samples; USAGE for what pd_profile_create() rejects;
 * UNSUPPORTED if no sample is in a function with a name; those of reading @p file; those of @p fn
 * and profile->on_progress; NOMEM.
 */
struct pd_error *pd_annotate(struct pd_file *file, const struct pd_profile_opts *profile,
	const struct pd_annotate_opts *opts, pd_on_bytes *fn, void *ctx) pd_must_check;

PD_DECLS_END

#endif
