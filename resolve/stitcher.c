#include "resolve/stitcher.h"

#include <stdlib.h>

#include "base/map.h"
#include "resolve/lbr.h"

/* Of all threads together, some 24 MB; when it is more everything is forgotten. */
enum { MAX_LINKS = 1 << 20 };

struct link {
	uint64_t pc;
	/** Or the target of the call at pc. */
	uint64_t sp;
	struct prof_frame_id frame;
	/** pc is behind a call. */
	bool is_return;
};

/* The stack of a thread, leaf first. */
struct memory {
	PD_VEC(struct link) links;
	/** It reaches the root. */
	bool is_whole;
};

/* What is remembered of each thread: of the past, or of the future. */
struct memories {
	/** Thread id to number in list. */
	struct pd_map by_tid;
	PD_VEC(struct memory) list;
	size_t n_links;
};

struct resolve_stitcher {
	struct resolve_frames *frames;
	/** Of branch records. */
	uint64_t depth;
	struct memories before;
	struct memories after;
	/** The stack at hand. */
	struct memory own;
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

static void forget(struct memories *memories)
{
	for (size_t i = 0; i < memories->list.n; i++)
		pd_vec_deinit(&memories->list.data[i].links);
	pd_vec_deinit(&memories->list);
	pd_map_deinit(&memories->by_tid);
	*memories = (struct memories){ 0 };
}

void resolve_stitcher_destroy(struct resolve_stitcher *stitcher)
{
	if (!stitcher)
		return;
	forget(&stitcher->before);
	forget(&stitcher->after);
	pd_vec_deinit(&stitcher->own.links);
	free(stitcher);
}

static struct memory *recall(struct memories *memories, uint32_t tid)
{
	const struct memory none = { 0 };
	bool is_new;

	if (memories->n_links > MAX_LINKS)
		forget(memories);
	uint64_t *number = pd_map_add(&memories->by_tid, tid, &is_new);
	if (!number || (is_new && !pd_vec_push(&memories->list, none)))
		return NULL;
	if (is_new)
		*number = memories->list.n - 1;
	return &memories->list.data[*number];
}

static struct pd_error *read_walk(
	struct resolve_stitcher *stitcher, const struct resolve_item *item)
{
	for (size_t i = 0; i < item->stack.frames.n; i++) {
		uint32_t id = item->stack.frames.data[i];
		struct link link = { .sp = item->stack.sps.data[i] };
		struct pd_error *err =
			resolve_frames_walked(stitcher->frames, item->walker, &id, 1, &link.frame);

		link.pc = resolve_frames_walked_pc(
			stitcher->frames, item->walker, id, &link.is_return);
		if (err)
			return err;
		if (!pd_vec_push(&stitcher->own.links, link))
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
		struct link link = { .pc = branch.from, .sp = branch.to };
		const struct pd_callchain_link place = { .pc = branch.from,
			.context = PD_CALLCHAIN_USER };
		struct pd_error *err =
			resolve_frames_at(stitcher->frames, item->maps, &place, 0, &link.frame);

		if (err)
			return err;
		if (!pd_vec_push(&stitcher->own.links, link))
			return &pd_enomem;
	}
	return NULL;
}

static bool is_walked(const struct resolve_item *item)
{
	return item->has_walk && !item->err && item->stack.frames.n;
}

/* The stack goes on behind what is known of it. */
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

/* What the sample itself has, and what is known to follow it. */
static struct pd_error *read_own(struct resolve_stitcher *stitcher, const struct resolve_item *item)
{
	struct memory *own = &stitcher->own;

	own->links.n = 0;
	own->is_whole = is_whole(stitcher, item);
	struct pd_error *err =
		is_walked(item) ? read_walk(stitcher, item) : read_calls(stitcher, item);
	if (err)
		return err;
	for (size_t i = 0; i < item->rest.n; i++) {
		const struct resolve_rest *rest = &item->rest.data[i];
		const struct link link = { rest->pc, rest->sp, rest->frame, rest->is_return };

		if (!pd_vec_push(&own->links, link))
			return &pd_enomem;
	}
	return NULL;
}

/* Append what lies behind the last frame of item in other, if it is there. */
static struct pd_error *adopt(
	const struct memory *own, const struct memory *other, struct resolve_item *item)
{
	const struct link *last = &own->links.data[own->links.n - 1];
	size_t at = 0;

	while (at < other->links.n &&
		(other->links.data[at].pc != last->pc || other->links.data[at].sp != last->sp))
		at++;
	for (size_t i = at + 1; i < other->links.n; i++) {
		const struct link *link = &other->links.data[i];
		const struct resolve_rest rest = { link->pc, link->sp, link->frame,
			link->is_return };

		if (!pd_vec_push(&item->rest, rest))
			return &pd_enomem;
	}
	item->rest_is_whole = at < other->links.n && other->is_whole;
	return NULL;
}

/* Read the stack of @p item, and complete it from @p other if it was cut. */
static struct pd_error *complete(
	struct resolve_stitcher *stitcher, const struct memory *other, struct resolve_item *item)
{
	struct pd_error *err = read_own(stitcher, item);

	if (err || !is_cut(stitcher, item))
		return err;
	err = adopt(&stitcher->own, other, item);
	if (err)
		return err;
	return item->rest.n ? read_own(stitcher, item) : NULL;
}

static struct pd_error *stitch_item(
	struct resolve_stitcher *stitcher, struct memories *memories, struct resolve_item *item)
{
	struct memory *other = recall(memories, item->sample.tid);

	if (!other)
		return &pd_enomem;
	struct pd_error *err = complete(stitcher, other, item);
	if (err)
		return err;
	/*
	 * This stack is the neighbour of the next one; the memory of the old neighbour is used
	 * again.
	 */
	struct memory old = *other;
	memories->n_links += stitcher->own.links.n;
	memories->n_links -= old.links.n;
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
