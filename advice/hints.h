/**
 * @file Hints: what a person can do about the shortcomings of a recording, one sentence each.
 *
 * A hint is only given if samples of the recording show its reason. Hints are data, which any
 * format may show.
 */
#ifndef PD_ADVICE_HINTS_H
#define PD_ADVICE_HINTS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "advice/hint_defs.h"
#include "advice/lacks.h"
#include "advice/completeness.h"
#include "profile/profile.h"

enum advice_hint_kind {
#define ADVICE_HINT_ENUM(name, ...) ADVICE_HINT_##name,
	ADVICE_HINT_KINDS(ADVICE_HINT_ENUM)
#undef ADVICE_HINT_ENUM
		ADVICE_N_HINT_KINDS,
};

struct advice_hint {
	enum advice_hint_kind kind;
	/**
	 * Samples to which the hint applies; for ADVICE_HINT_SHORT_LIVES, processes, and for
	 * ADVICE_HINT_LOST, what was lost.
	 */
	uint64_t n;
	/** Sentence without a full stop. May contain control characters of the recording. Owned. */
	char *text;
	/** ADVICE_HINT_RUNTIME: the runtime, and the ADVICE_LACKS_* that the hint is about. */
	enum prof_runtime runtime;
	unsigned lacks;
	/** ADVICE_HINT_RUNTIME: what was asked for is in the recorded command line already. */
	bool is_told;
	/** ADVICE_HINT_CUT: size of a captured stack to record with, in bytes. */
	uint32_t stack_bytes;
};

struct advice_hints {
	/** Hints, the one with the most samples first. */
	PD_VEC(struct advice_hint) list;
};

/** Name of a kind in lower case: "cut_stacks". Static storage. */
const char *advice_hint_kind_name(enum advice_hint_kind kind);

/**
 * Find the hints for @p profile. Those about names are left out if names were not requested.
 * @p unnamed: its frames without a name; NULL: no hints about missing symbols. Errors: NOMEM.
 */
struct pd_error *advice_hints_find(const struct profile *profile,
	const struct advice_unwind_summary *summary, const struct advice_lacks *lacks,
	const struct advice_unnamed *unnamed, struct advice_hints *ret) pd_must_check;
void advice_hints_deinit(struct advice_hints *hints);

#endif
