/**
 * @file Hints: what a person can do about the shortcomings of a recording, one sentence each.
 *
 * A hint is only given if samples of the recording show its reason. Hints are data, which any
 * format may show.
 */
#ifndef PD_PROFILE_HINTS_H
#define PD_PROFILE_HINTS_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/hint_defs.h"
#include "profile/lacks.h"
#include "profile/profile.h"
#include "profile/unnamed.h"
#include "profile/unwind_summary.h"

enum prof_hint_kind {
#define PROF_HINT_ENUM(name, ...) PROF_HINT_##name,
	PROF_HINT_KINDS(PROF_HINT_ENUM)
#undef PROF_HINT_ENUM
		PROF_N_HINT_KINDS,
};

struct prof_hint {
	enum prof_hint_kind kind;
	/**
	 * Samples to which the hint applies; for PROF_HINT_SHORT_LIVES, processes, and for
	 * PROF_HINT_LOST, what was lost.
	 */
	uint64_t n;
	/** Sentence without a full stop. May contain control characters of the recording. Owned. */
	char *text;
	/** PROF_HINT_RUNTIME: the runtime, and the PROF_LACKS_* that the hint is about. */
	enum prof_runtime runtime;
	unsigned lacks;
	/** PROF_HINT_RUNTIME: what was asked for is in the recorded command line already. */
	bool is_told;
	/** PROF_HINT_CUT: size of a captured stack to record with, in bytes. */
	uint32_t stack_bytes;
};

struct prof_hints {
	/** Hints, the one with the most samples first. */
	PD_VEC(struct prof_hint) list;
	/**
	 * Samples that were cut for which no captured stack is large enough: capturing more does
	 * not help them.
	 */
	uint64_t n_endless;
	/** Call chains that the kernel recorded. */
	struct prof_chains chains;
};

/** Name of a kind in lower case: "cut_stacks". Static storage. */
const char *prof_hint_kind_name(enum prof_hint_kind kind);

/**
 * Find the hints for @p profile. Those about names are left out if names were not requested.
 * @p unnamed: its frames without a name; NULL: no hints about missing symbols. Errors: no memory.
 */
struct pd_error *prof_hints_find(const struct profile *profile,
	const struct prof_unwind_summary *summary, const struct prof_unnamed *unnamed,
	struct prof_hints *ret) pd_must_check;
void prof_hints_deinit(struct prof_hints *hints);

/** Write the first @p max hints, each line with @p prefix in front, and how many are left out. */
void prof_hints_write(const struct prof_hints *hints, size_t max, const char *prefix, FILE *out);

#endif
