/**
 * @file Profiles: the samples of a recording, unwound, named and added up.
 *
 *	struct pd_profile *profile;
 *	struct pd_error *err = pd_profile_create(file, NULL, NULL, &profile);
 *
 *	for (uint32_t i = 0; !err && i < pd_profile_n_samples(profile); i++) {
 *		struct pd_profile_sample sample = pd_profile_get_sample(profile, i);
 *		size_t n;
 *		const uint32_t *frames = pd_profile_get_stack(profile, sample.stack, &n);
 *		...
 *	}
 *
 * Events, threads, binaries, frames, stacks and samples are numbered from 0 to pd_profile_n_*() -
 * 1, and structs refer to each other by these numbers. A number that is out of range is a mistake
 * of the caller.
 *
 * Only pd_profile_merge() changes a profile that was created: any number of threads may call the
 * functions pd_profile_n_*() and pd_profile_get_*() at once. Use pd_profile_write() from one thread
 * at a time. Different profiles are independent. What functions return is borrowed and lives until
 * pd_profile_destroy(). A profile does not need its recording.
 */
#ifndef PDCONV_PROFILE_H
#define PDCONV_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/left_out_defs.h>
#include <pdconv/profile_opts.h>
#include <pdconv/unwind_end.h>

PD_DECLS_BEGIN

/** A number that refers to nothing: no binary, or a CPU that was not sampled. */
#define PD_PROFILE_NONE UINT32_MAX

struct pd_profile;

/**
 * Read all of @p file, which can be closed afterwards, and create its profile. A stream can be read
 * once. @p opts may be NULL; it is copied, with what it points to, except for the budget. Damage
 * that can be skipped is noted in the diag of @p file.
 *
 * @p format is the name of a format that the profile is for, or NULL: see pd_profile_write().
 *
 * Errors: USAGE for unknown formats, filters that @p file has no data for, and other invalid
 * options; UNSUPPORTED for the format perfdata, which needs pd_convert(); those of opening and
 * reading @p file; those of opts->on_progress; NOMEM.
 */
struct pd_error *pd_profile_create(struct pd_file *file, const struct pd_profile_opts *opts,
	const char *format, struct pd_profile **ret) pd_must_check;
/**
 * Add the samples of @p from, which is not changed, to @p to. Both were created for the same format
 * with the same labels. Samples with different pd_profile_opts.input stay apart. Errors: USAGE for
 * other profiles, and for those with single samples; NOMEM. After NOMEM, @p to can only be
 * destroyed.
 */
struct pd_error *pd_profile_merge(
	struct pd_profile *to, const struct pd_profile *from) pd_must_check;
/** Free @p profile, which may be NULL. */
void pd_profile_destroy(struct pd_profile *profile);

/**
 * Write @p profile in @p format to @p fn: "pprof", "folded" and so on, see pd_format_name(). A
 * format that needs more of a recording than its stacks, such as script, can only be written if the
 * profile was created for it. Errors: USAGE for other formats; UNSUPPORTED for parquet, bolt and
 * autofdo, which are directories of files that only the program writes; those of @p fn; NOMEM.
 */
struct pd_error *pd_profile_write(const struct pd_profile *profile, const char *format,
	pd_on_bytes *fn, void *ctx) pd_must_check;

/**
 * Name of format @p i of those that pd_convert() writes, or NULL after the last one. It has static
 * storage.
 */
const char *pd_format_name(size_t i);

/* Events, threads and binaries. */

/** A number of samples, and the sum of their periods in the unit of the event. */
struct pd_sum {
	uint64_t samples;
	uint64_t period;
};

struct pd_profile_event {
	/** Name as `perf evlist` prints it: "cycles:u". */
	const char *name;
	/** Unit of periods, such as "ns"; "" if they count occurrences of the event. */
	const char *unit;
	struct pd_sum total;
};

/** A thread under one name. A thread that changed its name is several threads. */
struct pd_profile_thread {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
};

struct pd_profile_binary {
	/** Path or name as recorded, such as "/usr/bin/ls" or "[kernel.kallsyms]". */
	const char *name;
	/** len is 0 if it is not known. */
	struct pd_build_id build_id;
	bool is_kernel;
	/** Code that a program generated at run time. */
	bool is_generated;
	/** The file was found, or for the kernel its symbols. */
	bool is_found;
	/** The file that is used is of another build than the recorded one. */
	bool is_mismatched;
	/** Why the binary was not found; "" if it was, or was not looked for. */
	const char *why;
};

/** Number of events, and event @p event of them, from 0 on. */
uint32_t pd_profile_n_events(const struct pd_profile *profile);
struct pd_profile_event pd_profile_get_event(const struct pd_profile *profile, uint32_t event);
/** Number of threads, and thread @p thread of them, from 0 on. */
uint32_t pd_profile_n_threads(const struct pd_profile *profile);
struct pd_profile_thread pd_profile_get_thread(const struct pd_profile *profile, uint32_t thread);
/** Number of binaries, and binary @p binary of them, from 0 on. */
uint32_t pd_profile_n_binaries(const struct pd_profile *profile);
struct pd_profile_binary pd_profile_get_binary(const struct pd_profile *profile, uint32_t binary);

/* Frames and their functions. */

enum pd_frame_kind {
	/** Code of a process: in a file, or in memory without one. */
	PD_FRAME_USER,
	/** Code that a program generated at run time. */
	PD_FRAME_GENERATED,
	/** Code of the kernel or one of its modules. */
	PD_FRAME_KERNEL,
	/** An address that was in no mapping. */
	PD_FRAME_UNMAPPED,
	/** A mark at the root: the callers of the frame before it are missing. */
	PD_FRAME_TRUNCATED,
	/** A mark: the frames after it come from the stack of a neighbouring sample. */
	PD_FRAME_STITCHED,
};

/** A location in a binary. */
struct pd_profile_frame {
	enum pd_frame_kind kind;
	/** PD_PROFILE_NONE for addresses in no mapping, and for marks. */
	uint32_t binary;
	/**
	 * Address inside the instruction, which is the one before a return address. In the kernel
	 * and in no mapping, an address of the process or 0; in a binary that was found, a virtual
	 * address of that file; otherwise an offset in the file.
	 */
	uint64_t addr;
	/** Offset in the file, in bytes; valid if @ref has_file_offset. */
	uint64_t file_offset;
	/** Offset from the start of the symbol, in bytes; valid if @ref has_symbol_offset. */
	uint64_t symbol_offset;
	bool has_file_offset;
	bool has_symbol_offset;
	/** Found by a frame pointer, because no call frame information covers the code before. */
	bool is_guessed;
	/** From the recorded call chain, because the unwind ended before the root. */
	bool is_recorded;
	/** Number of functions at the address; 0: the name is not known. */
	uint32_t n_functions;
};

/** A function at a frame. */
struct pd_profile_function {
	/** Name in the form of pd_name_opts.form. */
	const char *name;
	/** Name in the symbol table. */
	const char *linkage_name;
	/** Source file; "" if it is not known. */
	const char *file;
	/** Line of the address or, if another function was inlined there, of that call; or 0. */
	uint32_t line;
	/** Line at which the function begins; 0 if it is not known. */
	uint32_t start_line;
	/** Inlined into the next function of the frame. */
	bool is_inlined;
};

/** Number of frames, and frame @p frame of them, from 0 on. */
uint32_t pd_profile_n_frames(const struct pd_profile *profile);
struct pd_profile_frame pd_profile_get_frame(const struct pd_profile *profile, uint32_t frame);
/** Function @p i of @p frame; 0 is the innermost one. */
struct pd_profile_function pd_profile_get_function(
	const struct pd_profile *profile, uint32_t frame, uint32_t i);

/* Stacks and samples. */

/** Number of stacks. */
uint32_t pd_profile_n_stacks(const struct pd_profile *profile);
/** Frames of a stack, leaf first: *@p n_ret numbers. */
const uint32_t *pd_profile_get_stack(
	const struct pd_profile *profile, uint32_t stack, size_t *n_ret);

/** Samples that are equal in everything but their periods. */
struct pd_profile_sample {
	uint32_t stack;
	uint32_t thread;
	uint32_t event;
	/** PD_PROFILE_NONE unless the label "cpu" was requested and sampled. */
	uint32_t cpu;
	/** Time in ns; UINT64_MAX unless the label "time" was requested and sampled. */
	uint64_t time;
	/** Path of the control group; "" unless the label "cgroup" was requested and sampled. */
	const char *cgroup;
	/** How the unwind ended; PD_N_UNWIND_ENDS if the stack was not unwound but recorded. */
	enum pd_unwind_end end;
	/** Number of labels that the recording gives to the sample: pd_profile_get_tag(). */
	uint32_t n_tags;
	struct pd_sum sum;
};

/** Number of samples, and sample @p sample of them, from 0 on. */
uint32_t pd_profile_n_samples(const struct pd_profile *profile);
struct pd_profile_sample pd_profile_get_sample(const struct pd_profile *profile, uint32_t sample);
/** Label @p i of @p sample. */
struct pd_tag pd_profile_get_tag(const struct pd_profile *profile, uint32_t sample, uint32_t i);

/** A single sample. */
struct pd_profile_row {
	/** The sample that this one was added to. */
	uint32_t sample;
	/** PD_PROFILE_NONE if it was not sampled. */
	uint32_t cpu;
	/** Time in ns; UINT64_MAX if it was not sampled. */
	uint64_t time;
	uint64_t period;
	/**
	 * Address of each frame in the process or the kernel, as many as the stack has frames. That
	 * of a caller is the return address. 0 for marks.
	 */
	const uint64_t *pcs;
	/** Offset of the record in its file, in bytes. */
	uint64_t offset;
};

/** Number of single samples; 0 unless pd_profile_opts.keep_rows was set. */
size_t pd_profile_n_rows(const struct pd_profile *profile);
/** Single samples are in order of time. */
struct pd_profile_row pd_profile_get_row(const struct pd_profile *profile, size_t row);

/* Completeness. */

/** Reason why samples are left out; pdconv/left_out_defs.h has the skips and filters. */
enum pd_left_out {
#define PD_LEFT_OUT_SKIP(name, ...) PD_LEFT_OUT_##name,
	PD_SKIPS(PD_LEFT_OUT_SKIP)
#undef PD_LEFT_OUT_SKIP
#define PD_LEFT_OUT_FILTER(name, ...) PD_LEFT_OUT_BY_##name,
		PD_FILTERS(PD_LEFT_OUT_FILTER)
#undef PD_LEFT_OUT_FILTER
	/** The format shows a single event, and this is another one. */
	PD_LEFT_OUT_OTHER_EVENT,
	PD_N_LEFT_OUT
};

/** Name of a reason: "damaged", "pid", "other_event"; "" if it is invalid. Static storage. */
const char *pd_left_out_name(enum pd_left_out reason);

/**
 * Account of the samples of a recording. Periods of all events are added up. @ref in is the sum
 * of @ref out and of all reasons; the period of skipped samples is not known and counts as 0. A
 * record with the values of several counters counts once for each counter that advanced.
 */
struct pd_profile_stats {
	struct pd_sum in;
	struct pd_sum out;
	/** Indexed by enum pd_left_out. */
	struct pd_sum left_out[PD_N_LEFT_OUT];
	/** Records and samples that the recorder lost, which are not in the recording. */
	uint64_t n_lost_records;
	uint64_t n_lost_samples;
	/** Damage that reading passed over: places, bytes, and samples after the first place. */
	uint64_t n_gaps;
	uint64_t n_gap_bytes;
	uint64_t n_after_gaps;
	/** Records of unknown types, which were skipped. */
	uint64_t n_unknown_records;
	/** Records that came out of order, after newer ones. */
	uint64_t n_late_records;
	/** How often the kernel throttled an event. */
	uint64_t n_throttled;
	/**
	 * Samples in the profile with a stack of the program, as the sum of: those that reach the
	 * root, those that do so by a guess that may have missed a caller, and those that do not.
	 */
	uint64_t n_stacks;
	uint64_t n_complete;
	uint64_t n_guessed;
	uint64_t n_truncated;
	/** Unwound samples by the reason why the unwind ended: enum pd_unwind_end. */
	struct pd_sum ends[PD_N_UNWIND_ENDS];
	/** Unwound frames, and those of them that were guessed from frame pointers. */
	uint64_t n_frames;
	uint64_t n_guessed_frames;
};

/**
 * Find out what became of the samples that were read for @p profile: in the profile or, if
 * @p format is not NULL, in what pd_profile_write() writes. Errors: USAGE, the format is unknown;
 * NOMEM.
 */
struct pd_error *pd_profile_get_stats(const struct pd_profile *profile, const char *format,
	struct pd_profile_stats *ret) pd_must_check;

PD_DECLS_END

#endif
