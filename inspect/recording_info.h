/**
 * @file The contents of a recording in numbers, and how far its stacks can be unwound.
 */
#ifndef PD_INSPECT_RECORDING_INFO_H
#define PD_INSPECT_RECORDING_INFO_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/group_read.h>

#include "advice/quality.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "resolve/resolve.h"

/** Number of records of a type. */
struct inspect_info_count {
	uint32_t type;
	uint64_t n;
};

/** Samples of one event. */
struct inspect_info_event {
	/**
	 * Counted as perf script shows them: a group read counts once for each counter that moved.
	 */
	uint64_t samples;
	uint64_t period_sum;
};

struct inspect_info_build_id {
	struct pd_build_id id;
	/** Number in inspect_info.names. */
	uint32_t name;
	/** It comes from HEADER_BUILD_ID, not from an MMAP2 record. */
	bool is_listed;
};

/** Number of CPU modes that PD_MISC_CPUMODE_MASK can hold: kernel, user and so on. */
enum { INSPECT_INFO_N_CPUMODES = 8 };

/** All counts of a recording. Filled in by inspect_info_collect(). */
struct inspect_info {
	const struct pd_file *file;
	/** Sorted by type. */
	PD_VEC(struct inspect_info_count) records;
	uint64_t n_records;
	/** Element 0: samples of no known event. Element i + 1: event i of file->events.list. */
	PD_VEC(struct inspect_info_event) events;
	/** Number of SAMPLE records, and the sum of their periods. */
	uint64_t n_samples;
	uint64_t period_sum;
	uint64_t samples_by_cpumode[INSPECT_INFO_N_CPUMODES];
	/** Samples that are too short for their event, and samples with bytes left over. */
	uint64_t n_damaged;
	uint64_t n_leftover;
	/**
	 * ns; 0 if no sample has a time. The times that perf makes up for off-CPU samples do not
	 * count.
	 */
	uint64_t first_ns;
	uint64_t last_ns;
	/** Processes and threads of samples. */
	struct base_map pids;
	struct base_map tids;
	uint64_t n_callchains;
	uint64_t callchain_entries;
	uint64_t n_branch_stacks;
	uint64_t branch_entries;
	uint64_t n_user_regs;
	uint64_t n_user_stacks;
	/** Sum of the captured stack bytes of all samples. */
	uint64_t user_stack_bytes;
	/** Captured stacks that fill the space reserved for them: outer frames may be missing. */
	uint64_t n_full_stacks;
	/** Losses according to LOST and LOST_SAMPLES, without samples that a BPF filter dropped. */
	uint64_t lost;
	uint64_t lost_samples;
	uint64_t n_throttled;
	/** Samples after damage, whose mappings may have been among the bytes that are lost. */
	uint64_t n_after_gaps;
	/** Paths of build_ids. */
	struct base_intern names;
	/** Names of threads, in the order of their COMM records. */
	struct base_intern comms;
	PD_VEC(struct inspect_info_build_id) build_ids;
	struct base_intern build_id_keys;
	/** A profile is needed: there are stacks to unwind, or samples to leave out. */
	bool unwinds;
	/** Profile without names; NULL unless unwinds. */
	struct profile *profile;
	/** How the unwinds of the profile ended, and hints that need no names. */
	struct advice_quality quality;
	/** State for reading counter values; of no use afterwards. */
	struct pd_counters counters;
};

/**
 * Read all of @p file and unwind its stacks as @p opts say. @p file is borrowed until
 * inspect_info_deinit(). Errors: reading; NOMEM.
 */
struct pd_error *inspect_info_collect(struct pd_file *file, const struct resolve_opts *opts,
	struct inspect_info *ret) pd_must_check;
void inspect_info_deinit(struct inspect_info *info);

/** Whether only the size of feature @p bit is shown, as its body is long or shown elsewhere. */
bool inspect_info_is_bulk(unsigned bit);

/** List everything. */
#define INSPECT_INFO_NO_LIMIT SIZE_MAX

#endif
