/**
 * @file Conversion of a recording to another format, in one call.
 *
 *	struct pd_file *file;
 *	struct pd_error *err = pd_file_open("perf.data", NULL, &file);
 *
 *	if (!err)
 *		err = pd_convert(file, NULL, "pprof", write_bytes, out, NULL);
 *
 * To look at the result without a format, see pdconv/profile.h. Different recordings may be
 * converted by different threads at once.
 */
#ifndef PDCONV_CONVERT_H
#define PDCONV_CONVERT_H

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/profile.h>

PD_DECLS_BEGIN

/**
 * Read all of @p file and write it in @p format to @p fn: "pprof", "folded" and so on, see
 * pd_format_name(). @p opts and @p stats_ret may be NULL. opts->keep_rows must not be set. A stream
 * can be read once. Nothing is written before all of @p file was read. After an error, @p fn may
 * have received part of the output.
 *
 * The format perfdata reads @p file a second time. What it cannot rewrite is noted in the diag of
 * @p file.
 *
 * Errors: USAGE for unknown formats, filters that @p file has no data for, and other invalid
 * options; UNSUPPORTED for perfdata from a pipe or compressed stream, and for parquet, bolt and
 * autofdo, which are directories of files that only the program writes; those of reading @p file;
 * those of @p fn and opts->on_progress; NOMEM.
 */
struct pd_error *pd_convert(struct pd_file *file, const struct pd_profile_opts *opts,
	const char *format, pd_on_bytes *fn, void *ctx,
	struct pd_profile_stats *stats_ret) pd_must_check;

PD_DECLS_END

#endif
