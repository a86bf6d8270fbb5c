/**
 * @file Options of profiles: which samples to include, where to look for binaries, how to unwind
 * and name, and how to write.
 *
 * Zero each struct, then set members: zero is the default of all of them. Strings and arrays are
 * borrowed until the function that takes the options returns; a budget for as long as what the
 * function makes.
 */
#ifndef PDCONV_PROFILE_OPTS_H
#define PDCONV_PROFILE_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/budget.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/format_opts.h>

PD_DECLS_BEGIN

/** Range of numbers; both ends belong to it. */
struct pd_number_range {
	uint32_t first;
	uint32_t last;
};

/**
 * Samples to include. An empty list includes everything. Samples that are left out are counted by
 * filter: see struct pd_profile_stats.
 */
struct pd_filter_opts {
	const struct pd_number_range *pids;
	size_t n_pids;
	const struct pd_number_range *tids;
	size_t n_tids;
	const struct pd_number_range *cpus;
	size_t n_cpus;
	/**
	 * Time spans: "12.5,13.25" in seconds on the clock of the recording, "10%-20%" as shares of
	 * its length, or "1s-10s" after the first sample, with the units ns, us, ms, s, m and h.
	 */
	const char *const *times;
	size_t n_times;
	/** Event names, with or without modifiers: "cycles" includes "cycles:u". */
	const char *const *events;
	size_t n_events;
	/** Thread names. */
	const char *const *comms;
	size_t n_comms;
	/** Binaries that contain the address of the sample: path, or last part of it. */
	const char *const *dsos;
	size_t n_dsos;
	/**
	 * Functions that contain the address of the sample, not inlined ones. A name may lack
	 * template arguments, parameters, namespaces, packages and classes: "Index::add", "ns::add"
	 * and "add" stand for "ns::Index<int>::add". Dots stand for what is left out,
	 * "ns::Index<...>::add", and "/REGEX/" is a regular expression. The functions whose names
	 * are closest are taken.
	 */
	const char *const *symbols;
	size_t n_symbols;
	/**
	 * POSIX extended regular expressions. They are compared with the functions of each frame,
	 * inlined ones too, with their source files, and with the path of the binary. A sample is
	 * included if its stack has a frame that focus matches and none that ignore matches. Frames
	 * that hide matches are left out of the stacks. One that matches nothing is taken for a
	 * name, as in symbols.
	 */
	const char *const *focus;
	size_t n_focus;
	const char *const *ignore;
	size_t n_ignore;
	const char *const *hide;
	size_t n_hide;
	/** Leave out frames of functions that only pass control on, such as std::__invoke, too. */
	bool hides_scaffolding;
	/**
	 * Functions that become the roots of the stacks, by names as in symbols: their callers are
	 * left out. Samples of stacks without any of them are not included.
	 */
	const char *const *roots;
	size_t n_roots;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[16];
};

/** Prefix of recorded paths and its replacement, both directories. */
struct pd_path_map {
	const char *from;
	const char *to;
};

/**
 * Callback for the progress of fetching the file @p name: @p done of @p total bytes; @p total is 0
 * if it is not known. @p done is UINT64_MAX at the end. Called from any thread, one call at a time.
 */
typedef void pd_on_fetch(void *ctx, const char *name, uint64_t done, uint64_t total);

/**
 * Where to look for binaries, debug files and the kernel, in addition to their recorded paths, the
 * build-id cache of perf and /usr/lib/debug. If the recording was opened by its path, tarballs of
 * `perf archive` next to it (PATH.tar.bz2, .gz, .xz and .zst) and its directory kcore_dir are used
 * as well. A symfs, vmlinux, kallsyms, modules, kernel_dir or perf_map_dir that does not exist is
 * an error: OS.
 */
struct pd_search_opts {
	/** Directory that stands for the root of the recording machine. */
	const char *symfs;
	/** Directories with binaries and debug files, and tarballs of `perf archive`. */
	const char *const *dirs;
	size_t n_dirs;
	const struct pd_path_map *path_maps;
	size_t n_path_maps;
	/** Build-id cache of perf, a directory or a tarball of it; NULL: ~/.debug. */
	const char *buildid_dir;
	/** Directory of maps of generated code, perf-PID.map; NULL: /tmp of this machine. */
	const char *perf_map_dir;
	/** Files of the recorded kernel; if one is given, no other is looked for. */
	const char *vmlinux;
	const char *kallsyms;
	/** Copy of /proc/modules of the recorded kernel. */
	const char *modules;
	/** Directory with copies of kallsyms and modules; NULL: kcore_dir of the recording. */
	const char *kernel_dir;
	/** Do not look for a vmlinux. */
	bool ignore_vmlinux;
	/**
	 * URLs of debuginfod servers, separated by spaces; NULL: nothing is fetched. Its client
	 * reads them and the timeout from the environment only, where they are set when a profile
	 * is created: no other thread may use the environment at that time, and none may create a
	 * profile with servers. A program with threads avoids that if it sets these variables
	 * before it starts them: DEBUGINFOD_URLS and DEBUGINFOD_TIMEOUT to the values of the
	 * options, DEBUGINFOD_RETRY_LIMIT to 0, and neither DEBUGINFOD_PROGRESS nor
	 * DEBUGINFOD_VERBOSE. A variable that has the value already stays as it is.
	 */
	const char *debuginfod_urls;
	/** Seconds within which a server must send 100 KiB; 0: 30. */
	unsigned debuginfod_timeout;
	/** May be NULL. */
	pd_on_fetch *on_fetch;
	void *fetch_ctx;
	/** Existing directory to keep names in for the next time, without limit; NULL: none. */
	const char *cache_dir;
	/** Look for no file at its recorded path on this machine. */
	bool no_own_paths;
	/** Use a binary of another build if no other is found. Its functions are marked. */
	bool force_mismatch;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[16];
};

/** Form of mangled names, such as "_ZN2ns3addIiEEvT_". */
enum pd_name_form {
	/** "ns::add<int>", as in `perf script`; pprof's "templates" */
	PD_NAME_FORM_TEMPLATES,
	/** "ns::add", as in pprof */
	PD_NAME_FORM_SHORT,
	/** "void ns::add<int>(int)"; pprof's "full" */
	PD_NAME_FORM_FULL,
	/** The mangled name. */
	PD_NAME_FORM_MANGLED,
};

/** Label of all samples of a profile. */
struct pd_tag {
	const char *key;
	const char *value;
};

/** Callback for the next @p size bytes of output. An error ends writing and is returned. */
typedef struct pd_error *pd_on_bytes(void *ctx, const void *bytes, size_t size);

/** A pd_on_bytes that writes to a FILE, which is its context. Errors: OS. */
struct pd_error *pd_write_to_stream(void *stream, const void *bytes, size_t size) pd_must_check;

/**
 * Callback for the progress of reading: @p done of @p total bytes of records; @p total is 0 if it
 * is not known, as for a pipe. All of them are read while frames are named. An error ends the
 * operation soon, and is returned.
 */
typedef struct pd_error *pd_on_progress(void *ctx, uint64_t done, uint64_t total);

/** How stacks are unwound, and which of their frames are kept. */
struct pd_unwind_opts {
	/** Largest number of user frames; 0: 1024. Longer stacks end with LIMIT. */
	size_t max_stack;
	/**
	 * Use exact information only: never follow frame pointers, nor guess otherwise, where call
	 * frame information is missing.
	 */
	bool cfi_only;
	/** Leave out frames of the kernel, or of programs. */
	bool no_kernel;
	bool no_user;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[4];
};

/** Form and extent of the names of frames. */
struct pd_name_opts {
	/** Name only the function that contains an address, not those inlined there. */
	bool no_inline;
	/** Leave out source files and lines. */
	bool no_lines;
	/** Form of mangled names. */
	enum pd_name_form form;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[4];
};

struct pd_profile_opts {
	struct pd_filter_opts filter;
	struct pd_search_opts search;
	struct pd_unwind_opts unwind;
	struct pd_name_opts names;

	/** Complete truncated stacks from neighbouring samples, and mark where. */
	bool stitch;
	/** Do not mark truncated stacks. */
	bool no_truncated;
	/** Leave frames unnamed. Not together with filters that look at names. */
	bool no_names;

	/** Keep each sample by itself, too: pd_profile_get_row(). Only without a format. */
	bool keep_rows;
	/**
	 * Properties that keep samples apart, and that pprof has as labels: "cpu", "cgroup",
	 * "time".
	 */
	const char *const *labels;
	size_t n_labels;
	/** Labels that pprof gives to all samples, in addition to those of the recording. */
	const struct pd_tag *tags;
	size_t n_tags;
	/** Label of all samples, which keeps those of merged profiles apart; NULL: none. */
	const char *input;
	/** Name of the recording in outputs that show one; NULL: its path. */
	const char *title;
	/** How formats are written. */
	struct pd_format_opts format;

	/** Number of threads; 0: one for each processor. */
	size_t jobs;
	/** Limit for the memory of the profile, which it outlives, and of reading; NULL: none. */
	struct pd_budget *budget;
	/**
	 * Called on the calling thread each time that at least another MiB was read, about every
	 * 50 ms while stacks are unwound and frames named, before the latter, and when the profile
	 * is complete. May be NULL.
	 */
	pd_on_progress *on_progress;
	void *progress_ctx;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[16];
};

PD_DECLS_END

#endif
