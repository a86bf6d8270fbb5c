/**
 * @file What the blocked time of a ledger was for: by kind of wait and function of the program,
 * from the stacks with which threads left their CPUs.
 */
#ifndef PD_ANALYZE_BLOCKED_REASONS_H
#define PD_ANALYZE_BLOCKED_REASONS_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/waits/wait_places.h"

struct ana_blocked_row {
	enum ana_wait_kind kind;
	/** PROF_NONE: no function of the program is in the stack. */
	uint32_t symbol;
	/** Number of waits, and the blocked time in ns. */
	uint64_t n;
	uint64_t ns;
};

/** A zeroed one is empty. */
struct ana_blocked {
	/** The longest first. */
	PD_VEC(struct ana_blocked_row) list;
	/** Blocked time of all threads, and the part that is in no row: nothing says what for. */
	uint64_t whole;
	uint64_t unknown;
};

/** Sum up the waits of @p profile, which has a ledger. Errors: no memory. */
struct pd_error *ana_blocked_count(const struct profile *profile, const struct ana_symbols *symbols,
	struct ana_blocked *ret) pd_must_check;
void ana_blocked_deinit(struct ana_blocked *blocked);

#endif
