#include "resolve/assembler_stack.h"

#include "resolve/stacks/lbr.h"

static bool wants_pcs(const struct resolve_assembler *a)
{
	return a->opts->on_sample || prof_keeps_addresses(&a->opts->request);
}

static bool wants_addresses(const struct resolve_assembler *a)
{
	return wants_pcs(a) || a->opts->request.chains;
}

static struct pd_error *push_pc(struct resolve_assembler *a, uint64_t pc)
{
	return pd_vec_push(&a->pcs, pc) ? NULL : &pd_enomem;
}

static struct pd_error *push(struct resolve_assembler *a, struct prof_frame_id frame, uint64_t pc)
{
	if (!pd_vec_push(&a->chain, frame))
		return &pd_enomem;
	return wants_pcs(a) ? push_pc(a, pc) : NULL;
}

/*
 * Addresses from PD_CONTEXT_MIN on would be read as context markers, and are not valid in user
 * space.
 */
static struct pd_error *push_user_pc(struct resolve_assembler *a, uint64_t pc, bool is_return)
{
	uint64_t lookup = pc - is_return;

	if (!a->opts->request.chains || lookup >= PD_CONTEXT_MIN)
		return NULL;
	bool is_first = a->user.n == a->user_start;
	if ((!is_return || is_first) && !pd_vec_push(&a->user, PD_CONTEXT_USER))
		return &pd_enomem;
	return pd_vec_push(&a->user, lookup) ? NULL : &pd_enomem;
}

static const struct parse_maps *maps_of(
	const struct resolve_item *item, const struct parse_callchain_link *link)
{
	return link->context == PD_CALLCHAIN_KERNEL ? item->kernel_maps : item->maps;
}

/* Append a frame that is added with those of its group. */
static struct pd_error *push_prepared(struct resolve_assembler *a, const struct resolve_item *item,
	const struct parse_callchain_link *link, uint32_t flags)
{
	if (!pd_vec_reserve(&a->prepared, a->chain.n + 1) ||
		!pd_vec_push(&a->chain, prof_no_frame()))
		return &pd_enomem;
	resolve_frames_prepare(
		a->frames, maps_of(item, link), link, flags, &a->prepared.data[a->chain.n - 1]);
	return wants_pcs(a) ? push_pc(a, link->pc) : NULL;
}

static struct pd_error *push_link(struct resolve_assembler *a, const struct resolve_item *item,
	const struct parse_callchain_link *link, uint32_t flags)
{
	struct prof_frame_id frame;

	if (a->is_preparing)
		return push_prepared(a, item, link, flags);
	struct pd_error *err =
		resolve_frames_at(a->frames, maps_of(item, link), link, flags, &frame);
	return err ? err : push(a, frame, link->pc);
}

static struct pd_error *push_links(struct resolve_assembler *a, const struct resolve_item *item,
	const struct parse_callchain_link *links, size_t n, uint32_t flags)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = push_link(a, item, &links[i], flags);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *push_mark(struct resolve_assembler *a, uint32_t flag)
{
	struct prof_frame_id frame;
	struct pd_error *err = resolve_frames_mark(a->frames, flag, &frame);

	return err ? err : push(a, frame, 0);
}

static struct pd_error *push_walked_pc(
	struct resolve_assembler *a, const struct resolve_item *item, uint32_t id)
{
	bool is_return;
	uint64_t pc = resolve_frames_walked_pc(a->frames, item->walker, id, &is_return);
	struct pd_error *err = wants_pcs(a) ? push_pc(a, pc) : NULL;

	return err ? err : push_user_pc(a, pc, is_return);
}

static struct pd_error *push_walked(struct resolve_assembler *a, const struct resolve_item *item)
{
	const uint32_t *ids = item->stack.frames.data;
	size_t n = item->stack.frames.n;

	if (!pd_vec_reserve(&a->chain, a->chain.n + n))
		return &pd_enomem;
	struct pd_error *err =
		resolve_frames_walked(a->frames, item->walker, ids, n, a->chain.data + a->chain.n);
	if (err)
		return err;
	a->chain.n += n;
	/*
	 * Most formats aggregate and need only frames: the addresses of a frame differ between
	 * processes.
	 */
	for (size_t i = 0; i < n && wants_addresses(a); i++) {
		err = push_walked_pc(a, item, ids[i]);
		if (err)
			return err;
	}
	a->n_frames += n;
	a->n_fp_frames += item->stack.n_by_fp;
	return NULL;
}

/* Append the frames that a neighbouring sample has after the last unwound frame. */
static struct pd_error *push_stitched(struct resolve_assembler *a, const struct resolve_item *item)
{
	struct pd_error *err = item->rest.n ? push_mark(a, PROF_FRAME_STITCHED) : NULL;

	if (err)
		return err;
	for (size_t i = 0; i < item->rest.n; i++) {
		const struct resolve_known_frame *rest = &item->rest.data[i];

		err = push(a, rest->frame, rest->pc);
		if (err)
			return err;
		err = push_user_pc(a, rest->pc, rest->is_return);
		if (err)
			return err;
	}
	a->profile->stats.n_stitched += item->rest_is_whole;
	return NULL;
}

/*
 * Complete a stack that is larger than its recorded bytes as far as possible, else mark it as
 * truncated.
 */
static struct pd_error *push_cut(struct resolve_assembler *a, const struct resolve_item *item)
{
	struct pd_error *err = push_stitched(a, item);

	if (err || item->rest_is_whole || a->opts->no_truncated)
		return err;
	return push_mark(a, PROF_FRAME_TRUNCATED);
}

/* Append user links. Those that continue an unwind are marked, and kept with its frames. */
static struct pd_error *push_user_links(
	struct resolve_assembler *a, const struct resolve_item *item)
{
	const struct resolve_stack *stack = &a->stack;
	const struct parse_callchain_link *links = resolve_stack_user(stack);

	if (!stack->n_walked)
		return push_links(a, item, links, stack->n_user, 0);
	for (size_t i = 0; i < stack->n_user; i++) {
		struct pd_error *err = push_link(a, item, &links[i], PROF_FRAME_JOINED);
		if (err)
			return err;
		err = push_user_pc(a, links[i].pc, links[i].is_return);
		if (err)
			return err;
	}
	return NULL;
}

/* Append what stands for frames that are missing at the root. */
static struct pd_error *push_end(struct resolve_assembler *a, const struct resolve_item *item)
{
	struct pd_error *err = NULL;

	if (a->stack.is_limited && !a->opts->no_truncated)
		err = push_mark(a, PROF_FRAME_TRUNCATED);
	return !err && a->stack.is_cut ? push_cut(a, item) : err;
}

/* Frames, and the walker that found those of a stack. */
struct walked {
	const struct resolve_frames *frames;
	size_t walker;
};

static uint64_t pc_of(const void *ctx, uint32_t id)
{
	const struct walked *walked = ctx;
	bool is_return;

	return resolve_frames_walked_pc(walked->frames, walked->walker, id, &is_return);
}

static bool has_lost_calls(struct resolve_assembler *a, const struct resolve_item *item)
{
	if (!item->has_calls)
		return false;
	if (a->lbr_depth == UINT64_MAX)
		a->lbr_depth = resolve_lbr_depth(a->file);
	return resolve_lbr_is_full(&item->sample, a->lbr_depth);
}

static struct pd_error *read_stack(struct resolve_assembler *a, const struct resolve_item *item)
{
	const struct resolve_stack_opts opts = {
		.unwind = a->opts->unwind,
	};
	const struct walked walked = { a->frames, item->walker };
	const struct resolve_stack_input input = {
		.sample = &item->sample,
		.cpumode = item->cpumode,
		.deferred = item->deferred,
		.has_calls = item->has_calls,
		.has_lost_calls = has_lost_calls(a, item),
		.walked = item->has_walk ? &item->stack : NULL,
		.pc_of = pc_of,
		.ctx = &walked,
	};

	return resolve_stack_read(&a->stack, &input, &opts);
}

struct pd_error *assembler_join(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *ret)
{
	const struct resolve_stack *stack = &a->stack;
	size_t start = a->chain.n, first_pc = a->pcs.n;
	struct pd_error *err = read_stack(a, item);

	a->user_start = a->user.n;
	if (!err)
		err = push_links(a, item, stack->recorded.system.data, stack->n_system, 0);
	if (err)
		return err;
	*ret = (struct resolve_chain){
		.n_system = a->chain.n - start,
		.origin = stack->origin,
		.end = item->has_walk ? item->stack.end : PD_N_UNWIND_ENDS,
	};
	if (stack->n_walked)
		err = push_walked(a, item);
	if (!err)
		err = push_user_links(a, item);
	if (!err && stack->has_ip)
		err = push_link(a, item, &stack->ip, 0);
	if (!err)
		err = push_end(a, item);
	if (err)
		return err;
	/* Pushing may have moved the lists, so their addresses are taken last. */
	ret->frames = a->chain.data ? a->chain.data + start : NULL;
	ret->pcs = a->pcs.data ? a->pcs.data + first_pc : NULL;
	ret->n = a->chain.n - start;
	return NULL;
}
