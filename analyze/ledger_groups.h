/**
 * @file Sums of the ledger of threads by process and by control group.
 */
#ifndef PD_ANALYZE_LEDGER_GROUPS_H
#define PD_ANALYZE_LEDGER_GROUPS_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

enum ana_ledger_by {
	ANA_BY_PROCESS,
	ANA_BY_CGROUP,
};

/** Threads of one process, or in one control group. */
struct ana_ledger_group {
	/** Process; 0: not known, or the group is not one. */
	uint32_t pid;
	/** Name of its main thread, or of its first one; path of a control group. */
	struct prof_string_id name;
	uint64_t n_threads;
	/** Sums by enum prof_ledger_state, and of the lives. */
	uint64_t ns[PROF_N_LEDGER_STATES];
	uint64_t life_ns;
};

/** A zeroed one is empty. */
struct ana_ledger_groups {
	/** Those that ran longest first. */
	PD_VEC(struct ana_ledger_group) list;
};

/**
 * Sum up the threads of @p profile. Those whose control group is not known are a group without a
 * name. Errors: no memory.
 */
struct pd_error *ana_ledger_groups_create(const struct profile *profile, enum ana_ledger_by by,
	struct ana_ledger_groups *ret) pd_must_check;
void ana_ledger_groups_deinit(struct ana_ledger_groups *groups);

#endif
