/**
 * @file Records of what was there before recording began, as perf makes them: the kernel and its
 * modules, cgroups, and processes with their threads and mappings.
 *
 *	cap_synth_create(&opts, emit, ctx, &synth);
 *	cap_synth_kernel(synth);
 *	cap_synth_all(synth);
 *	cap_synth_counts(synth)	what was found, and what was not
 *	cap_synth_destroy(synth);
 *
 * Processes come and go meanwhile: one that is gone, or may not be read, is counted and no error. The
 * time of all records is 0, and so is all of their trailers. Nothing is held but the list of
 * modules and the build ids of the files that were seen.
 */
#ifndef PD_CAPTURE_SYNTH_H
#define PD_CAPTURE_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "capture/postponed.h"

/** Zeroed: executable mappings by device and inode, no trailers. */
struct cap_synth_opts {
	/** In front of paths to /proc, /sys and /lib; NULL: this machine. Borrowed. */
	const char *root;
	/** Of the trailer behind each record, bytes: what sample_id_all makes of the sample type. */
	size_t sid_bytes;
	/** Build ids instead of device and inode, where they can be read. */
	bool build_ids;
	/** Mappings that are readable only, too: attr.mmap_data. */
	bool data;
	/** A NAMESPACES for each thread: attr.namespaces. */
	bool namespaces;
	/** Without FORK, as perf does it for processes that were named. */
	bool no_forks;
	/** Longest time for the mappings of a process, ms; 0: no limit. perf's is 500. */
	unsigned maps_timeout_ms;
	/**
	 * Where cap_synth_all adds the processes whose mappings it leaves out, those that it has not come to
	 * after so many seconds. NULL: it leaves none out. Borrowed.
	 */
	struct cap_postponed *postponed;
	double seconds;
};

/** What was found. */
struct cap_synth_counts {
	/** Handed over. */
	uint64_t records;
	uint64_t modules;
	uint64_t programs;
	uint64_t cgroups;
	uint64_t processes;
	uint64_t threads;
	uint64_t mappings;
	/** Processes and threads that ended meanwhile, or were not there. */
	uint64_t gone;
	/** Processes that could not be read, or not their mappings: those of others, mostly. */
	uint64_t denied;
	/** Processes with more mappings than could be read in time. */
	uint64_t cut;
	/** Kernel and modules are left out: their addresses are hidden (kptr_restrict). */
	bool is_kernel_hidden;
};

/** Takes a record of @p size bytes, which is borrowed during the call. An error ends the work. */
typedef struct pd_error *(*cap_emit)(void *ctx, const void *record, size_t size);

struct cap_synth;

/** @p opts is copied, @p ctx is handed to @p emit. Errors: no memory. */
struct pd_error *cap_synth_create(const struct cap_synth_opts *opts, cap_emit emit, void *ctx,
	struct cap_synth **ret) pd_must_check;
/** NULL is fine. */
void cap_synth_destroy(struct cap_synth *synth);

/** So far. */
const struct cap_synth_counts *cap_synth_counts(const struct cap_synth *synth);

/*
 * Each of the following hands over records. Errors: those of emit; no memory.
 */

/** The kernel's MMAP, and those of its modules by their addresses. */
struct pd_error *cap_synth_kernel(struct cap_synth *synth) pd_must_check;

/** KSYMBOL and BPF_EVENT for the BPF programs that are loaded; none if these may not be asked for. */
struct pd_error *cap_synth_bpf(struct cap_synth *synth) pd_must_check;

/** CGROUP for every directory of the hierarchy whose cgroups samples have. */
struct pd_error *cap_synth_cgroups(struct cap_synth *synth) pd_must_check;

/** The process @p pid with all its threads. */
struct pd_error *cap_synth_process(struct cap_synth *synth, uint32_t pid) pd_must_check;

/** The thread @p tid, and its process without the other threads. */
struct pd_error *cap_synth_thread(struct cap_synth *synth, uint32_t tid) pd_must_check;

/** All processes. */
struct pd_error *cap_synth_all(struct cap_synth *synth) pd_must_check;

/** The mappings of the process @p pid alone. */
struct pd_error *cap_synth_maps(struct cap_synth *synth, uint32_t pid) pd_must_check;

#endif
