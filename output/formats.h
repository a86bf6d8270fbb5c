/**
 * @file Output formats and their options. Formats read a profile; they know nothing of how it was
 * made.
 */
#ifndef PD_OUTPUT_FORMATS_H
#define PD_OUTPUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/format_opts.h>
#include <pdconv/profile_opts.h>

#include "advice/hints.h"
#include "analyze/comparison/sides.h"
#include "profile/request.h"
#include "output/doc/doc.h"
#include "output/format_defs.h"
#include "profile/profile.h"
#include "output/script_fields.h"

struct ann_files;
struct ann_sources;

/** Growth beyond a limit in a comparison. Zero-initialise, and free the name. */
struct out_growth {
	/** Growth that is accepted, in percent. */
	double limit;
	/** Number of functions that grew by more. Growth of everything counts as one. */
	size_t n;
	/** Function that grew by the largest amount, or "everything". Owned. */
	char *name;
	/** Memory ran out for the name. */
	bool has_failed;
	/** Its growth, and that as an amount. Infinite percents: it appeared. */
	double percent;
	double amount;
	/** Largest growth of everything beyond the limit that may be noise, in percent. */
	double unsure_percent;
};

/** Return the number of rows of a table that has @p rows of them by default. */
static inline size_t out_report_limit(const struct pd_report_opts *opts, size_t rows)
{
	if (opts->limit == PD_REPORT_NO_ROWS)
		return 0;
	return opts->limit ? opts->limit : rows;
}

/** Return the smallest share, in percent, of a row or node for which it is @p share by default. */
static inline double out_report_least_share(const struct pd_report_opts *opts, double share)
{
	if (opts->percent_limit < 0)
		return 0;
	return opts->percent_limit > 0 ? opts->percent_limit : share;
}

/** Options of the pprof format. Zero-initialise. */
struct out_pprof_opts {
	/**
	 * Tags that become labels, in addition to thread and process: a bit for each enum prof_tag.
	 */
	unsigned tags;
	const struct pd_tag *labels;
	size_t n_labels;
};

/** Sources of the instructions and source text in a page. Members are borrowed. */
struct out_html_code {
	/** How binaries are found. */
	const struct ann_files *files;
	struct ann_sources *sources;
	/** Options of names. */
	const struct pd_name_opts *names;
};

/** Input of the perfdata format, in addition to its options. */
struct out_perfdata_input {
	/** The recording, opened a second time, with no record read. Borrowed. */
	struct pd_file *file;
	/** Name of the output in messages; NULL: "output". Borrowed. */
	const char *name;
};

/**
 * Find the command line that does what @p hint suggests: *@p ret is allocated, or NULL if there is
 * none. @p input: the recordings. Errors: NOMEM.
 */
typedef struct pd_error *out_find_command(const struct profile *profile,
	const struct advice_hint *hint, const char *input, char **ret);

/**
 * Options of all formats. Zero-initialise, except for the event. Borrowed data must live until the
 * output is written.
 */
struct out_write_opts {
	/** Event that formats of a single event write; none: the first event with samples. */
	struct prof_event_id event;
	/** Formats of a single event write all events with samples, one after the other. */
	bool has_all_events;
	/** Name of the recording, printed by the report. Borrowed. */
	const char *input;
	/** Number of threads; 0: one for each processor. */
	size_t jobs;
	/** How the stacks were unwound and named. */
	struct pd_unwind_opts unwind;
	struct pd_name_opts names;
	/** A filter left out frames, so that the outermost one may have callers. */
	bool has_partial_stacks;
	/** Receives warnings about what the format leaves out or joins; may be NULL. Borrowed. */
	struct pd_diag *diag;
	/** The options of the caller. */
	struct pd_format_opts format;
	struct out_pprof_opts pprof;
	/** Required if the page has code, when the profile is written. Borrowed. */
	const struct out_html_code *html_code;
	struct out_perfdata_input perfdata;
	/** NULL: the report suggests no commands, because only the program knows its options. */
	out_find_command *find_command;
	/**
	 * Binaries to write, by path or file name; none: all. Only if the format chooses binaries.
	 * Borrowed.
	 */
	const char *const *dsos;
	size_t n_dsos;
	/** In a comparison, receives what grew too much; NULL: nothing does. Borrowed. */
	struct out_growth *growth;
	/**
	 * In a comparison, folded scales the weights before the change so that both sides have the
	 * same total.
	 */
	bool normalizes;
	/**
	 * Most bytes of a message of otlp. If the profile takes more, it becomes several messages,
	 * which share its samples, and each message follows its size as a varint. 0: it is one
	 * message, without its size.
	 */
	uint64_t message_bytes;
	/** Binaries that a comparison has under one name, in words; NULL: none. */
	const char *pairs;
};

/** Options with the default of each member. */
struct out_write_opts out_write_defaults(void);

/** Write a file of a directory to @p out, whose write errors the caller checks. */
typedef struct pd_error *out_write_file(void *what, FILE *out);

/** A directory that receives the files of a format. */
struct out_directory {
	/** Create the file @p name and let @p write write it. Errors: OS, those of @p write. */
	struct pd_error *(*add)(void *ctx, const char *name, out_write_file *write, void *what);
	void *ctx;
};

/** Bytes at the end of each file of a directory that contain the mark of its format. */
enum { OUT_MARK_BYTES = 512 };

/** An output format. */
struct out_format {
	const char *name;
	/** Suffix of output files that are named after the input. */
	const char *suffix;
	/** The output must not be written to a terminal. */
	bool is_binary;
	/** Accepts a single recording, not several that are merged. */
	bool takes_one;
	/** It writes out_write_opts.dsos only, from the samples in all binaries. */
	bool chooses_binaries;
	/**
	 * Set shown_ret[i] for each event i: whether the format shows its samples. NULL: it shows
	 * those of all events.
	 */
	void (*find_shown)(
		const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret);
	/** The output itself reports what was lost, truncated or not found. */
	bool reports_quality;
	/** Reads the recording a second time: requires opts.perfdata.file. */
	bool rereads_input;
	/** Help text of one line. */
	const char *help;
	/**
	 * Set in @p request, which is zeroed, what the format needs of a profile. NULL: it needs
	 * nothing special. Errors: USAGE, @p opts are invalid.
	 */
	struct pd_error *(*prepare)(
		const struct out_write_opts *opts, struct prof_request *request);
	/**
	 * Write @p profile to @p out. The caller checks @p out for write errors. Errors: NOMEM;
	 * USAGE for options that the profile cannot satisfy; perfdata also fails if the recording
	 * cannot be read. NULL: this build lacks the format, and prepare says so.
	 */
	struct pd_error *(*write)(
		const struct profile *profile, const struct out_write_opts *opts, FILE *out);
	/** Write @p profile as files. If set, the output is a directory, and write is NULL. */
	struct pd_error *(*write_directory)(const struct profile *profile,
		const struct out_write_opts *opts, const struct out_directory *to);
	/** Text by which files of such a directory are known: see OUT_MARK_BYTES. */
	const char *mark;
	/**
	 * The only file of such a directory that has the mark: a table whose first column is the
	 * names of the others. NULL: each file has the mark.
	 */
	const char *list;
	/** Like prepare, for write_diff. */
	struct pd_error *(*prepare_diff)(
		const struct out_write_opts *opts, struct prof_request *request);
	/** Write the differences between the two sides. NULL: the format cannot compare. */
	struct pd_error *(*write_diff)(const struct profile *profile,
		const struct out_write_opts *opts, const struct ana_sides *sides, FILE *out);
};

#define OUT_DECLARE_FORMAT(id, name) extern const struct out_format out_format_##id;
OUT_FORMATS(OUT_DECLARE_FORMAT)
#undef OUT_DECLARE_FORMAT

/** Return the table of all formats, *@p n_ret entries. */
const struct out_format *const *out_formats(size_t *n_ret);
/** Return the format called @p name, or NULL. */
const struct out_format *out_format_find(const char *name);
/** Return the format that is written if none is asked for. */
const struct out_format *out_format_default(void);

/** Set shown_ret[i] for each event i: whether a format of a single event writes it. */
void out_find_shown(
	const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret);

/** Return the event that a format of a single event writes; none if no event has samples. */
struct prof_event_id out_event(const struct profile *profile, const struct out_write_opts *opts);

#endif
