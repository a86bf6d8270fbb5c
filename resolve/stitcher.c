#include "resolve/stitcher.h"

#include <stdlib.h>

#include "base/map.h"
#include "resolve/lbr.h"

/* Limit for frames of all threads, about 24 MB. When it is exceeded everything is forgotten. */
enum { MAX_FRAMES = 1 << 20 };

struct stitch_frame {
	uint64_t pc;
	/** Stack pointer; for branch records the target of the call at pc. */
	uint64_t sp;
	struct prof_frame_id frame;
	/** pc is a return address. */
	bool is_return;
};

/* Last known stack of a thread, leaf first. */
struct known_stack {
	PD_VEC(struct stitch_frame) entries;
	/** The stack reaches the root. */
	bool is_whole;
};

/* Last known stacks of all threads, before or after the current item. */
struct known_stacks {
	/** Index in list by thread id. */
	struct pd_map by_tid;
	PD_VEC(struct known_stack) list;
	size_t n_frames;
};

struct resolve_stitcher {
	struct resolve_frames *frames;
	/** Number of branch records of the processor. */
	uint64_t depth;
	struct known_stacks before;
	struct known_stacks after;
	/** Stack of the current item. */
	struct known_stack own;
};

struct pd_error *resolve_stitcher_create(
	const struct pd_file *file, struct resolve_frames *frames, struct resolve_stitcher **ret)
{
	struct resolve_stitcher *stitcher = calloc(1, sizeof(*stitcher));

	if (!stitcher)
		return &pd_enomem;
	stitcher->frames = frames;
	stitcher->depth = resolve_lbr_depth(file);
	*ret = stitcher;
	return NULL;
}

static void forget(struct known_stacks *stacks)
{
	for (size_t i = 0; i < stacks->list.n; i++)
		pd_vec_deinit(&stacks->list.data[i].entries);
	pd_vec_deinit(&stacks->list);
	pd_map_deinit(&stacks->by_tid);
	*stacks = (struct known_stacks){ 0 };
}

void resolve_stitcher_destroy(struct resolve_stitcher *stitcher)
{
	if (!stitcher)
		return;
	forget(&stitcher->before);
	forget(&stitcher->after);
	pd_vec_deinit(&stitcher->own.entries);
	free(stitcher);
}

static struct known_stack *get_stack(struct known_stacks *stacks, uint32_t tid)
{
	const struct known_stack none = { 0 };
	bool is_new;

	if (stacks->n_frames > MAX_FRAMES)
		forget(stacks);
	uint64_t *number = pd_map_add(&stacks->by_tid, tid, &is_new);
	if (!number || (is_new && !pd_vec_push(&stacks->list, none)))
		return NULL;
	if (is_new)
		*number = stacks->list.n - 1;
	return &stacks->list.data[*number];
}

static struct pd_error *read_walk(
	struct resolve_stitcher *stitcher, const struct resolve_item *item)
{
	for (size_t i = 0; i < item->stack.frames.n; i++) {
		uint32_t id = item->stack.frames.data[i];
		struct stitch_frame entry = { .sp = item->stack.sps.data[i] };
		struct pd_error *err =
			resolve_frames_walked(stitcher->frames, item->walker, &id, 1, &entry.frame);

		entry.pc = resolve_frames_walked_pc(
			stitcher->frames, item->walker, id, &entry.is_return);
		if (err)
			return err;
		if (!pd_vec_push(&stitcher->own.entries, entry))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *read_calls(
	struct resolve_stitcher *stitcher, const struct resolve_item *item)
{
	const struct pd_branches *branches = &item->sample.branch_stack;

	for (uint64_t i = 0; i < branches->entries.n; i++) {
		struct pd_branch branch = pd_branch_get(branches, i);
		struct stitch_frame entry = { .pc = branch.from, .sp = branch.to };
		const struct pd_callchain_link location = { .pc = branch.from,
			.context = PD_CALLCHAIN_USER };
		struct pd_error *err =
			resolve_frames_at(stitcher->frames, item->maps, &location, 0, &entry.frame);

		if (err)
			return err;
		if (!pd_vec_push(&stitcher->own.entries, entry))
			return &pd_enomem;
	}
	return NULL;
}

static bool is_walked(const struct resolve_item *item)
{
	return item->has_walk && !item->err && item->stack.frames.n;
}

/* Whether frames at the root are missing. */
static bool is_cut(const struct resolve_stitcher *stitcher, const struct resolve_item *item)
{
	if (item->rest_is_whole)
		return false;
	return is_walked(item) ? item->stack.end == PD_UNWIND_END_STACK_SHORT
			       : resolve_lbr_is_full(&item->sample, stitcher->depth);
}

static bool is_whole(const struct resolve_stitcher *stitcher, const struct resolve_item *item)
{
	if (is_walked(item))
		return item->stack.end == PD_UNWIND_END_ROOT || item->rest_is_whole;
	return !is_cut(stitcher, item);
}

/* Read the frames of the sample and those that complete it. */
static struct pd_error *read_own(struct resolve_stitcher *stitcher, const struct resolve_item *item)
{
	struct known_stack *own = &stitcher->own;

	own->entries.n = 0;
	own->is_whole = is_whole(stitcher, item);
	struct pd_error *err =
		is_walked(item) ? read_walk(stitcher, item) : read_calls(stitcher, item);
	if (err)
		return err;
	for (size_t i = 0; i < item->rest.n; i++) {
		const struct resolve_rest *rest = &item->rest.data[i];
		const struct stitch_frame entry = { rest->pc, rest->sp, rest->frame,
			rest->is_return };

		if (!pd_vec_push(&own->entries, entry))
			return &pd_enomem;
	}
	return NULL;
}

/*
 * Append the frames that follow the last frame of @p item in another stack, if that stack contains
 * the frame.
 */
static struct pd_error *append_rest(
	const struct known_stack *own, const struct known_stack *other, struct resolve_item *item)
{
	const struct stitch_frame *last = &own->entries.data[own->entries.n - 1];
	size_t at = 0;

	while (at < other->entries.n &&
		(other->entries.data[at].pc != last->pc || other->entries.data[at].sp != last->sp))
		at++;
	for (size_t i = at + 1; i < other->entries.n; i++) {
		const struct stitch_frame *entry = &other->entries.data[i];
		const struct resolve_rest rest = { entry->pc, entry->sp, entry->frame,
			entry->is_return };

		if (!pd_vec_push(&item->rest, rest))
			return &pd_enomem;
	}
	item->rest_is_whole = at < other->entries.n && other->is_whole;
	return NULL;
}

/* Read the stack of @p item, and complete it from @p other if it was cut. */
static struct pd_error *complete(struct resolve_stitcher *stitcher, const struct known_stack *other,
	struct resolve_item *item)
{
	struct pd_error *err = read_own(stitcher, item);

	if (err || !is_cut(stitcher, item))
		return err;
	err = append_rest(&stitcher->own, other, item);
	if (err)
		return err;
	return item->rest.n ? read_own(stitcher, item) : NULL;
}

static struct pd_error *stitch_item(
	struct resolve_stitcher *stitcher, struct known_stacks *stacks, struct resolve_item *item)
{
	struct known_stack *other = get_stack(stacks, item->sample.tid);

	if (!other)
		return &pd_enomem;
	struct pd_error *err = complete(stitcher, other, item);
	if (err)
		return err;
	/*
	 * This stack is the neighbour of the next one; the memory of the old neighbour is used
	 * again.
	 */
	struct known_stack old = *other;
	stacks->n_frames += stitcher->own.entries.n;
	stacks->n_frames -= old.entries.n;
	*other = stitcher->own;
	stitcher->own = old;
	return NULL;
}

static bool has_stack(const struct resolve_item *item)
{
	return is_walked(item) || (!item->has_walk && item->has_calls);
}

/* Complete the items from stacks before them, then from stacks after them in the batch. */
static struct pd_error *stitch_both_ways(
	struct resolve_stitcher *stitcher, struct resolve_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		struct resolve_item *item = &batch->items[i];
		struct pd_error *err =
			has_stack(item) ? stitch_item(stitcher, &stitcher->before, item) : NULL;

		if (err)
			return err;
	}
	/*
	 * Later batches have not been unwound yet, so this pass knows only stacks of this batch. A
	 * stack that the first pass completed may complete others here.
	 */
	for (size_t i = batch->n; i-- > 0;) {
		struct resolve_item *item = &batch->items[i];
		struct pd_error *err =
			has_stack(item) ? stitch_item(stitcher, &stitcher->after, item) : NULL;

		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *resolve_stitch(struct resolve_stitcher *stitcher, struct resolve_batch *batch)
{
	struct pd_error *err = stitch_both_ways(stitcher, batch);

	forget(&stitcher->after);
	return err;
}
