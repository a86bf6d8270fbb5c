#include "resolve/batch/stitcher.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/containers/map.h"
#include "parse/open_file.h"
#include "resolve/stacks/lbr.h"
#include "resolve/stacks/stack.h"

/* Limit for frames of all threads, about 40 MB. When it is exceeded everything is forgotten. */
enum { MAX_FRAMES = PD_LIMIT_STITCHED_FRAMES };

/* Last known stack of a thread, leaf first. */
struct known_stack {
	PD_VEC(struct resolve_known_frame) entries;
	/** The stack reaches the root. */
	bool is_whole;
	/** Frames were joined although only the stack before has them so far. */
	bool is_doubtful;
};

/* Last known stacks of all threads, before or after the current item. */
struct known_stacks {
	/** Index in list by thread id. */
	struct base_map by_tid;
	PD_VEC(struct known_stack) list;
	size_t n_frames;
};

struct resolve_stitcher {
	const struct pd_file *file;
	struct resolve_frames *frames;
	/** Number of branch records of the processor. */
	uint64_t depth;
	struct known_stacks before;
	struct known_stacks after;
	/** Stack of the current item. */
	struct known_stack own;
	struct resolve_witness *witness;
};

struct pd_error *resolve_stitcher_create(const struct pd_file *file, struct resolve_frames *frames,
	struct resolve_witness *witness, struct resolve_stitcher **ret)
{
	struct resolve_stitcher *stitcher = calloc(1, sizeof(*stitcher));

	if (!stitcher)
		return &pd_enomem;
	stitcher->file = file;
	stitcher->frames = frames;
	stitcher->witness = witness;
	stitcher->depth = resolve_lbr_depth(file);
	*ret = stitcher;
	return NULL;
}

static void forget(struct known_stacks *stacks)
{
	for (size_t i = 0; i < stacks->list.n; i++)
		pd_vec_deinit(&stacks->list.data[i].entries);
	pd_vec_deinit(&stacks->list);
	base_map_deinit(&stacks->by_tid);
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

static struct known_stack *get_stack(
	const struct resolve_stitcher *stitcher, struct known_stacks *stacks, uint32_t tid)
{
	const struct known_stack none = { 0 };
	bool is_new;

	if (stacks->n_frames > MAX_FRAMES) {
		parse_file_note_limit(stitcher->file, PD_LIMIT_ID_STITCHED_FRAMES);
		forget(stacks);
	}
	uint64_t *number = base_map_add(&stacks->by_tid, tid, &is_new);
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
		const struct unw_frame *frame =
			resolve_frames_walked_frame(stitcher->frames, item->walker, id);
		struct resolve_known_frame entry = {
			.pc = frame->pc,
			.sp = item->stack.sps.data[i],
			.module = frame->module,
			.is_return = frame->flags & UNW_FRAME_RETURN,
		};
		struct pd_error *err =
			resolve_frames_walked(stitcher->frames, item->walker, &id, 1, &entry.frame);

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
		struct resolve_known_frame entry = { .pc = branch.from, .sp = branch.to };
		const struct parse_callchain_link location = { .pc = branch.from,
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
	return is_walked(item) ? resolve_end_is_cut(item->stack.end)
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
	own->is_doubtful = item->rest_is_doubtful;
	struct pd_error *err =
		is_walked(item) ? read_walk(stitcher, item) : read_calls(stitcher, item);
	if (err)
		return err;
	for (size_t i = 0; i < item->rest.n; i++) {
		if (!pd_vec_push(&own->entries, item->rest.data[i]))
			return &pd_enomem;
	}
	return NULL;
}

/* Frames of another stack that may complete a stack: those from `at` on. */
struct found_rest {
	const struct known_stack *stack;
	size_t at;
	bool is_found;
	/** See known_stack. */
	bool is_doubtful;
};

/* Whether call frame information says that two frames are in the same function. */
static struct pd_error *is_same_function(
	const struct resolve_known_frame *a, const struct resolve_known_frame *b, bool *ret)
{
	const struct unw_module *module = a->module;

	*ret = false;
	if (!module || !b->module || !module->binary || module->binary != b->module->binary ||
		module->bias != b->module->bias)
		return NULL;
	return unw_binary_is_same_function(module->binary, a->pc - a->is_return - module->bias,
		b->pc - b->is_return - module->bias, ret);
}

/*
 * Whether entry @p at of @p other is the caller of @p last, which has the stack pointer @p sp. The
 * leaf of the other stack may be, or a frame that a signal interrupted: then the function has
 * returned, or has not been called yet.
 */
static struct pd_error *is_caller(const struct resolve_known_frame *last, uint64_t sp,
	const struct known_stack *other, size_t at, bool *ret)
{
	const struct resolve_known_frame *entry = &other->entries.data[at];

	*ret = sp && entry->sp == sp && !entry->is_return;
	if (!sp || entry->sp != sp || !entry->is_return || !at)
		return NULL;
	return is_same_function(last, entry - 1, ret);
}

/* Find the frames in @p other that follow the last frame of @p item, which is read to @p own. */
static struct pd_error *find_rest(const struct known_stack *own, const struct known_stack *other,
	const struct resolve_item *item, struct found_rest *ret)
{
	const struct resolve_known_frame *last = &own->entries.data[own->entries.n - 1];
	uint64_t caller_sp = is_walked(item) && !item->rest.n ? item->stack.caller_sp : 0;

	*ret = (struct found_rest){ .stack = other, .is_doubtful = other->is_doubtful };
	for (size_t i = 0; i < other->entries.n && !ret->is_found; i++) {
		const struct resolve_known_frame *entry = &other->entries.data[i];

		ret->is_found = entry->pc == last->pc && entry->sp == last->sp;
		ret->at = i + 1;
		/* The leaf of another moment may have been called by another function. */
		ret->is_doubtful |= ret->is_found && is_walked(item) && !last->is_return;
		if (ret->is_found)
			return NULL;
		struct pd_error *err = is_caller(last, caller_sp, other, i, &ret->is_found);
		if (err)
			return err;
		ret->at = i;
		ret->is_doubtful |= ret->is_found;
	}
	return NULL;
}

/* Append the frames @p rest to @p item. */
static struct pd_error *append_rest(const struct found_rest *rest, struct resolve_item *item)
{
	const struct known_stack *stack = rest->stack;

	for (size_t i = rest->at; i < stack->entries.n; i++) {
		if (!pd_vec_push(&item->rest, stack->entries.data[i]))
			return &pd_enomem;
	}
	item->rest_is_whole = stack->is_whole;
	item->rest_is_doubtful = rest->is_doubtful;
	return NULL;
}

/*
 * Whether @p rest is what completes @p item already. Either may be cut where the other goes on. The
 * first frame may be at another call in the same function: that is the same activation as well.
 */
static struct pd_error *agrees(
	const struct found_rest *rest, const struct resolve_item *item, bool *ret)
{
	const struct known_stack *stack = rest->stack;
	size_t n_others = rest->is_found ? stack->entries.n - rest->at : 0;
	size_t n = n_others < item->rest.n ? n_others : item->rest.n;

	*ret = false;
	if (!n || (n < n_others && item->rest_is_whole) || (n < item->rest.n && stack->is_whole))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const struct resolve_known_frame *a = &stack->entries.data[rest->at + i];
		const struct resolve_known_frame *b = &item->rest.data[i];

		if (a->sp != b->sp || (i && a->pc != b->pc))
			return NULL;
	}
	const struct resolve_known_frame *first = &stack->entries.data[rest->at];
	if (first->is_return || item->rest.data[0].is_return)
		return is_same_function(first, &item->rest.data[0], ret);
	return NULL;
}

static void drop_rest(struct resolve_item *item)
{
	item->rest.n = 0;
	item->rest_is_whole = item->rest_is_doubtful = false;
}

/* Keep the doubtful rest of @p item only if the stack after it, @p other, has the same frames. */
static struct pd_error *confirm(struct resolve_stitcher *stitcher, const struct known_stack *other,
	struct resolve_item *item)
{
	struct found_rest rest;
	struct resolve_item without = *item;
	bool is_same;

	without.rest.n = 0;
	struct pd_error *err = read_own(stitcher, &without);
	if (err)
		return err;
	err = find_rest(&stitcher->own, other, &without, &rest);
	if (err)
		return err;
	err = agrees(&rest, item, &is_same);
	if (err)
		return err;
	if (!is_same)
		drop_rest(item);
	else if (!item->rest.data[0].is_return)
		item->rest.data[0] = other->entries.data[rest.at];
	item->rest_is_doubtful = false;
	return read_own(stitcher, item);
}

/* Read the stack of @p item, and complete it from the stack before it, @p other, if it was cut. */
static struct pd_error *complete_by_before(struct resolve_stitcher *stitcher,
	const struct known_stack *other, struct resolve_item *item)
{
	struct found_rest rest;
	struct pd_error *err = read_own(stitcher, item);

	if (err || !is_cut(stitcher, item))
		return err;
	err = find_rest(&stitcher->own, other, item, &rest);
	if (err || !rest.is_found)
		return err;
	err = append_rest(&rest, item);
	return err ? err : read_own(stitcher, item);
}

/* Do the same by the stack after it. */
static struct pd_error *complete_by_after(struct resolve_stitcher *stitcher,
	const struct known_stack *other, struct resolve_item *item)
{
	struct found_rest rest;

	if (item->rest_is_doubtful)
		return confirm(stitcher, other, item);
	struct pd_error *err = read_own(stitcher, item);
	if (err || !is_cut(stitcher, item))
		return err;
	err = find_rest(&stitcher->own, other, item, &rest);
	if (err || !rest.is_found || rest.is_doubtful)
		return err;
	err = append_rest(&rest, item);
	return err ? err : read_own(stitcher, item);
}

static struct pd_error *stitch_item(
	struct resolve_stitcher *stitcher, struct known_stacks *stacks, struct resolve_item *item)
{
	struct known_stack *other = get_stack(stitcher, stacks, item->sample.tid);

	if (!other)
		return &pd_enomem;
	struct pd_error *err = stacks == &stitcher->before
				       ? complete_by_before(stitcher, other, item)
				       : complete_by_after(stitcher, other, item);
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

/* Add the complete stacks of the batch to the witness. */
struct pd_error *resolve_stitcher_survey(
	struct resolve_stitcher *stitcher, struct resolve_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		struct resolve_item *item = &batch->items[i];

		if (!has_stack(item) || !is_whole(stitcher, item))
			continue;
		struct pd_error *err = read_own(stitcher, item);
		if (err)
			return err;
		if (!resolve_witness_add(stitcher->witness, item->sample.tid,
			    stitcher->own.entries.data, stitcher->own.entries.n))
			return &pd_enomem;
	}
	if (stitcher->witness->is_full)
		parse_file_note_limit(stitcher->file, PD_LIMIT_ID_WITNESS_FRAMES);
	return NULL;
}

/* Drop the rest of @p item if complete stacks have other callers. */
static struct pd_error *check(struct resolve_stitcher *stitcher, struct resolve_item *item)
{
	struct resolve_item without = *item;

	without.rest.n = 0;
	struct pd_error *err = read_own(stitcher, &without);
	if (err)
		return err;
	const struct known_stack *own = &stitcher->own;
	const struct resolve_known_frame *last = &own->entries.data[own->entries.n - 1];
	bool is_leaf = is_walked(item) && !last->is_return;
	if (!resolve_witness_agrees(stitcher->witness, item->sample.tid, last, is_leaf,
		    item->rest.data, item->rest.n, item->rest_is_whole))
		drop_rest(item);
	return NULL;
}

static struct pd_error *check_all(struct resolve_stitcher *stitcher, struct resolve_batch *batch)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < batch->n && !err; i++) {
		if (batch->items[i].rest.n)
			err = check(stitcher, &batch->items[i]);
	}
	return err;
}

struct pd_error *resolve_stitch(struct resolve_stitcher *stitcher, struct resolve_batch *batch)
{
	struct pd_error *err = resolve_stitcher_survey(stitcher, batch);

	if (!err)
		err = stitch_both_ways(stitcher, batch);
	forget(&stitcher->after);
	return err ? err : check_all(stitcher, batch);
}
