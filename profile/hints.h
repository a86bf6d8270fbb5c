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

#include "profile/profile.h"
#include "profile/unwind_summary.h"

enum prof_hint_kind {
	/** A language run time lacks frames, names or callers. */
	PROF_HINT_RUNTIME,
	/** Generated code has no names, and no run time explains it. */
	PROF_HINT_UNNAMED,
	/** Stacks end in generated code that has no names either. */
	PROF_HINT_GENERATED,
	/** Stacks end in programs that were built without call frame information, by the user. */
	PROF_HINT_BUILD,
	/** Stacks end in code without it, such as assembly, of programs that have it elsewhere. */
	PROF_HINT_ASSEMBLY,
	/** Stacks end in binaries of the distribution that were built without it. */
	PROF_HINT_SYMBOLS,
	/** Binaries were not found, or others than the recorded ones. */
	PROF_HINT_FILES,
	/** Mappings may be among the records that were lost. */
	PROF_HINT_MAPPINGS,
	/** Not all registers were recorded. */
	PROF_HINT_REGISTERS,
	/** Call chains were recorded by frame pointers, which the programs do not have. */
	PROF_HINT_CHAINS,
	/** Stacks end at a switch to another stack, such as that of a signal handler. */
	PROF_HINT_STITCH,
	/** Stacks have more frames than the limit allows. */
	PROF_HINT_LIMIT,
	/** Processes lived shorter than the sampling period. */
	PROF_HINT_SHORT_LIVES,
};

struct prof_hint {
	enum prof_hint_kind kind;
	/** Samples to which the hint applies; for PROF_HINT_SHORT_LIVES, processes. */
	uint64_t n;
	/** Sentence without a full stop. May contain control characters of the recording. Owned. */
	char *text;
};

struct prof_hints {
	/** By falling number of samples. */
	PD_VEC(struct prof_hint) list;
	/**
	 * Samples that were cut for which no captured stack is large enough: capturing more does
	 * not help them.
	 */
	uint64_t n_endless;
};

/**
 * Find the hints for @p profile. Those about names are left out if names were not requested.
 * Errors: no memory.
 */
struct pd_error *prof_hints_find(const struct profile *profile,
	const struct prof_unwind_summary *summary, struct prof_hints *ret) pd_must_check;
void prof_hints_deinit(struct prof_hints *hints);

/** Write the first @p max hints, each line with @p prefix in front, and how many are left out. */
void prof_hints_write(const struct prof_hints *hints, size_t max, const char *prefix, FILE *out);

#endif
