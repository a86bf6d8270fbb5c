/**
 * @file Samples in groups of one event, thread name, control group and stack of functions.
 *
 * The groups do not refer to addresses, threads or numbers of one recording, so that groups of
 * several recordings can be compared and added up.
 */
#ifndef PD_TABLES_FOLDED_GROUPS_H
#define PD_TABLES_FOLDED_GROUPS_H

#include <stdint.h>

#include <pdconv/vec.h>

#include "analyze/symbols.h"
#include "profile/profile.h"

/** A group. Groups with equal bytes are the same group. */
struct tab_folded_group {
	uint32_t event;
	struct prof_string_id comm;
	/** "" if it was not sampled. */
	struct prof_string_id cgroup;
	/** Binary of the innermost frame; PROF_NONE: the stack has no frames, or it has none. */
	uint32_t binary;
	/** Id in tab_folded_groups.stacks. */
	uint32_t stack;
};

/** A zeroed one is empty. */
struct tab_folded_groups {
	/** Arrays of symbol ids, root first. */
	struct base_intern stacks;
	/** struct tab_folded_group, in the order of their first samples. */
	struct base_intern groups;
	/** Sums by group. */
	PD_VEC(struct prof_value) values;
	/** Storage of the stack that was written last. */
	PD_VEC(char) text;
};

/** Group the samples of @p profile. Returns false if memory ran out. */
bool tab_folded_groups_create(const struct profile *profile, const struct ana_symbols *symbols,
	struct tab_folded_groups *ret) pd_must_check;
void tab_folded_groups_deinit(struct tab_folded_groups *groups);

/**
 * Write the names of the stack @p id to groups->text, root first, with ';' between them. Returns
 * false if memory ran out.
 */
bool tab_folded_groups_write(struct tab_folded_groups *groups, const struct ana_symbols *symbols,
	uint32_t id) pd_must_check;

#endif
