#include "output/assemble.h"

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "output/detail.h"
#include "output/lbr.h"

void out_assembler_deinit(struct out_assembler *assembler)
{
	pd_vec_deinit(&assembler->chain);
	pd_vec_deinit(&assembler->pcs);
	out_links_deinit(&assembler->links);
	out_stitcher_destroy(assembler->stitcher);
}

/* Samples of no event are laid out as those of the first. */
static const struct pd_event *item_event(const struct out_assembler *a, const struct out_item *item)
{
	uint32_t index = item->event == PD_EVENT_UNATTRIBUTED ? 0 : item->event;

	return &a->file->events.list.data[index];
}

static bool wants_pcs(const struct out_assembler *a)
{
	return a->opts->on_sample || a->opts->keep_rows;
}

static struct pd_error *push_pc(struct out_assembler *a, uint64_t pc)
{
	return pd_vec_push(&a->pcs, pc) ? NULL : &pd_enomem;
}

static struct pd_error *push(struct out_assembler *a, uint32_t frame, uint64_t pc)
{
	if (!pd_vec_push(&a->chain, frame))
		return &pd_enomem;
	return wants_pcs(a) ? push_pc(a, pc) : NULL;
}

static struct pd_error *push_link(struct out_assembler *a, const struct out_item *item,
	const struct out_link *link, uint32_t flags)
{
	const struct pd_maps *maps =
		link->context == OUT_CONTEXT_KERNEL ? item->kernel_maps : item->maps;
	uint32_t frame;
	struct pd_error *err = out_frames_at(a->frames, maps, link, flags, &frame);

	return err ? err : push(a, frame, link->pc);
}

static struct pd_error *push_links(struct out_assembler *a, const struct out_item *item,
	const struct out_link *links, size_t n, uint32_t flags)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = push_link(a, item, &links[i], flags);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *push_mark(struct out_assembler *a, uint32_t flag)
{
	uint32_t frame;
	struct pd_error *err = out_frames_mark(a->frames, flag, &frame);

	return err ? err : push(a, frame, 0);
}

static struct pd_error *push_walked(struct out_assembler *a, const struct out_item *item)
{
	const uint32_t *ids = item->stack.frames.data;
	size_t n = item->stack.frames.n;

	if (!pd_vec_reserve(&a->chain, a->chain.n + n))
		return &pd_enomem;
	struct pd_error *err =
		out_frames_walked(a->frames, item->walker, ids, n, a->chain.data + a->chain.n);
	if (err)
		return err;
	a->chain.n += n;
	for (size_t i = 0; i < n && wants_pcs(a); i++) {
		err = push_pc(a, out_frames_walked_pc(a->frames, item->walker, ids[i]));
		if (err)
			return err;
	}
	a->profile->stats.n_frames += n;
	a->profile->stats.n_fp_frames += item->stack.n_by_fp;
	return NULL;
}

/*
 * Where the walk ended early, what the kernel recorded of the same stack may go on: behind the entry
 * that is the walk's last frame.
 */
static struct pd_error *push_rest(struct out_assembler *a, const struct out_item *item, bool *ret)
{
	const struct unw_stack *stack = &item->stack;
	uint64_t last_pc = out_frames_walked_pc(
		a->frames, item->walker, stack->frames.data[stack->frames.n - 1]);
	size_t at = 0;

	while (at < a->links.user.n && a->links.user.data[at].pc != last_pc)
		at++;
	*ret = at + 1 < a->links.user.n;
	if (!*ret)
		return NULL;
	return push_links(
		a, item, a->links.user.data + at + 1, a->links.user.n - at - 1, PROF_FRAME_JOINED);
}

/* What a neighbouring sample had behind the walk's last frame. */
static struct pd_error *push_stitched(struct out_assembler *a, const struct out_item *item)
{
	struct pd_error *err = item->rest.n ? push_mark(a, PROF_FRAME_STITCHED) : NULL;

	for (size_t i = 0; i < item->rest.n && !err; i++)
		err = push(a, item->rest.data[i].frame, item->rest.data[i].pc);
	a->profile->stats.n_stitched += item->rest_is_whole;
	return err;
}

/* The stack is larger than what was recorded of it: what is known of the rest, and a mark. */
static struct pd_error *push_cut(struct out_assembler *a, const struct out_item *item)
{
	struct pd_error *err = push_stitched(a, item);

	if (err || item->rest_is_whole || a->opts->no_truncated)
		return err;
	return push_mark(a, PROF_FRAME_TRUNCATED);
}

static struct pd_error *push_unwound(
	struct out_assembler *a, struct out_item *item, struct out_chain *chain)
{
	bool has_rest = false;

	chain->source = PROF_STACK_UNWOUND;
	chain->end = item->stack.end;
	struct pd_error *err = push_walked(a, item);
	if (!err && chain->end != UNW_END_ROOT)
		err = push_rest(a, item, &has_rest);
	if (err || has_rest || chain->end != UNW_END_STACK_SHORT)
		return err;
	return push_cut(a, item);
}

static struct pd_error *push_user_links(struct out_assembler *a, const struct out_item *item)
{
	size_t n = a->links.user.n;

	if (a->opts->max_stack && n > a->opts->max_stack)
		n = a->opts->max_stack;
	return push_links(a, item, a->links.user.data, n, 0);
}

static bool has_lost_calls(struct out_assembler *a, const struct out_item *item)
{
	if (a->lbr_depth == UINT64_MAX)
		a->lbr_depth = out_lbr_depth(a->file);
	return out_lbr_is_full(&item->sample, a->lbr_depth);
}

static struct pd_error *push_calls(
	struct out_assembler *a, struct out_item *item, struct out_chain *chain)
{
	struct pd_error *err =
		out_links_use_branches(&a->links, &item->sample, item->cpumode, a->file->swap);

	chain->source = PROF_STACK_BRANCHES;
	if (!err)
		err = push_user_links(a, item);
	return !err && has_lost_calls(a, item) ? push_cut(a, item) : err;
}

static struct pd_error *push_recorded(
	struct out_assembler *a, struct out_item *item, struct out_chain *chain)
{
	if (item->has_calls)
		return push_calls(a, item, chain);
	chain->source = PROF_STACK_RECORDED;
	return push_user_links(a, item);
}

/* A sample without call chain and stack: where it was is all there is. */
static struct pd_error *push_ip(struct out_assembler *a, const struct out_item *item)
{
	const struct out_link link = {
		.pc = item->sample.ip,
		.context = out_context_of(item->cpumode),
	};
	bool is_unwanted = link.context == OUT_CONTEXT_USER ? a->opts->no_user : a->opts->no_kernel;

	return is_unwanted ? NULL : push_link(a, item, &link, 0);
}

static struct pd_error *read_links(struct out_assembler *a, const struct out_item *item)
{
	bool swap = a->file->swap;
	struct pd_error *err = out_links_read(&a->links, &item->sample, item->cpumode, swap);

	return err ? err : out_links_add_deferred(&a->links, &item->deferred, swap);
}

static struct pd_error *push_user(
	struct out_assembler *a, struct out_item *item, struct out_chain *chain)
{
	if (item->has_walk && item->stack.frames.n)
		return push_unwound(a, item, chain);
	if (item->has_walk)
		chain->end = item->stack.end;
	if (!a->opts->no_user && (a->links.user.n || item->has_calls))
		return push_recorded(a, item, chain);
	return a->links.system.n ? NULL : push_ip(a, item);
}

static struct pd_error *assemble(
	struct out_assembler *a, struct out_item *item, struct out_chain *chain)
{
	struct pd_error *err = read_links(a, item);

	a->chain.n = a->pcs.n = 0;
	if (!err && !a->opts->no_kernel)
		err = push_links(a, item, a->links.system.data, a->links.system.n, 0);
	*chain = (struct out_chain){
		.n_system = a->chain.n,
		.source = PROF_STACK_NONE,
		.end = UNW_N_ENDS,
	};
	if (!err)
		err = push_user(a, item, chain);
	chain->pcs = a->pcs.data;
	chain->frames = a->chain.data;
	chain->n = a->chain.n;
	return err;
}

/* Where a walk ended, the binary that it ended in has a part in it. */
static void count_end(struct out_assembler *a, const struct out_item *item)
{
	const struct out_module *module = (const struct out_module *)item->stack.end_module;

	if (!module || module->binary->profile_id == PROF_NONE)
		return;
	struct prof_value *value =
		&a->profile->binaries.data[module->binary->profile_id].ends[item->stack.end];
	for (size_t i = 0; i < item->counts.n; i++) {
		value->samples++;
		value->period += item->counts.data[i].period;
	}
}

static struct pd_error *begin_row(
	struct out_assembler *a, const struct out_item *item, struct prof_row *ret)
{
	const struct pd_event *event = item_event(a, item);

	ret->time = item->rec.time;
	ret->cpu = event->attr.sample_type >> PD_SAMPLE_CPU & 1 ? item->sample.cpu : PROF_NONE;
	ret->pcs = pd_intern_add(&a->profile->pcs, a->pcs.data, a->pcs.n * sizeof(*a->pcs.data));
	if (ret->pcs == PD_INTERN_NONE)
		return &pd_enomem;
	return out_source_trace(a->source, event, &item->sample.raw, &ret->trace);
}

/* The parts of samples of the event that are to be kept. */
static uint64_t wanted_details(const struct out_assembler *a, const struct pd_event *event)
{
	uint32_t type = event->attr.type < OUT_N_TYPES ? event->attr.type : OUT_N_TYPES - 1;

	return a->opts->keep_details[type] & event->attr.sample_type;
}

/* The same for each row of the item. Rows before them that have none have empty ones. */
static struct pd_error *add_details(
	struct out_assembler *a, const struct out_item *item, uint64_t wanted)
{
	struct profile *profile = a->profile;
	struct prof_detail detail, none = { .addr_frame = PROF_NONE };
	struct pd_error *err =
		out_detail_make(wanted, profile, a->frames, item, a->file->swap, &detail);

	while (!err && profile->details.n < profile->rows.n) {
		bool is_before = profile->details.n + item->counts.n < profile->rows.n;

		if (!pd_vec_push(&profile->details, is_before ? none : detail))
			err = &pd_enomem;
	}
	return err;
}

/* One sample of the profile for each thing that the item counts for. */
static struct pd_error *add_samples(struct out_assembler *a, const struct out_item *item,
	struct prof_sample *sample, struct prof_row *row)
{
	for (size_t i = 0; i < item->counts.n; i++) {
		const struct out_count *count = &item->counts.data[i];

		sample->event = count->event;
		row->period = count->period;
		struct pd_error *err = profile_add(a->profile, sample, count->period, &row->sample);
		if (err)
			return err;
		if (a->opts->keep_rows && !pd_vec_push(&a->profile->rows, *row))
			return &pd_enomem;
	}
	uint64_t wanted = a->opts->keep_rows ? wanted_details(a, item_event(a, item)) : 0;
	return wanted ? add_details(a, item, wanted) : NULL;
}

static struct pd_error *enter(struct out_assembler *a, struct out_item *item)
{
	struct out_chain chain;
	struct prof_row row = { 0 };

	if (item->err)
		return take_ptr(item->err);
	struct pd_error *err = assemble(a, item, &chain);
	if (err)
		return err;
	struct prof_sample sample = {
		.stack = pd_intern_add(
			&a->profile->stacks, a->chain.data, a->chain.n * sizeof(*a->chain.data)),
		.thread = item->thread,
		.end = chain.end,
	};
	if (sample.stack == PD_INTERN_NONE)
		return &pd_enomem;
	if (item->has_walk)
		count_end(a, item);
	a->profile->stats.sources[chain.source]++;
	if (a->opts->on_sample)
		a->opts->on_sample(a->opts->ctx, a->profile, &item->sample, &chain);
	if (a->opts->keep_rows)
		err = begin_row(a, item, &row);
	return err ? err : add_samples(a, item, &sample, &row);
}

static struct pd_error *stitch(struct out_assembler *a, struct out_batch *batch)
{
	struct pd_error *err =
		a->stitcher ? NULL : out_stitcher_create(a->file, a->frames, &a->stitcher);

	return err ? err : out_stitch(a->stitcher, batch);
}

struct pd_error *out_assemble(struct out_assembler *a, struct out_batch *batch)
{
	struct pd_error *err = a->opts->stitch ? stitch(a, batch) : NULL;

	if (err)
		return err;
	for (size_t i = 0; i < batch->n; i++) {
		err = enter(a, &batch->items[i]);
		if (err)
			return err;
	}
	return NULL;
}
