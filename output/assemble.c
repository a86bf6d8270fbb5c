#include "output/assemble.h"

#include <pdconv/cursor.h>

#include "base/cleanup.h"

void out_assembler_deinit(struct out_assembler *assembler)
{
	pd_vec_deinit(&assembler->chain);
	pd_vec_deinit(&assembler->pcs);
}

static struct pd_error *push(struct out_assembler *a, uint32_t frame, uint64_t pc)
{
	if (!pd_vec_push(&a->chain, frame))
		return &pd_enomem;
	if ((a->opts->on_sample || a->opts->keep_rows) && !pd_vec_push(&a->pcs, pc))
		return &pd_enomem;
	return NULL;
}

/* n entries of the recorded call chain, whose first is where execution was. */
static struct pd_error *push_recorded(struct out_assembler *a, const struct out_item *item,
	bool in_kernel, size_t start, size_t n)
{
	const struct pd_maps *maps = in_kernel ? item->kernel_maps : item->maps;

	for (size_t i = start; i < start + n; i++) {
		uint64_t pc = pd_view_u64(&item->sample.callchain, i, a->file->swap);
		uint32_t frame;

		if (pc >= PD_CONTEXT_MIN)
			continue;
		struct pd_error *err = out_frames_at(a->frames, maps, pc, i > start, &frame);
		if (!err)
			err = push(a, frame, pc);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *push_walked(struct out_assembler *a, const struct out_item *item)
{
	for (size_t i = 0; i < item->stack.frames.n; i++) {
		const struct unw_frame *walked;
		uint32_t frame;
		struct pd_error *err = out_frames_walked(
			a->frames, item->worker, item->stack.frames.data[i], &walked, &frame);

		if (!err)
			err = push(a, frame, walked->pc);
		if (err)
			return err;
		a->profile->stats.n_frames++;
		a->profile->stats.n_fp_frames += !!(walked->flags & UNW_FRAME_BY_FP);
	}
	return NULL;
}

/* A sample without call chain and stack: where it was is all there is. */
static struct pd_error *push_ip(struct out_assembler *a, const struct out_item *item)
{
	bool in_kernel = item->cpumode == PD_MISC_KERNEL;
	uint32_t frame;

	if (in_kernel ? a->opts->no_kernel : a->opts->no_user)
		return NULL;
	struct pd_error *err = out_frames_at(a->frames, in_kernel ? item->kernel_maps : item->maps,
		item->sample.ip, false, &frame);
	return err ? err : push(a, frame, item->sample.ip);
}

static struct pd_error *assemble(
	struct out_assembler *a, struct out_item *item, struct out_chain *chain)
{
	struct out_chain_parts parts =
		out_chain_split(&item->sample.callchain, item->cpumode, a->file->swap);
	struct pd_error *err = NULL;

	a->chain.n = a->pcs.n = 0;
	if (!a->opts->no_kernel)
		err = push_recorded(a, item, true, parts.kernel_start, parts.n_kernel);
	chain->n_kernel = a->chain.n;
	if (err)
		return err;

	if (a->opts->max_stack && parts.n_user > a->opts->max_stack)
		parts.n_user = a->opts->max_stack;
	chain->source = PROF_STACK_NONE;
	if (item->has_walk) {
		err = push_walked(a, item);
		chain->source = PROF_STACK_UNWOUND;
		chain->end = item->stack.end;
	} else if (parts.n_user && !a->opts->no_user) {
		err = push_recorded(a, item, false, parts.user_start, parts.n_user);
		chain->source = PROF_STACK_RECORDED;
	} else if (!parts.n_kernel) {
		err = push_ip(a, item);
	}
	chain->pcs = a->pcs.data;
	chain->frames = a->chain.data;
	chain->n = a->chain.n;
	return err;
}

static void count_end(struct out_assembler *a, const struct out_item *item)
{
	struct prof_stats *stats = &a->profile->stats;
	const struct out_module *module = (const struct out_module *)item->stack.end_module;

	stats->ends[item->stack.end].samples++;
	stats->ends[item->stack.end].period += item->sample.period;
	if (module && module->binary->profile_id != PROF_NONE)
		a->profile->binaries.data[module->binary->profile_id].ends[item->stack.end]++;
}

static struct pd_error *begin_row(
	struct out_assembler *a, const struct out_item *item, struct prof_row *ret)
{
	/* Samples of no event are laid out as those of the first. */
	uint32_t index = item->event == PD_EVENT_UNATTRIBUTED ? 0 : item->event;
	const struct pd_event *event = &a->file->events.list.data[index];

	ret->time = item->rec.time;
	ret->cpu = event->attr.sample_type >> PD_SAMPLE_CPU & 1 ? item->sample.cpu : PROF_NONE;
	ret->pcs = pd_intern_add(&a->profile->pcs, a->pcs.data, a->pcs.n * sizeof(*a->pcs.data));
	if (ret->pcs == PD_INTERN_NONE)
		return &pd_enomem;
	return out_source_trace(a->source, event, &item->sample.raw, &ret->trace);
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
	return NULL;
}

static struct pd_error *enter(struct out_assembler *a, struct out_item *item)
{
	struct out_chain chain = { .end = UNW_END_ROOT };
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

struct pd_error *out_assemble(struct out_assembler *a, struct out_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		struct pd_error *err = enter(a, &batch->items[i]);
		if (err)
			return err;
	}
	return NULL;
}
