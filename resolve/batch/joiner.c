#include "resolve/batch/joiner.h"

#include "resolve/batch/detail.h"
#include "resolve/batch/edges.h"
#include "resolve/batch/plain.h"
#include "resolve/stacks/lbr.h"

void resolve_joiner_deinit(struct resolve_joiner *joiner)
{
	for (size_t i = 0; i < PROF_GROUP; i++)
		pd_vec_deinit(&joiner->plain_items[i].counts);
	pd_vec_deinit(&joiner->prepared);
	resolve_stack_deinit(&joiner->stack);
	resolve_traces_deinit(&joiner->traces);
	resolve_stitcher_destroy(joiner->stitcher);
}

void resolve_joiner_end(struct resolve_joiner *joiner)
{
	struct prof_stats *stats = &joiner->profile->stats;

	stats->n_frames += joiner->n_frames;
	stats->n_fp_frames += joiner->n_fp_frames;
	stats->n_stitched += joiner->n_stitched;
}

static bool wants_pcs(const struct resolve_joiner *j)
{
	return j->opts->on_sample || prof_keeps_addresses(&j->opts->request);
}

static bool wants_addresses(const struct resolve_joiner *j)
{
	return wants_pcs(j) || j->opts->request.chains;
}

static struct pd_error *push_pc(struct resolve_joiner *j, uint64_t pc)
{
	return pd_vec_push(&j->to->pcs, pc) ? NULL : &pd_enomem;
}

static struct pd_error *push(struct resolve_joiner *j, struct prof_frame_id frame, uint64_t pc)
{
	if (!pd_vec_push(&j->to->frames, frame))
		return &pd_enomem;
	return wants_pcs(j) ? push_pc(j, pc) : NULL;
}

/*
 * Addresses from PD_CONTEXT_MIN on would be read as context markers, and are not valid in user
 * space.
 */
static struct pd_error *push_user_pc(struct resolve_joiner *j, uint64_t pc, bool is_return)
{
	uint64_t lookup = pc - is_return;

	if (!j->opts->request.chains || lookup >= PD_CONTEXT_MIN)
		return NULL;
	bool is_first = j->to->user.n == j->user_start;
	if ((!is_return || is_first) && !pd_vec_push(&j->to->user, PD_CONTEXT_USER))
		return &pd_enomem;
	return pd_vec_push(&j->to->user, lookup) ? NULL : &pd_enomem;
}

static const struct parse_maps *maps_of(
	const struct resolve_item *item, const struct parse_callchain_link *link)
{
	return link->context == PD_CALLCHAIN_KERNEL ? item->kernel_maps : item->maps;
}

/* Append a frame that is added with those of its group. */
static struct pd_error *push_prepared(struct resolve_joiner *j, const struct resolve_item *item,
	const struct parse_callchain_link *link, uint32_t flags)
{
	size_t i = j->to->frames.n - j->first_frame;

	if (!pd_vec_reserve(&j->prepared, i + 1) || !pd_vec_push(&j->to->frames, prof_no_frame()))
		return &pd_enomem;
	resolve_frames_prepare(j->frames, maps_of(item, link), link, flags, &j->prepared.data[i]);
	return wants_pcs(j) ? push_pc(j, link->pc) : NULL;
}

static struct pd_error *push_link(struct resolve_joiner *j, const struct resolve_item *item,
	const struct parse_callchain_link *link, uint32_t flags)
{
	struct prof_frame_id frame;

	if (j->is_preparing)
		return push_prepared(j, item, link, flags);
	struct pd_error *err =
		resolve_frames_at(j->frames, maps_of(item, link), link, flags, &frame);
	return err ? err : push(j, frame, link->pc);
}

static struct pd_error *push_links(struct resolve_joiner *j, const struct resolve_item *item,
	const struct parse_callchain_link *links, size_t n, uint32_t flags)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = push_link(j, item, &links[i], flags);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *push_mark(struct resolve_joiner *j, uint32_t flag)
{
	struct prof_frame_id frame;
	struct pd_error *err = resolve_frames_mark(j->frames, flag, &frame);

	return err ? err : push(j, frame, 0);
}

static struct pd_error *push_walked_pc(
	struct resolve_joiner *j, const struct resolve_item *item, uint32_t id)
{
	bool is_return;
	uint64_t pc = resolve_frames_walked_pc(j->frames, item->walker, id, &is_return);
	struct pd_error *err = wants_pcs(j) ? push_pc(j, pc) : NULL;

	return err ? err : push_user_pc(j, pc, is_return);
}

static struct pd_error *push_walked(struct resolve_joiner *j, const struct resolve_item *item)
{
	const uint32_t *ids = item->stack.frames.data;
	size_t n = item->stack.frames.n;

	if (!pd_vec_reserve(&j->to->frames, j->to->frames.n + n))
		return &pd_enomem;
	struct pd_error *err = resolve_frames_walked(
		j->frames, item->walker, ids, n, j->to->frames.data + j->to->frames.n);
	if (err)
		return err;
	j->to->frames.n += n;
	/*
	 * Most formats aggregate and need only frames: the addresses of a frame differ between
	 * processes.
	 */
	for (size_t i = 0; i < n && wants_addresses(j); i++) {
		err = push_walked_pc(j, item, ids[i]);
		if (err)
			return err;
	}
	j->n_frames += n;
	j->n_fp_frames += item->stack.n_by_fp;
	return NULL;
}

/* Append the frames that a neighbouring sample has after the last unwound frame. */
static struct pd_error *push_stitched(struct resolve_joiner *j, const struct resolve_item *item)
{
	struct pd_error *err = item->rest.n ? push_mark(j, PROF_FRAME_STITCHED) : NULL;

	if (err)
		return err;
	for (size_t i = 0; i < item->rest.n; i++) {
		const struct resolve_known_frame *rest = &item->rest.data[i];

		err = push(j, rest->frame, rest->pc);
		if (err)
			return err;
		err = push_user_pc(j, rest->pc, rest->is_return);
		if (err)
			return err;
	}
	j->n_stitched += item->rest_is_whole;
	return NULL;
}

/*
 * Complete a stack that is larger than its recorded bytes as far as possible, else mark it as
 * truncated.
 */
static struct pd_error *push_cut(struct resolve_joiner *j, const struct resolve_item *item)
{
	struct pd_error *err = push_stitched(j, item);

	if (err || item->rest_is_whole || j->opts->no_truncated)
		return err;
	return push_mark(j, PROF_FRAME_TRUNCATED);
}

/* Append user links. Those that continue an unwind are marked, and kept with its frames. */
static struct pd_error *push_user_links(struct resolve_joiner *j, const struct resolve_item *item)
{
	const struct resolve_stack *stack = &j->stack;
	const struct parse_callchain_link *links = resolve_stack_user(stack);

	if (!stack->n_walked)
		return push_links(j, item, links, stack->n_user, 0);
	for (size_t i = 0; i < stack->n_user; i++) {
		struct pd_error *err = push_link(j, item, &links[i], PROF_FRAME_JOINED);
		if (err)
			return err;
		err = push_user_pc(j, links[i].pc, links[i].is_return);
		if (err)
			return err;
	}
	return NULL;
}

/* Append what stands for frames that are missing at the root. */
static struct pd_error *push_end(struct resolve_joiner *j, const struct resolve_item *item)
{
	struct pd_error *err = NULL;

	if (j->stack.is_limited && !j->opts->no_truncated)
		err = push_mark(j, PROF_FRAME_TRUNCATED);
	return !err && j->stack.is_cut ? push_cut(j, item) : err;
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

static bool has_lost_calls(struct resolve_joiner *j, const struct resolve_item *item)
{
	if (!item->has_calls)
		return false;
	if (j->lbr_depth == UINT64_MAX)
		j->lbr_depth = resolve_lbr_depth(j->file);
	return resolve_lbr_is_full(&item->sample, j->lbr_depth);
}

static struct pd_error *read_stack(struct resolve_joiner *j, const struct resolve_item *item)
{
	const struct resolve_stack_opts opts = {
		.unwind = j->opts->unwind,
	};
	const struct walked walked = { j->frames, item->walker };
	const struct resolve_stack_input input = {
		.sample = &item->sample,
		.cpumode = item->cpumode,
		.deferred = item->deferred,
		.has_calls = item->has_calls,
		.has_lost_calls = has_lost_calls(j, item),
		.walked = item->has_walk ? &item->stack : NULL,
		.pc_of = pc_of,
		.ctx = &walked,
	};

	return resolve_stack_read(&j->stack, &input, &opts);
}

static struct pd_error *push_stack(struct resolve_joiner *j, const struct resolve_item *item)
{
	const struct resolve_stack *stack = &j->stack;
	struct pd_error *err = NULL;

	if (stack->n_walked)
		err = push_walked(j, item);
	if (!err)
		err = push_user_links(j, item);
	if (!err && stack->has_ip)
		err = push_link(j, item, &stack->ip, 0);
	return err ? err : push_end(j, item);
}

/* Make the text of the rows of @p item. */
static struct pd_error *join_trace(struct resolve_joiner *j, const struct resolve_item *item,
	struct resolve_joined_stack *joined)
{
	const struct resolve_trace trace = {
		.file = j->file,
		.event = resolve_item_event(j->file, item),
		.raw = &item->sample.raw,
		.frames = j->frames,
		.kernel_maps = item->kernel_maps,
		.is_printed = j->opts->request.printed_traces,
	};

	return j->opts->request.chains
		       ? NULL
		       : resolve_traces_add(&j->traces, &trace, j->profile, &joined->trace);
}

/* Make the details of the rows of @p item, if any are requested. */
static struct pd_error *join_detail(struct resolve_joiner *j, const struct resolve_item *item,
	struct resolve_joined_stack *joined)
{
	struct prof_detail detail;
	uint32_t wanted =
		resolve_detail_wanted(&j->opts->request, resolve_item_event(j->file, item));

	if (!wanted || !item->counts.n)
		return NULL;
	struct pd_error *err = resolve_detail_fill(wanted, j->profile, j->frames, item, &detail);
	if (!err && !pd_vec_push(&j->to->details, detail))
		err = &pd_enomem;
	joined->detail = j->to->details.n;
	return err;
}

/* Make what rows of @p item have besides its stack. */
static struct pd_error *join_rows(struct resolve_joiner *j, const struct resolve_item *item,
	struct resolve_joined_stack *joined)
{
	if (!resolve_wants_row(&j->opts->request, resolve_item_event(j->file, item)))
		return NULL;
	struct pd_error *err = join_trace(j, item, joined);
	return err ? err : join_detail(j, item, joined);
}

/* Append the stack of @p item. */
static struct pd_error *join(struct resolve_joiner *j, const struct resolve_item *item)
{
	struct resolve_joined *to = j->to;
	size_t start = to->frames.n;
	struct pd_error *err = read_stack(j, item);

	j->user_start = to->user.n;
	if (!err)
		err = push_links(j, item, j->stack.recorded.system.data, j->stack.n_system, 0);
	if (err)
		return err;
	struct resolve_joined_stack joined = {
		.n_system = to->frames.n - start,
		.origin = j->stack.origin,
		.unwind_end = item->has_walk ? item->stack.end : PD_N_UNWIND_ENDS,
	};
	err = push_stack(j, item);
	if (!err)
		err = join_rows(j, item, &joined);
	if (err)
		return err;
	joined.end = to->frames.n;
	joined.pc_end = to->pcs.n;
	joined.user_end = to->user.n;
	return pd_vec_push(&to->stacks, joined) ? NULL : &pd_enomem;
}

/*
 * Whether all frames of the items are entries of call chains, or instruction pointers, and no other
 * ones belong to their rows.
 */
static bool are_recorded(
	const struct resolve_joiner *j, struct resolve_item *const *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (items[i]->has_walk || items[i]->has_calls ||
			!resolve_has_plain_rows(
				&j->opts->request, resolve_item_event(j->file, items[i])))
			return false;
	}
	return true;
}

static struct pd_error *join_all(
	struct resolve_joiner *j, struct resolve_item *const *items, size_t n)
{
	struct resolve_joined *to = j->to;
	struct pd_error *err = NULL;

	j->first_frame = to->frames.n;
	/* Chains that are cut end with a mark, which is not prepared. */
	j->is_preparing = !j->opts->unwind.max_stack && are_recorded(j, items, n);
	for (size_t i = 0; i < n && !err; i++)
		err = join(j, items[i]);
	if (err || !j->is_preparing || to->frames.n == j->first_frame)
		return err;
	return resolve_frames_add_prepared(j->frames, j->prepared.data,
		to->frames.n - j->first_frame, to->frames.data + j->first_frame);
}

/* Count the reason why the unwind ended for the binary in which it ended. */
static void count_end(struct resolve_joiner *j, const struct resolve_item *item)
{
	const struct resolve_module *module = (const struct resolve_module *)item->stack.end_module;

	if (!module || prof_is_none(module->binary->profile_id))
		return;
	struct prof_value *value =
		&j->profile->binaries.data[module->binary->profile_id.i].ends[item->stack.end];
	for (size_t i = 0; i < item->counts.n; i++) {
		value->samples++;
		value->period += item->counts.data[i].period;
	}
}

/* Complete the stacks of @p batch from each other, if that is requested. */
static struct pd_error *stitch(struct resolve_joiner *j, struct resolve_batch *batch)
{
	struct pd_error *err = NULL;

	if (!j->opts->stitch)
		return NULL;
	if (!j->stitcher)
		err = resolve_stitcher_create(j->file, j->frames, j->witness, &j->stitcher);
	if (err)
		return err;
	return j->is_survey ? resolve_stitcher_survey(j->stitcher, batch)
			    : resolve_stitch(j->stitcher, batch);
}

/* Join the stacks of the group, and empty it. */
static struct pd_error *join_group(struct resolve_joiner *j)
{
	struct resolve_item *const *items = j->group;
	size_t n = j->n;

	j->n = 0;
	struct pd_error *err = join_all(j, items, n);

	for (size_t i = 0; i < n && !err; i++) {
		if (items[i]->has_walk)
			count_end(j, items[i]);
		if (j->opts->request.edges)
			err = resolve_edges_add(j->profile, j->frames,
				resolve_item_event(j->file, items[i]), items[i]);
	}
	return err;
}

static struct pd_error *push_item(struct resolve_joiner *j, struct resolve_item *item)
{
	j->group[j->n++] = item;
	return j->n == PROF_GROUP ? join_group(j) : NULL;
}

/* Append plain sample @p i of @p batch, which is new. */
static struct pd_error *push_plain(struct resolve_joiner *j, struct resolve_batch *batch, size_t i)
{
	struct resolve_item *item = &j->plain_items[j->n];
	struct pd_error *err = resolve_plain_item(batch, &batch->plain[i], item);

	return err ? err : push_item(j, item);
}

struct pd_error *resolve_join(struct resolve_joiner *j, struct resolve_batch *batch)
{
	struct pd_error *err = stitch(j, batch);
	size_t n_fresh = 0;

	if (j->is_survey)
		return err;
	j->to = &batch->joined;
	for (size_t i = 0; i <= batch->n && !err; i++) {
		while (!err && n_fresh < batch->n_fresh &&
			batch->plain[batch->fresh[n_fresh]].n_before <= i)
			err = push_plain(j, batch, batch->fresh[n_fresh++]);
		if (!err && i < batch->n)
			err = push_item(j, &batch->items[i]);
	}
	return err ? err : join_group(j);
}
