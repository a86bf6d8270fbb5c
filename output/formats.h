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

#include "profile/request.h"
#include "output/format_defs.h"
#include "output/sort_key_defs.h"
#include "profile/profile.h"
#include "output/script.h"

/** A label that is added to every sample. Strings are borrowed. */
struct out_label {
	const char *key;
	const char *value;
};

/** Options of the report. Zero-initialise, except for the limits. */
struct out_report_opts {
	/** Show calls from the roots of the stacks down, in place of the tables. */
	bool tree;
	/**
	 * Show what calls a function, or what it calls, in place of the tables: its name; "" for
	 * the leaves of all stacks and for their roots; NULL: do not. Borrowed.
	 */
	const char *callers;
	const char *callees;
	/** Keys of a table that is shown instead: names in output/sort_key_defs.h. Borrowed. */
	const char *const *sort;
	size_t n_sort;
	/** Steps of the key time, in seconds. */
	double time_quantum;
	/** Number of rows of a table. */
	size_t limit;
	/** Smallest share of a node of a tree, in percent. */
	double percent_limit;
	/** Columns of the terminal, to which names are fitted; 0: names are written in full. */
	size_t width;
};

/** Options of the pprof format. Zero-initialise. */
struct out_pprof_opts {
	/**
	 * Tags that become labels, in addition to thread and process: a bit for each enum prof_tag.
	 */
	unsigned tags;
	const struct out_label *labels;
	size_t n_labels;
};

/** Options of the folded format. Zero-initialise. */
struct out_folded_opts {
	/** The weight of a line is its number of samples instead of the sum of their periods. */
	bool counts_samples;
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

/** Options of the perfdata format. All zero: everything but the captured stacks is written. */
struct out_perfdata_opts {
	/** The recording, opened a second time, with no record read. Borrowed. */
	struct pd_file *file;
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
	struct out_report_opts report;
	struct out_pprof_opts pprof;
	struct out_folded_opts folded;
	struct out_perfdata_opts perfdata;
	struct out_script_opts script;
};

enum { OUT_N_SIDES = 2 };

/** Sides of a comparison: samples of a merged profile from the first and the second input. */
struct out_sides {
	/** Values of prof_tags.input, indexed by side. */
	struct prof_string_id inputs[OUT_N_SIDES];
	/** Scale the weights of the first side so that both sides have the same total. */
	bool normalizes;
};

/** Return the side of @p sample; 0 if @p sides is NULL. */
static inline unsigned out_side(const struct profile *profile, const struct out_sides *sides,
	const struct prof_sample *sample)
{
	const struct prof_tags *tags = profile_tags(profile, sample->tags);

	return sides && tags && prof_same_string(tags->input, sides->inputs[1]);
}

/** Sum the samples of @p event on each side. */
void out_side_totals(const struct profile *profile, const struct out_sides *sides,
	struct prof_event_id event, struct prof_value ret[static OUT_N_SIDES]);

/** An output format. */
struct out_format {
	const char *name;
	/** Suffix of output files that are named after the input. */
	const char *suffix;
	/** The output must not be written to a terminal. */
	bool is_binary;
	/** Accepts a single recording, not several that are merged. */
	bool takes_one;
	/** Writes a single event unless has_all_events is set. */
	bool has_one_event;
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
	/** Write the differences between the two sides. NULL: the format cannot compare. */
	struct pd_error *(*write_diff)(const struct profile *profile,
		const struct out_write_opts *opts, const struct out_sides *sides, FILE *out);
};

#define OUT_DECLARE_FORMAT(name) extern const struct out_format out_format_##name;
OUT_FORMATS(OUT_DECLARE_FORMAT)
#undef OUT_DECLARE_FORMAT

/** Return the table of all formats, *@p n_ret entries. The first one is the default. */
const struct out_format *const *out_formats(size_t *n_ret);
/** Return the format called @p name, or NULL. */
const struct out_format *out_format_find(const char *name);

/** Return whether a format of a single event writes @p event under @p opts. */
bool out_shows_event(const struct profile *profile, const struct out_write_opts *opts,
	struct prof_event_id event);

/** Return the event that a format of a single event writes; none if no event has samples. */
struct prof_event_id out_event(const struct profile *profile, const struct out_write_opts *opts);

/** Write the report of a comparison. Errors: NOMEM. */
struct pd_error *out_report_write_diff(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_sides *sides, FILE *out) pd_must_check;

#endif
