/**
 * @file Stack: the parts of which the stack of a sample consists. Batches and pd_unwinder make
 * frames of the same parts.
 *
 *     leaf                                                                root
 *
 *     system links │ unwound frames │ recorded user links that go on there
 *                  │ user links: recorded, or the calls of branch records
 *                  │ the instruction pointer, for lack of others
 */
#ifndef PD_RESOLVE_STACKS_STACK_H
#define PD_RESOLVE_STACKS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>
#include <pdconv/sample.h>

#include "parse/callchain.h"
#include "profile/profile_stats.h"
#include "unwind/unwind.h"

struct resolve_stack_opts {
	struct pd_unwind_opts unwind;
	/** User frames are unwound, or are missing: recorded links are not used. */
	bool no_user_links;
};

/** Everything that is known about the stack of a sample. All borrowed. */
struct resolve_stack_input {
	const struct pd_sample *sample;
	uint16_t cpumode;
	/** User links that were recorded later, as u64. */
	struct pd_view deferred;
	/** The user links are calls in the branch records of the sample, of which some are lost. */
	bool has_calls;
	bool has_lost_calls;
	/** Result of the unwind; NULL if there was none. */
	const struct unw_stack *walked;
	/** Return the process address of the unwound frame @p id. */
	uint64_t (*pc_of)(const void *ctx, uint32_t id);
	const void *ctx;
};

/** A zeroed one is empty. Its lists keep their memory from one stack to the next. */
struct resolve_stack {
	/** Where the user frames are from. */
	enum prof_stack_origin origin;
	/** Recorded links. n_system of the system's belong to the stack. */
	struct parse_callchain recorded;
	size_t n_system;
	/** Number of unwound frames. */
	size_t n_walked;
	/** n_user links, from recorded.user.data[first_user] on. */
	size_t first_user;
	size_t n_user;
	/** The only link, unless there are others. */
	bool has_ip;
	struct parse_callchain_link ip;
	/** Frames at the root were not captured, or exceed what was asked for. */
	bool is_cut;
	bool is_limited;
};

/** Whether an unwind ended because frames at the root were not captured. */
static inline bool resolve_end_is_cut(enum pd_unwind_end end)
{
	return end == PD_UNWIND_END_STACK_SHORT || end == PD_UNWIND_END_OTHER_STACK;
}

void resolve_stack_deinit(struct resolve_stack *stack);

/** The user links of the stack; stack->n_user, and NULL if there are none. */
static inline const struct parse_callchain_link *resolve_stack_user(
	const struct resolve_stack *stack)
{
	return stack->n_user ? stack->recorded.user.data + stack->first_user : NULL;
}

/** Find the parts of a stack. Errors: NOMEM. */
struct pd_error *resolve_stack_read(struct resolve_stack *stack,
	const struct resolve_stack_input *input,
	const struct resolve_stack_opts *opts) pd_must_check;

#endif
