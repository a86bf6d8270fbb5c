#include "resolve/stacks/stack.h"

void resolve_stack_deinit(struct resolve_stack *stack)
{
	parse_callchain_deinit(&stack->recorded);
}

static uint64_t walked_pc(const struct resolve_stack_input *input, size_t i)
{
	return input->pc_of(input->ctx, input->walked->frames.data[i]);
}

/* Whether the recorded chain begins with all unwound frames. */
static bool continues_walk(
	const struct resolve_stack *stack, const struct resolve_stack_input *input)
{
	size_t n = input->walked->frames.n;

	if (n > stack->recorded.user.n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (stack->recorded.user.data[i].pc != walked_pc(input, i))
			return false;
	}
	return true;
}

/*
 * Find the recorded link that is the last unwound frame. The recorded chain may lack frames before
 * it. If there are several such links, as in recursive functions, only equal frames before one show
 * which it is. Returns the number of links if none is certain.
 */
static size_t find_last_walked(
	const struct resolve_stack *stack, const struct resolve_stack_input *input)
{
	size_t n = stack->recorded.user.n, found = n;

	if (continues_walk(stack, input))
		return input->walked->frames.n - 1;
	uint64_t last_pc = walked_pc(input, input->walked->frames.n - 1);
	for (size_t i = 0; i < n; i++) {
		if (stack->recorded.user.data[i].pc != last_pc)
			continue;
		if (found < n)
			return n;
		found = i;
	}
	return found;
}

/*
 * Let an unwind that ended early go on with the recorded call chain of the same sample, after the
 * link that is the last unwound frame. If the chains do not meet, it is not known which links are
 * callers of that frame.
 */
static void join_links(struct resolve_stack *stack, const struct resolve_stack_input *input)
{
	size_t n = stack->recorded.user.n;
	size_t last = find_last_walked(stack, input);

	if (last + 1 >= n)
		return;
	stack->first_user = last + 1;
	stack->n_user = n - stack->first_user;
}

static void use_walked(struct resolve_stack *stack, const struct resolve_stack_input *input,
	const struct resolve_stack_opts *opts)
{
	enum pd_unwind_end end = input->walked->end;

	stack->origin = PROF_STACK_UNWOUND;
	stack->n_walked = input->walked->frames.n;
	if (pd_unwind_end_has_root(end))
		return;
	if (!opts->no_user_links)
		join_links(stack, input);
	stack->is_cut = !stack->n_user && (resolve_end_is_cut(end) || end == PD_UNWIND_END_LIMIT);
}

static struct pd_error *use_links(struct resolve_stack *stack,
	const struct resolve_stack_input *input, const struct resolve_stack_opts *opts)
{
	struct pd_error *err = NULL;

	stack->origin = input->has_calls ? PROF_STACK_BRANCHES : PROF_STACK_RECORDED;
	if (input->has_calls)
		err = parse_callchain_use_branches(&stack->recorded, input->sample, input->cpumode);
	stack->n_user = stack->recorded.user.n;
	stack->is_limited = opts->unwind.max_stack && stack->n_user > opts->unwind.max_stack;
	if (stack->is_limited)
		stack->n_user = opts->unwind.max_stack;
	stack->is_cut = input->has_lost_calls;
	return err;
}

static void use_ip(struct resolve_stack *stack, const struct resolve_stack_input *input,
	const struct resolve_stack_opts *opts)
{
	stack->ip = (struct parse_callchain_link){
		.pc = input->sample->ip,
		.context = parse_callchain_context_of(input->cpumode),
	};
	stack->has_ip = stack->ip.context == PD_CALLCHAIN_USER ? !opts->unwind.no_user
							       : !opts->unwind.no_kernel;
}

struct pd_error *resolve_stack_read(struct resolve_stack *stack,
	const struct resolve_stack_input *input, const struct resolve_stack_opts *opts)
{
	struct parse_callchain *recorded = &stack->recorded;

	*stack = (struct resolve_stack){ .origin = PROF_STACK_NONE, .recorded = *recorded };
	struct pd_error *err = parse_callchain_read(recorded, input->sample, input->cpumode);
	if (!err)
		err = parse_callchain_add_deferred(recorded, &input->deferred);
	if (err)
		return err;
	/* Stacks begin at the leaf, and the kernel was entered last: its frames come first. */
	stack->n_system = opts->unwind.no_kernel ? 0 : recorded->system.n;
	if (input->walked && input->walked->frames.n)
		use_walked(stack, input, opts);
	else if (!opts->unwind.no_user && !opts->no_user_links &&
		 (recorded->user.n || input->has_calls))
		err = use_links(stack, input, opts);
	else if (!recorded->system.n)
		use_ip(stack, input, opts);
	return err;
}
