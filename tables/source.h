/**
 * @file Sources: a profile, and what its tables have in addition, such as the tree of stacks.
 */
#ifndef PD_TABLES_SOURCE_H
#define PD_TABLES_SOURCE_H

#include "advice/quality.h"
#include "analyze/rows.h"
#include "analyze/symbols.h"
#include "analyze/waits/wait_places.h"
#include "analyze/waits/waits.h"
#include "tables/folded_groups.h"
#include "tables/stack_tree.h"
#include "tables/tables.h"

/** Row of function_totals: a function in the samples of an event. */
struct tab_function_total {
	uint32_t event;
	uint32_t function;
	struct prof_value self;
	struct prof_value total;
};

/** Row of quality and losses: a number. Strings have static storage. */
struct tab_number {
	const char *name;
	const char *help;
	uint64_t n;
};

struct tab_source {
	const struct profile *profile;
	/** Bits of enum tab_need. */
	unsigned needs;
	/** Functions, and the rows of frames: the places of all frames of the profile. */
	struct ana_symbols symbols;
	/** Frame of the profile by row of the table frames. */
	PD_VEC(struct prof_frame_id) frame_owners;
	struct tab_stack_tree tree;
	PD_VEC(struct tab_stack_total) stack_totals;
	PD_VEC(struct tab_function_total) function_totals;
	struct ana_waits waits;
	struct tab_folded_groups folded;
	PD_VEC(struct tab_number) losses;
	PD_VEC(struct tab_number) quality;
	/** The stack without frames, or PROF_NONE. Interning makes it a single one. */
	uint32_t no_stack;
	/** Storage of the text that was read last; NULL: none was copied. */
	char *text;
	/** Memory ran out for it. */
	bool no_memory;
};

/** Set @p ret to a text of @p len bytes, which may be any. It lives as long as the source. */
void tab_set_text(struct tab_source *source, const char *text, size_t len, struct tab_cell *ret);
/** Set @p ret to a string of the profile. */
void tab_set_string(struct tab_source *source, struct prof_string_id id, struct tab_cell *ret);
/** Set @p ret to the number of an id, or to NULL if it is PROF_NONE. */
static inline void tab_set_id(uint32_t id, struct tab_cell *ret)
{
	ret->is_null = id == PROF_NONE;
	ret->integer = id;
}

/** Lists of tables; each has its file. */
extern const struct tab_table tab_recording, tab_losses, tab_quality, tab_events, tab_processes,
	tab_threads, tab_binaries, tab_functions, tab_frames, tab_stacks, tab_samples,
	tab_sample_groups, tab_function_totals, tab_stack_totals, tab_waits, tab_wait_functions,
	tab_mappings, tab_wakeups, tab_lives, tab_states, tab_delays, tab_cpus, tab_interval_kinds,
	tab_intervals;

#endif
