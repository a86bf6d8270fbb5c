/**
 * @file Adding samples and their rows to the profile.
 */
#ifndef PD_RESOLVE_ASSEMBLER_ROWS_H
#define PD_RESOLVE_ASSEMBLER_ROWS_H

#include "parse/open_file.h"
#include "resolve/batch/assembler.h"

/** Addresses that the row of an item has. */
struct assembler_addresses {
	/** Those of the stack; refers to nothing if they are not kept. */
	struct prof_pcs_id pcs;
	/** Those of the user part, n_user of them. Borrowed. */
	const uint64_t *user;
	size_t n_user;
};

/** Whether samples have tags. */
bool assembler_wants_tags(const struct resolve_assembler *a);
/** The tags of @p item, which are not added to the profile. */
struct prof_tags assembler_tags(const struct resolve_assembler *a, const struct resolve_item *item);

/**
 * Add the repeats of the group that follow at most @p n of its items: samples if they have tags,
 * and rows. Errors: NOMEM.
 */
struct pd_error *assembler_add_repeats(struct resolve_assembler *a, size_t n) pd_must_check;
/**
 * Add one sample to the profile, with a row if requested, for each event that item @p i of the
 * group counts for, after the repeats before it. @p sample is complete except for its event.
 * Errors: NOMEM.
 */
struct pd_error *assembler_add_samples(struct resolve_assembler *a, size_t i,
	const struct resolve_joined_stack *joined, const struct assembler_addresses *addresses,
	struct prof_sample *sample) pd_must_check;

#endif
