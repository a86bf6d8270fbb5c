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
#include <pdconv/profile_opts.h>

#include "profile/hints.h"
#include "analyze/sides.h"
#include "profile/request.h"
#include "output/doc/doc.h"
#include "output/format_defs.h"
#include "profile/profile.h"
#include "output/script.h"

struct ann_files;
struct ann_sources;
struct sym_opts;

/** Value of a limit that was not given. */
#define OUT_DEFAULT_LIMIT SIZE_MAX

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
};

/** Options of the report. Zero-initialise, except for the limits. */
struct out_report_opts {
	/**
	 * Find the command line that does what @p hint suggests: *@p ret is allocated, or NULL if
	 * there is none. @p input: the recordings. Errors: no memory. May be NULL, because only the
	 * program knows its options.
	 */
	struct pd_error *(*find_command)(const struct profile *profile,
		const struct prof_hint *hint, const char *input, char **ret);
	/** Show calls from the roots of the stacks down, in place of the tables. */
	bool tree;
	/**
	 * Show what calls a function, or what it calls, in place of the tables: its name; "" for
	 * the leaves of all stacks and for their roots; NULL: do not. Borrowed.
	 */
	const char *callers;
	const char *callees;
	/** Keys of a table that is shown instead: names in analyze/key_defs.h. Borrowed. */
	const char *const *sort;
	size_t n_sort;
	/** Keys by which the rows of that table are grouped. Borrowed. */
	const char *const *group_by;
	size_t n_group_by;
	/** Steps of the key time, in seconds. */
	double time_quantum;
	/** Regular expression of the functions that the key parent shows; NULL: system calls. */
	const char *parent;
	/** Count only the leaf of each stack, and show no totals. */
	bool no_children;
	/** Show the number of samples and the sum of their periods. */
	bool sample_counts;
	bool total_period;
	/** Number of rows of a table; OUT_DEFAULT_LIMIT: as many as suit the table. */
	size_t limit;
	/** List functions that only pass control on among those with the largest totals. */
	bool shows_scaffolding;
	/**
	 * Smallest share of a row, a node of a tree or a compared function, in percent; negative:
	 * rows of any share, and the others from 0.5 % on.
	 */
	double percent_limit;
	/** In a comparison, receives what grew too much; NULL: nothing does. Borrowed. */
	struct out_growth *growth;
};

/** The number of rows of a table that has @p rows of them by default. */
static inline size_t out_report_limit(const struct out_report_opts *opts, size_t rows)
{
	return opts->limit == OUT_DEFAULT_LIMIT ? rows : opts->limit;
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

/** Options of the folded format. Zero-initialise. */
struct out_folded_opts {
	/** The weight of a line is its number of samples instead of the sum of their periods. */
	bool counts_samples;
	/**
	 * In a comparison, scale the weights before the change so that both sides have the same
	 * total.
	 */
	bool normalizes;
	/** Append "-PID" to the name of the thread. */
	bool pid;
	/** Append "-PID/TID" to the name of the thread. */
	bool tid;
	/** Append "_[k]", "_[j]" or "_[i]" to kernel, generated or inlined functions. */
	bool mark_kernel;
	bool mark_jit;
	bool mark_inlined;
	/** Print the address of frames without a name: the file offset if there is a file. */
	bool addrs;
	/** Append ":file:line" to names. */
	bool context;
	/** A filter left out frames, so that the outermost one may have callers. */
	bool has_partial_stacks;
	/** Functions whose callers are left out. Borrowed. */
	const char *const *skip_after;
	size_t n_skip_after;
};

/** Sources of the instructions and source text in a page. Members are borrowed. */
struct out_html_code {
	/** How binaries are found. */
	const struct ann_files *files;
	struct ann_sources *sources;
	/** Options of names. */
	const struct sym_opts *names;
};

/** Options of the html format. Zero-initialise. */
struct out_html_opts {
	/** Put instructions and source text of the hottest functions into the page. */
	bool embeds_source;
	/** Required with embeds_source when the profile is written. Borrowed. */
	const struct out_html_code *code;
};

/** Options of the perfdata format. All zero: everything but the captured stacks is written. */
struct out_perfdata_opts {
	/** The recording, opened a second time, with no record read. Borrowed. */
	struct pd_file *file;
	/** Name of the output in messages; NULL: "output". Borrowed. */
	const char *name;
	/** Receives warnings about parts that are left out; may be NULL. Borrowed. */
	struct pd_diag *diag;
	/** Keep REGS_USER and STACK_USER in addition to the call chain. */
	bool keep_stacks;
	/** Leave out the host name and the command line of the recording. */
	bool strip_hostname;
	bool strip_cmdline;
	/** Leave out the kernel or the user part of call chains, as in struct resolve_opts. */
	bool no_kernel;
	bool no_user;
	/** zstd level for compressing records, 1 to 22; 0: no compression. */
	int level;
};

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
	/** How formats for people are written. */
	struct out_doc_opts doc;
	struct out_report_opts report;
	struct out_pprof_opts pprof;
	struct out_folded_opts folded;
	struct out_html_opts html;
	struct out_perfdata_opts perfdata;
	struct out_script_opts script;
};

/** Options with the default of each member. */
struct out_write_opts out_write_defaults(void);

/** An output format. */
struct out_format {
	const char *name;
	/** Suffix of output files that are named after the input. */
	const char *suffix;
	/** The output must not be written to a terminal. */
	bool is_binary;
	/** Accepts a single recording, not several that are merged. */
	bool takes_one;
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
	 * cannot be read.
	 */
	struct pd_error *(*write)(
		const struct profile *profile, const struct out_write_opts *opts, FILE *out);
	/** Like prepare, for write_diff. */
	struct pd_error *(*prepare_diff)(
		const struct out_write_opts *opts, struct prof_request *request);
	/** Write the differences between the two sides. NULL: the format cannot compare. */
	struct pd_error *(*write_diff)(const struct profile *profile,
		const struct out_write_opts *opts, const struct ana_sides *sides, FILE *out);
};

#define OUT_DECLARE_FORMAT(name) extern const struct out_format out_format_##name;
OUT_FORMATS(OUT_DECLARE_FORMAT)
#undef OUT_DECLARE_FORMAT

/** Return the table of all formats, *@p n_ret entries. The first one is the default. */
const struct out_format *const *out_formats(size_t *n_ret);
/** Return the format called @p name, or NULL. */
const struct out_format *out_format_find(const char *name);

/** Set shown_ret[i] for each event i: whether a format of a single event writes it. */
void out_find_shown(
	const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret);

/** Return the event that a format of a single event writes; none if no event has samples. */
struct prof_event_id out_event(const struct profile *profile, const struct out_write_opts *opts);

/** Request what the report of a comparison needs. Returns NULL. */
struct pd_error *out_report_prepare_diff(
	const struct out_write_opts *opts, struct prof_request *request) pd_must_check;

/** Write the report of a comparison. Errors: NOMEM. */
struct pd_error *out_report_write_diff(const struct profile *profile,
	const struct out_write_opts *opts, const struct ana_sides *sides, FILE *out) pd_must_check;

#endif
