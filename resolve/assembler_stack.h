/**
 * @file Joining the stacks of items.
 */
#ifndef PD_RESOLVE_ASSEMBLER_STACK_H
#define PD_RESOLVE_ASSEMBLER_STACK_H

#include "resolve/assembler.h"

/** Append the stack of @p item to the lists of stacks in @p a. Errors: NOMEM. */
struct pd_error *assembler_join(struct resolve_assembler *a, struct resolve_item *item,
	struct resolve_chain *ret) pd_must_check;

#endif
