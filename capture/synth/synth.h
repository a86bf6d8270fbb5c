/**
 * @file Synthesised records of what existed before the recording began, as perf makes them: the
 * kernel and its modules, BPF programs, control groups, and processes with their threads and
 * mappings.
 *
 * 	cap_synth_create(&opts, emit, ctx, &synth);
 * 	cap_synth_kernel(synth);
 * 	cap_synth_all(synth);
 * 	cap_synth_counts(synth)	what was found, and what was not
 * 	cap_synth_destroy(synth);
 *
 * Processes start and exit meanwhile: one that has exited, or may not be read, is counted and is
 * not an error. All records have time 0 and a trailer of zeros. Memory is used only for the list of
 * modules and for the build ids of the files that were read.
 */
#ifndef PD_CAPTURE_SYNTH_SYNTH_H
#define PD_CAPTURE_SYNTH_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"

/**
 * The set of processes whose mappings are synthesised only if they have samples. A zeroed one is
 * empty.
 *
 * The mappings of a process must be known before its samples, but those of the many processes that
 * only sleep are never needed, and reading them delays the recording. Synthesised records have time
 * 0, and readers sort records by time within a round (parse/order.h), so it is early enough to
 * write them in the round of the first sample.
 */
struct cap_postponed {
	/** Process id to 1 if the process has been seen in the rings, else to 0. */
	struct base_map pids;
	/** Processes in the order in which they were seen; the first n_taken have been taken. */
	PD_VEC(uint32_t) seen;
	size_t n_taken;
};

/** Empty the set. */
void cap_postponed_deinit(struct cap_postponed *postponed);

/** Postpone the mappings of @p pid. Errors: NOMEM. */
struct pd_error *cap_postponed_add(struct cap_postponed *postponed, uint32_t pid) pd_must_check;

/** Note that the process @p pid, postponed or not, had a sample or a child. */
void cap_postponed_note(struct cap_postponed *postponed, uint32_t pid);

/** Take the next process whose mappings are needed now; false if there is none. */
bool cap_postponed_take(struct cap_postponed *postponed, uint32_t *ret);

/** Count the processes that were never seen. */
size_t cap_postponed_n_unseen(const struct cap_postponed *postponed);

/** Options. Zeroed ones give executable mappings by device and inode, without trailers. */
struct cap_synth_opts {
	/** Prefix of paths to /proc, /sys and /lib; NULL: this machine. Borrowed. */
	const char *root;
	/** Bytes of the trailer (sample_id_all) after each record. */
	size_t sid_bytes;
	/** Write build ids instead of device and inode where they can be read. */
	bool build_ids;
	/** Include mappings that are readable but not executable (attr.mmap_data). */
	bool data;
	/** Write NAMESPACES for each thread (attr.namespaces). */
	bool namespaces;
	/** Leave out FORK records, as perf does for processes that are named. */
	bool no_forks;
	/** Time limit for the mappings of a process in ms; 0: none. perf uses 500. */
	unsigned maps_timeout_ms;
	/**
	 * Where cap_synth_all adds the processes that it has not reached after @a seconds, whose
	 * mappings it leaves out. NULL: it reads the mappings of all. Borrowed.
	 */
	struct cap_postponed *postponed;
	double seconds;
};

/** Totals of the records and of what could not be read. */
struct cap_synth_counts {
	/** Records that were emitted. */
	uint64_t records;
	uint64_t modules;
	uint64_t programs;
	uint64_t cgroups;
	uint64_t processes;
	uint64_t threads;
	uint64_t mappings;
	/** Processes and threads that had exited or never existed. */
	uint64_t gone;
	/** Processes that, or whose mappings, may not be read: mostly those of other users. */
	uint64_t denied;
	/** Processes whose mappings took longer than the time limit. */
	uint64_t cut;
	/**
	 * The kernel and its modules are left out, because their addresses are hidden
	 * (kptr_restrict).
	 */
	bool is_kernel_hidden;
};

/** Gets a record of @p size bytes, borrowed during the call. An error ends the synthesis. */
typedef struct pd_error *(*cap_emit)(void *ctx, const void *record, size_t size);

struct cap_synth;

/** Create a synthesiser that calls @p emit with @p ctx. @p opts is copied. Errors: NOMEM. */
struct pd_error *cap_synth_create(const struct cap_synth_opts *opts, cap_emit emit, void *ctx,
	struct cap_synth **ret) pd_must_check;
/** Free @p synth; NULL is fine. */
void cap_synth_destroy(struct cap_synth *synth);

/** Totals so far. */
const struct cap_synth_counts *cap_synth_counts(const struct cap_synth *synth);

/*
 * The following functions emit records, and so do those of synth_kernel.h and synth_maps.h. Errors:
 * those of emit; NOMEM.
 */

/** Emit CGROUP for every directory of the hierarchy that samples refer to. */
struct pd_error *cap_synth_cgroups(struct cap_synth *synth) pd_must_check;

/** Emit the process @p pid with all its threads. */
struct pd_error *cap_synth_process(struct cap_synth *synth, uint32_t pid) pd_must_check;

/** Emit the thread @p tid, and its process without the other threads. */
struct pd_error *cap_synth_thread(struct cap_synth *synth, uint32_t tid) pd_must_check;

/** Emit all processes. */
struct pd_error *cap_synth_all(struct cap_synth *synth) pd_must_check;

#endif
