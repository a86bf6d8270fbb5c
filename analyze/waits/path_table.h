/**
 * @file Critical paths by name of the thread, function and state.
 *
 * While a thread ran, it was in the function of its next sample. A thread that was blocked waits
 * where the switch was sampled. Functions are those of the program: see
 * analyze/waits/wait_places.h.
 */
#ifndef PD_ANALYZE_PATH_TABLE_H
#define PD_ANALYZE_PATH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/symbols.h"
#include "analyze/waits/wait_places.h"
#include "profile/profile.h"

struct ana_path_row {
	/** Name of the thread, and the thread; it refers to nothing if several have that name. */
	struct prof_string_id comm;
	struct prof_thread_id thread;
	/** Name of the thread that had the CPU; refers to nothing unless instead_kind says so. */
	struct prof_string_id instead;
	enum prof_instead instead_kind;
	/** Name of the interrupt that ended the wait; "": none did, or it is not known. */
	struct prof_string_id interrupt;
	enum prof_ledger_state state;
	/** Reason of the wait, if has_stack. */
	enum ana_wait_kind kind;
	/** PROF_NONE: not known, or no function of the program is in the stack. */
	uint32_t symbol;
	/** It was blocked, and there is a sample of the beginning of that. */
	bool has_stack;
	uint64_t ns;
	/** Number of times. */
	uint64_t n;
};

struct ana_path_table {
	/** The longest first. */
	PD_VEC(struct ana_path_row) list;
	/** Sum of the rows by state, and of all. */
	uint64_t ns[PROF_N_LEDGER_STATES];
	uint64_t whole;
	/** It is known of some rows what had the CPU. */
	bool has_instead;
	/** Interrupts ended some waits. */
	bool has_interrupts;
};

/** Sum up the paths of @p profile, which has rows. Errors: no memory. */
struct pd_error *ana_path_table_create(const struct profile *profile,
	const struct ana_symbols *symbols, struct ana_path_table *ret) pd_must_check;
void ana_path_table_deinit(struct ana_path_table *table);

#endif
