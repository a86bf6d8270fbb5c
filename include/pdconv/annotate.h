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

/** Forms of the hottest source lines, for programs that show notes next to source code. */
enum pd_line_notes {
	PD_LINE_NOTES_NONE,
	/** "path:line: message", as compilers write. */
	PD_LINE_NOTES_ERRORFORMAT,
	/** Workflow commands of GitHub, which become annotations of a change. */
	PD_LINE_NOTES_GITHUB,
	/** SARIF 2.1.0. */
	PD_LINE_NOTES_SARIF,
};

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
	/**
	 * Write only the hottest source lines, in this form. They are those of all functions,
	 * unless one is given.
	 */
	enum pd_line_notes notes;
	/** Directory that paths in notes are relative to, if they are below it; NULL: none. */
	const char *notes_root;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[6];
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
