/**
 * @file Options of formats: struct pd_format_opts has those of each format that has any.
 *
 * Zero each struct, then set members: zero is the default of all of them. A format ignores the
 * options of others. Strings and arrays are borrowed like those of struct pd_profile_opts.
 */
#ifndef PDCONV_FORMAT_OPTS_H
#define PDCONV_FORMAT_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>

PD_DECLS_BEGIN

/** Ways to write a text for people. */
enum pd_style {
	PD_STYLE_TEXT,
	PD_STYLE_MARKDOWN,
	PD_STYLE_JSON,
};

/** How formats for people are written. */
struct pd_text_opts {
	enum pd_style style;
	/** Columns of the terminal, to which texts are fitted; 0: they are written in full. */
	size_t width;
	/** Text is emphasized by escape sequences for colours. */
	bool has_color;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[4];
};

/** A limit that lets no row through. */
#define PD_REPORT_NO_ROWS SIZE_MAX

/** Options of the report. */
struct pd_report_opts {
	/** Show calls from the roots of the stacks down, in place of the tables. */
	bool tree;
	/**
	 * Show what calls a function, or what it calls, in place of the tables: its name as in
	 * pd_filter_opts.symbols; "" for the leaves of all stacks and for their roots; NULL: do
	 * not.
	 */
	const char *callers;
	const char *callees;
	/** Keys of a table that is shown instead, such as "sym"; `pdconv help keys` lists them. */
	const char *const *sort;
	size_t n_sort;
	/** Keys by which the rows of that table are grouped. */
	const char *const *group_by;
	size_t n_group_by;
	/** Steps of the key time, in seconds; 0: 0.1; negative: times are exact. */
	double time_quantum;
	/** Regular expression of the functions that the key parent shows; NULL: system calls. */
	const char *parent;
	/** Count only the leaf of each stack, and show no totals. */
	bool no_children;
	/** Show the number of samples and the sum of their periods. */
	bool sample_counts;
	bool total_period;
	/** Number of rows of a table; 0: as many as suit the table. */
	size_t limit;
	/** List functions that only pass control on among those with the largest totals. */
	bool shows_scaffolding;
	/** Show where the time of threads and CPUs went, in place of the tables. */
	bool ledger;
	/** Add the latency to the table, which is by thread name and function by default. */
	bool latency;
	/**
	 * Show how long it took from one event to another, in place of the tables: system calls,
	 * waits for locks of the kernel, requests to block devices and interrupts, as far as they
	 * were recorded.
	 */
	bool has_intervals;
	/** Show what optimizers can do with the recording, in place of the tables. */
	bool pgo;
	/**
	 * Smallest share of a row or of a node of a tree, in percent; 0: rows of any share, and
	 * nodes from 0.5 % on; negative: rows and nodes of any share.
	 */
	double percent_limit;
	/**
	 * Intervals to show as well: "NAME=BEGIN,END[,KEY...]". Events are called as in the
	 * recording; keys are fields of both, or tid, pid or cpu.
	 */
	const char *const *intervals;
	size_t n_intervals;
	/**
	 * Show the critical path of the thread with this number or name, in place of the tables;
	 * "" for the main thread of the recorded command; NULL: do not.
	 */
	const char *critical_path;
	/**
	 * Like pgo, and compare with this newer build of one of the binaries, which has its file
	 * name; NULL: do not.
	 */
	const char *new_build;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[4];
};

/** Options of the folded format. */
struct pd_folded_opts {
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
	/**
	 * Write waits and what ended them in place of samples:
	 * "sleeper;root;...;leaf;--;leaf;...;root;waker". The weight is the time in ns.
	 */
	bool wakers;
	/** Functions whose callers are left out. */
	const char *const *skip_after;
	size_t n_skip_after;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

/** Options of the script format. */
struct pd_script_opts {
	/** Field lists "[TYPE:]FIELD,FIELD" as in `perf script -F`, applied in order. */
	const char *const *fields;
	size_t n_fields;
	/** Print times in nanoseconds instead of microseconds. */
	bool ns;
	/** Print only the sampled address, not the call stack. */
	bool hide_call_graph;
	/** Print the header of the recording (machine and events) before the samples. */
	bool header;
	/** Print only the header. */
	bool header_only;
	/** Print MMAP; COMM, FORK and EXIT; SWITCH; and LOST records among the samples. */
	bool show_mmap;
	bool show_task;
	bool show_switch;
	bool show_lost;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

/** Options of the html format. */
struct pd_html_opts {
	/** Put instructions and source text of the hottest functions into the page. */
	bool embeds_source;
	/**
	 * Directories in which the last parts of the recorded path of a source file are looked for,
	 * in addition to that path: "DIR" or "DIR:DIR" each.
	 */
	const char *const *source_dirs;
	size_t n_source_dirs;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

/** Options of the perfdata format. By default, everything but the captured stacks is written. */
struct pd_perfdata_opts {
	/** Keep captured registers and stacks in addition to call chains. */
	bool keep_stacks;
	/** Leave out the host name, or the command line of the recorder. */
	bool strip_hostname;
	bool strip_cmdline;
	/** zstd level for compressing records, 1 to 22; 0: no compression. */
	int level;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

/** Options of all formats. Those of pprof are labels and tags of struct pd_profile_opts. */
struct pd_format_opts {
	/** The report. */
	struct pd_text_opts text;
	struct pd_report_opts report;
	struct pd_folded_opts folded;
	struct pd_script_opts script;
	struct pd_html_opts html;
	struct pd_perfdata_opts perfdata;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[32];
};

PD_DECLS_END

#endif
