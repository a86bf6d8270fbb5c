#include "resolve/assembler_private.h"

#include "resolve/lbr.h"

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

static const struct pd_maps *maps_of(
	const struct resolve_item *item, const struct pd_callchain_link *link)
{
	return link->context == PD_CALLCHAIN_KERNEL ? item->kernel_maps : item->maps;
}

/* Append a frame that is added with those of its group. */
static struct pd_error *push_prepared(struct resolve_assembler *a, const struct resolve_item *item,
	const struct pd_callchain_link *link, uint32_t flags)
{
	if (!pd_vec_reserve(&a->prepared, a->chain.n + 1) ||
		!pd_vec_push(&a->chain, prof_no_frame()))
		return &pd_enomem;
	resolve_frames_prepare(
		a->frames, maps_of(item, link), link, flags, &a->prepared.data[a->chain.n - 1]);
	return wants_pcs(a) ? push_pc(a, link->pc) : NULL;
}

static struct pd_error *push_entry(struct resolve_assembler *a, const struct resolve_item *item,
	const struct pd_callchain_link *link, uint32_t flags)
{
	struct prof_frame_id frame;

	if (a->is_preparing)
		return push_prepared(a, item, link, flags);
	struct pd_error *err =
		resolve_frames_at(a->frames, maps_of(item, link), link, flags, &frame);
	return err ? err : push(a, frame, link->pc);
}

static struct pd_error *push_entries(struct resolve_assembler *a, const struct resolve_item *item,
	const struct pd_callchain_link *links, size_t n, uint32_t flags)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = push_entry(a, item, &links[i], flags);
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

static uint64_t walked_pc(
	const struct resolve_assembler *a, const struct resolve_item *item, size_t i)
{
	bool is_return;

	return resolve_frames_walked_pc(
		a->frames, item->walker, item->stack.frames.data[i], &is_return);
}

/* Whether the recorded chain begins with all unwound frames. */
static bool continues_walk(const struct resolve_assembler *a, const struct resolve_item *item)
{
	size_t n = item->stack.frames.n;

	if (n > a->recorded.user.n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (a->recorded.user.data[i].pc != walked_pc(a, item, i))
			return false;
	}
	return true;
}

/*
 * Find the recorded entry that is the last unwound frame. The recorded chain may lack frames
 * before it. If there are several such entries, as in recursive functions, only equal frames
 * before one show which it is. Returns the number of entries if none is certain.
 */
static size_t find_last_walked(const struct resolve_assembler *a, const struct resolve_item *item)
{
	size_t n = a->recorded.user.n, found = n;

	if (continues_walk(a, item))
		return item->stack.frames.n - 1;
	uint64_t last_pc = walked_pc(a, item, item->stack.frames.n - 1);
	for (size_t at = 0; at < n; at++) {
		if (a->recorded.user.data[at].pc != last_pc)
			continue;
		if (found < n)
			return n;
		found = at;
	}
	return found;
}

/*
 * Continue an unwind that ended early with the recorded call chain of the same sample, after the
 * entry that is the last unwound frame.
 */
static struct pd_error *push_recorded_rest(
	struct resolve_assembler *a, const struct resolve_item *item, bool *ret)
{
	/*
	 * If the chains do not meet, it is not known which recorded entries are callers of the last
	 * frame: at is n, and nothing is appended.
	 */
	size_t at = find_last_walked(a, item);

	*ret = at + 1 < a->recorded.user.n;
	for (at++; at < a->recorded.user.n; at++) {
		const struct pd_callchain_link *link = &a->recorded.user.data[at];

		struct pd_error *err = push_entry(a, item, link, PROF_FRAME_JOINED);
		if (err)
			return err;
		err = push_user_pc(a, link->pc, link->is_return);
		if (err)
			return err;
	}
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

static struct pd_error *push_unwound(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	bool has_rest = false;

	chain->source = PROF_STACK_UNWOUND;
	chain->end = item->stack.end;
	struct pd_error *err = push_walked(a, item);
	if (err || pd_unwind_end_has_root(chain->end))
		return err;
	err = push_recorded_rest(a, item, &has_rest);
	bool is_cut = resolve_item_is_cut(item) || item->stack.end == PD_UNWIND_END_LIMIT;

	return err || has_rest || !is_cut ? err : push_cut(a, item);
}

static struct pd_error *push_recorded_user(
	struct resolve_assembler *a, const struct resolve_item *item)
{
	size_t n = a->recorded.user.n;
	bool is_cut = a->opts->max_stack && n > a->opts->max_stack;

	if (is_cut)
		n = a->opts->max_stack;
	struct pd_error *err = push_entries(a, item, a->recorded.user.data, n, 0);
	if (err || !is_cut || a->opts->no_truncated)
		return err;
	return push_mark(a, PROF_FRAME_TRUNCATED);
}

static bool has_lost_calls(struct resolve_assembler *a, const struct resolve_item *item)
{
	if (a->lbr_depth == UINT64_MAX)
		a->lbr_depth = resolve_lbr_depth(a->file);
	return resolve_lbr_is_full(&item->sample, a->lbr_depth);
}

static struct pd_error *push_calls(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	struct pd_error *err =
		pd_callchain_use_branches(&a->recorded, &item->sample, item->cpumode);

	if (err)
		return err;
	chain->source = PROF_STACK_BRANCHES;
	err = push_recorded_user(a, item);
	if (err)
		return err;
	return has_lost_calls(a, item) ? push_cut(a, item) : NULL;
}

static struct pd_error *push_recorded(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	if (item->has_calls)
		return push_calls(a, item, chain);
	chain->source = PROF_STACK_RECORDED;
	return push_recorded_user(a, item);
}

/* Without call chain and stack, the instruction pointer is the only frame. */
static struct pd_error *push_ip(struct resolve_assembler *a, const struct resolve_item *item)
{
	const struct pd_callchain_link link = {
		.pc = item->sample.ip,
		.context = pd_callchain_context_of(item->cpumode),
	};
	bool is_unwanted =
		link.context == PD_CALLCHAIN_USER ? a->opts->no_user : a->opts->no_kernel;

	return is_unwanted ? NULL : push_entry(a, item, &link, 0);
}

static struct pd_error *read_recorded(struct resolve_assembler *a, const struct resolve_item *item)
{
	struct pd_error *err = pd_callchain_read(&a->recorded, &item->sample, item->cpumode);

	return err ? err : pd_callchain_add_deferred(&a->recorded, &item->deferred);
}

static struct pd_error *push_user(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	if (item->has_walk && item->stack.frames.n)
		return push_unwound(a, item, chain);
	if (item->has_walk)
		chain->end = item->stack.end;
	if (!a->opts->no_user && (a->recorded.user.n || item->has_calls))
		return push_recorded(a, item, chain);
	return a->recorded.system.n ? NULL : push_ip(a, item);
}

struct pd_error *assembler_join(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *ret)
{
	size_t start = a->chain.n;
	struct pd_error *err = read_recorded(a, item);

	if (err)
		return err;
	a->user_start = a->user.n;
	/* Stacks begin at the leaf, and the kernel was entered last: its frames come first. */
	if (!a->opts->no_kernel) {
		err = push_entries(a, item, a->recorded.system.data, a->recorded.system.n, 0);
		if (err)
			return err;
	}
	*ret = (struct resolve_chain){
		.n_system = a->chain.n - start,
		.source = PROF_STACK_NONE,
		.end = PD_N_UNWIND_ENDS,
	};
	err = push_user(a, item, ret);
	if (err)
		return err;
	/* Pushing may have moved the list, so its address is taken last. */
	ret->frames = a->chain.data ? a->chain.data + start : NULL;
	ret->n = a->chain.n - start;
	return NULL;
}
