/**
 * @file What is in a recording, and how far its stacks can be unwound.
 */
#ifndef PD_INSPECT_INFO_H
#define PD_INSPECT_INFO_H

#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/group_read.h>

#include "base/intern.h"
#include "base/map.h"
#include "profile/unwind_summary.h"
#include "resolve/resolve.h"

struct inspect_info_count {
	uint32_t type;
	uint64_t n;
};

struct inspect_info_event {
	/** As perf script delivers them: of a group's counters one for each that moved. */
	uint64_t samples;
	uint64_t period_sum;
};

struct inspect_info_build_id {
	struct pd_build_id id;
	/** Number in names. */
	uint32_t name;
	/** From the header's list, not from a mapping. */
	bool is_listed;
};

/** Kernel, user and so on, by PD_MISC_CPUMODE_MASK. */
enum { INSPECT_INFO_N_CPUMODES = 8 };

/** Everything that was counted. Made by inspect_info_collect. */
struct inspect_info {
	const struct pd_file *file;
	/** By type, ascending. */
	PD_VEC(struct inspect_info_count) records;
	uint64_t n_records;
	/** As file->events.list; one more for what belongs to none. */
	PD_VEC(struct inspect_info_event) events;
	/** SAMPLE records, and the sum of their periods. */
	uint64_t n_samples;
	uint64_t period_sum;
	uint64_t samples_by_cpumode[INSPECT_INFO_N_CPUMODES];
	/** Samples that do not decode, and those that hold more than their event says. */
	uint64_t n_damaged;
	uint64_t n_leftover;
	/** ns; 0: no sample has a time. Times made up for off-CPU samples are not among them. */
	uint64_t first_ns;
	uint64_t last_ns;
	/** Of samples. */
	struct pd_map pids;
	struct pd_map tids;
	uint64_t n_callchains;
	uint64_t callchain_entries;
	uint64_t n_branch_stacks;
	uint64_t branch_entries;
	uint64_t n_user_regs;
	uint64_t n_user_stacks;
	/** Bytes that were captured, of all. */
	uint64_t user_stack_bytes;
	/** Stacks that fill what was reserved for them: their outer frames may be missing. */
	uint64_t n_full_stacks;
	/** What LOST and LOST_SAMPLES say; without what a BPF filter dropped. */
	uint64_t lost;
	uint64_t lost_samples;
	uint64_t n_throttled;
	/** Commands and paths. */
	struct pd_intern names;
	/** Numbers of commands, which came first to last. */
	struct pd_intern comms;
	PD_VEC(struct inspect_info_build_id) build_ids;
	struct pd_intern build_id_keys;
	/** There are stacks to unwind, or samples that are not asked for. */
	bool unwinds;
	/** Without names; NULL if it is not needed. How the walks ended, and what was left out. */
	struct profile *profile;
	struct prof_unwind_summary accounts;
	/** For reading. */
	struct pd_counters counters;
};

/**
 * Read all of @p file, which is borrowed until inspect_info_deinit, and unwind what stacks it has as
 * @p opts say.
 */
struct pd_error *inspect_info_collect(struct pd_file *file, const struct resolve_opts *opts,
	struct inspect_info *ret) pd_must_check;
void inspect_info_deinit(struct inspect_info *info);

/** Whether the body of feature @p bit is told elsewhere, or too much to tell: then its size is. */
bool inspect_info_is_bulk(unsigned bit);

/** For people, and for programs: one object. */
void inspect_info_text(const struct inspect_info *info, FILE *out);
void inspect_info_json(const struct inspect_info *info, FILE *out);

/**
 * Which files were tried for which binary: of a profile that was built with list_files, binaries with
 * most samples first. Errors: no memory.
 */
struct pd_error *inspect_info_binaries_text(const struct profile *profile, FILE *out) pd_must_check;
struct pd_error *inspect_info_binaries_json(const struct profile *profile, FILE *out) pd_must_check;

#endif
