#include "output/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>
#include <pdconv/group_read.h>
#include <pdconv/reader.h>

#include "base/cleanup.h"
#include "base/pool.h"
#include "output/binaries.h"
#include "output/chain.h"
#include "output/naming.h"
#include "output/source.h"
#include "parse/space.h"

/*
 * Samples are collected, with the snapshots they belong to, and unwound a batch at a time: slices of
 * a batch on all workers, and within a slice the stack of a later sample is fetched while an
 * earlier one is walked.
 */
enum { BATCH = 1024, SLICE = 64, PREFETCH_AHEAD = 2 };

struct item {
	/** Number of its event in the file, or PD_EVENT_UNATTRIBUTED. */
	uint32_t event;
	struct pd_sample sample;
	uint16_t cpumode;
	/** What it counts for: its part of builder.counts. */
	size_t first_count;
	size_t n_counts;
	uint32_t thread;
	struct pd_maps *maps;
	struct pd_maps *kernel_maps;
	/** What sample is borrowed from. */
	struct pd_record rec;
	/** The walk, if there is something to walk. */
	bool has_walk;
	size_t worker;
	struct unw_stack stack;
	struct pd_error *err;
};

/* An event of the profile, and how much of it a sample stands for. */
struct count {
	uint32_t event;
	uint64_t period;
};

struct builder {
	/** Its events and features may grow while it is read. */
	struct pd_file *file;
	const struct out_opts *opts;
	const struct pd_arch *arch;
	/** arch is that of the recording. */
	bool knows_arch;
	struct profile *profile;
	struct pd_reader *reader;
	struct pd_space *space;
	struct out_binaries *binaries;
	struct out_frames *frames;
	struct pd_pool *pool;
	struct unw_walker **walkers;
	struct item *items;
	size_t n_items;
	/** Of the items. */
	PD_VEC(struct count) counts;
	struct pd_counters counters;
	/** Of the stack that is being put together: frame numbers, and addresses for on_sample. */
	PD_VEC(uint32_t) chain;
	PD_VEC(uint64_t) pcs;
	/** The last thread entered, and what it was called then. */
	const struct pd_thread *last_thread;
	const char *last_comm;
	uint32_t last_thread_id;
	struct out_source source;
};

static struct pd_error *create_walkers(struct builder *b)
{
	struct unw_opts opts = { .max_frames = b->opts->max_stack };
	size_t n = pd_pool_n_workers(b->pool);

	b->walkers = calloc(n, sizeof(*b->walkers));
	if (!b->walkers)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = unw_walker_create(b->arch, &opts, &b->walkers[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* The architecture that the recording names. Without a name: an unfinished recording, from here. */
static struct pd_error *find_arch(struct builder *b)
{
	const char *name = b->file->text[PD_FEATURE_ARCH];

	b->arch = pd_arch_find(name ? name : "x86_64");
	b->knows_arch = b->arch;
	if (b->knows_arch)
		return NULL;
	pd_diag_warn(b->file->diag, b->file->path, PD_NO_OFFSET, NULL,
		"stacks of architecture %s cannot be unwound yet", name);
	b->arch = &pd_arch_x86_64;
	return NULL;
}

static struct pd_error *set_up(struct builder *b)
{
	struct pd_error *err = find_arch(b);

	if (!err)
		err = profile_create(&b->profile);
	b->source = out_source_init(b->file, b->profile);
	if (!err)
		err = pd_reader_create(b->file, PD_ORDER_TIME, &b->reader);
	if (!err)
		err = pd_space_create(b->file, &b->space);
	if (!err)
		err = out_binaries_create(b->arch, &b->opts->search, &b->binaries);
	if (!err)
		err = pd_pool_create(b->opts->jobs, &b->pool);
	if (!err)
		err = create_walkers(b);
	if (!err)
		err = out_frames_create(
			b->profile, b->binaries, pd_pool_n_workers(b->pool), &b->frames);
	if (err)
		return err;
	b->items = calloc(BATCH, sizeof(*b->items));
	return b->items ? NULL : &pd_enomem;
}

static void release_item(struct item *item)
{
	pd_maps_unref(item->maps);
	pd_maps_unref(item->kernel_maps);
	pd_record_release(&item->rec);
	item->maps = item->kernel_maps = NULL;
}

static void tear_down(struct builder *b)
{
	for (size_t i = 0; i < b->n_items; i++)
		release_item(&b->items[i]);
	for (size_t i = 0; b->items && i < BATCH; i++)
		pd_vec_deinit(&b->items[i].stack.frames);
	for (size_t i = 0; b->walkers && i < pd_pool_n_workers(b->pool); i++)
		unw_walker_destroy(b->walkers[i]);
	free(b->items);
	free(b->walkers);
	out_source_deinit(&b->source);
	pd_vec_deinit(&b->chain);
	pd_vec_deinit(&b->pcs);
	pd_vec_deinit(&b->counts);
	pd_counters_deinit(&b->counters);
	out_frames_destroy(b->frames);
	out_binaries_destroy(b->binaries);
	pd_space_destroy(b->space);
	pd_reader_destroy(b->reader);
	pd_pool_destroy(b->pool);
}

/* Whether there is a user stack to unwind. */
static bool is_walkable(const struct builder *b, const struct pd_sample *sample)
{
	return b->knows_arch && !b->opts->no_user && sample->regs_user.abi == PD_REGS_ABI_64 &&
	       sample->regs_user.values.n && sample->stack_user.reserved;
}

static struct unw_input walk_input(
	const struct builder *b, const struct item *item, const struct unw_space *space)
{
	const struct pd_sample *sample = &item->sample;

	return (struct unw_input){
		.space = space,
		.regs_mask = sample->regs_user.mask,
		.regs = sample->regs_user.values.data,
		.stack = sample->stack_user.bytes.data,
		.stack_size = sample->stack_user.bytes.n,
		.is_stack_full = sample->stack_user.bytes.n == sample->stack_user.reserved,
		.swap = b->file->swap,
	};
}

/* Walk the samples of one slice of the batch. */
static void walk_slice(void *ctx, size_t worker, size_t slice)
{
	struct builder *b = ctx;
	size_t start = slice * SLICE;
	size_t end = start + SLICE < b->n_items ? start + SLICE : b->n_items;

	for (size_t i = start; i < end; i++) {
		struct item *item = &b->items[i];

		if (i + PREFETCH_AHEAD < end && b->items[i + PREFETCH_AHEAD].has_walk) {
			struct unw_input ahead = walk_input(b, &b->items[i + PREFETCH_AHEAD], NULL);
			unw_prefetch(&ahead);
		}
		if (!item->has_walk)
			continue;
		struct out_space space = out_space_init(b->binaries, item->maps);
		struct unw_input input = walk_input(b, item, &space.unw);
		item->worker = worker;
		item->err = unw_walk(b->walkers[worker], &input, &item->stack);
	}
}

static struct pd_error *push(struct builder *b, uint32_t frame, uint64_t pc)
{
	if (!pd_vec_push(&b->chain, frame))
		return &pd_enomem;
	if ((b->opts->on_sample || b->opts->keep_rows) && !pd_vec_push(&b->pcs, pc))
		return &pd_enomem;
	return NULL;
}

/* n entries of the recorded call chain, whose first is where execution was. */
static struct pd_error *push_recorded(
	struct builder *b, const struct item *item, bool in_kernel, size_t start, size_t n)
{
	const struct pd_maps *maps = in_kernel ? item->kernel_maps : item->maps;

	for (size_t i = start; i < start + n; i++) {
		uint64_t pc = pd_view_u64(&item->sample.callchain, i, b->file->swap);
		uint32_t frame;

		if (pc >= PD_CONTEXT_MIN)
			continue;
		struct pd_error *err = out_frames_at(b->frames, maps, pc, i > start, &frame);
		if (!err)
			err = push(b, frame, pc);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *push_walked(struct builder *b, const struct item *item)
{
	const struct unw_walker *walker = b->walkers[item->worker];

	for (size_t i = 0; i < item->stack.frames.n; i++) {
		uint32_t id = item->stack.frames.data[i];
		uint32_t frame;
		struct pd_error *err =
			out_frames_walked(b->frames, item->worker, walker, id, &frame);

		if (!err)
			err = push(b, frame, unw_walker_frame(walker, id)->pc);
		if (err)
			return err;
		b->profile->stats.n_frames++;
		b->profile->stats.n_fp_frames +=
			!!(unw_walker_frame(walker, id)->flags & UNW_FRAME_BY_FP);
	}
	return NULL;
}

/* A sample without call chain and stack: where it was is all there is. */
static struct pd_error *push_ip(struct builder *b, const struct item *item)
{
	bool in_kernel = item->cpumode == PD_MISC_KERNEL;
	uint32_t frame;

	if (in_kernel ? b->opts->no_kernel : b->opts->no_user)
		return NULL;
	struct pd_error *err = out_frames_at(b->frames, in_kernel ? item->kernel_maps : item->maps,
		item->sample.ip, false, &frame);
	return err ? err : push(b, frame, item->sample.ip);
}

static struct pd_error *assemble(struct builder *b, struct item *item, struct out_chain *chain)
{
	struct out_chain_parts parts =
		out_chain_split(&item->sample.callchain, item->cpumode, b->file->swap);
	struct pd_error *err = NULL;

	b->chain.n = b->pcs.n = 0;
	if (!b->opts->no_kernel)
		err = push_recorded(b, item, true, parts.kernel_start, parts.n_kernel);
	chain->n_kernel = b->chain.n;
	if (err)
		return err;

	if (b->opts->max_stack && parts.n_user > b->opts->max_stack)
		parts.n_user = b->opts->max_stack;
	chain->source = PROF_STACK_NONE;
	if (item->has_walk) {
		err = push_walked(b, item);
		chain->source = PROF_STACK_UNWOUND;
		chain->end = item->stack.end;
	} else if (parts.n_user && !b->opts->no_user) {
		err = push_recorded(b, item, false, parts.user_start, parts.n_user);
		chain->source = PROF_STACK_RECORDED;
	} else if (!parts.n_kernel) {
		err = push_ip(b, item);
	}
	chain->pcs = b->pcs.data;
	chain->frames = b->chain.data;
	chain->n = b->chain.n;
	return err;
}

static void count_end(struct builder *b, const struct item *item)
{
	struct prof_stats *stats = &b->profile->stats;
	const struct out_module *module = (const struct out_module *)item->stack.end_module;

	stats->ends[item->stack.end].samples++;
	stats->ends[item->stack.end].period += item->sample.period;
	if (module && module->binary->profile_id != PROF_NONE)
		b->profile->binaries.data[module->binary->profile_id].ends[item->stack.end]++;
}

static struct pd_error *begin_row(struct builder *b, const struct item *item, struct prof_row *ret)
{
	/* Samples of no event are laid out as those of the first. */
	uint32_t index = item->event == PD_EVENT_UNATTRIBUTED ? 0 : item->event;
	const struct pd_event *event = &b->file->events.list.data[index];

	ret->time = item->rec.time;
	ret->cpu = event->attr.sample_type >> PD_SAMPLE_CPU & 1 ? item->sample.cpu : PROF_NONE;
	ret->pcs = pd_intern_add(&b->profile->pcs, b->pcs.data, b->pcs.n * sizeof(*b->pcs.data));
	if (ret->pcs == PD_INTERN_NONE)
		return &pd_enomem;
	return out_source_trace(&b->source, event, &item->sample.raw, &ret->trace);
}

static struct pd_error *finish_item(struct builder *b, struct item *item)
{
	struct out_chain chain = { .end = UNW_END_ROOT };

	if (item->err)
		return take_ptr(item->err);
	struct pd_error *err = assemble(b, item, &chain);
	if (err)
		return err;
	struct prof_sample sample = {
		.stack = pd_intern_add(
			&b->profile->stacks, b->chain.data, b->chain.n * sizeof(*b->chain.data)),
		.thread = item->thread,
		.end = chain.end,
	};
	if (sample.stack == PD_INTERN_NONE)
		return &pd_enomem;
	if (item->has_walk)
		count_end(b, item);
	b->profile->stats.sources[chain.source]++;
	if (b->opts->on_sample)
		b->opts->on_sample(b->opts->ctx, b->profile, &item->sample, &chain);
	struct prof_row row = { 0 };
	if (b->opts->keep_rows)
		err = begin_row(b, item, &row);
	for (size_t i = 0; i < item->n_counts && !err; i++) {
		const struct count *count = &b->counts.data[item->first_count + i];

		sample.event = count->event;
		err = profile_add(b->profile, &sample, count->period, &row.sample);
		row.period = count->period;
		if (!err && b->opts->keep_rows && !pd_vec_push(&b->profile->rows, row))
			err = &pd_enomem;
	}
	return err;
}

static struct pd_error *finish_batch(struct builder *b)
{
	struct pd_error *err = NULL;
	bool has_walk = false;

	for (size_t i = 0; i < b->n_items && !has_walk; i++)
		has_walk = b->items[i].has_walk;
	if (has_walk)
		pd_pool_run(b->pool, (b->n_items + SLICE - 1) / SLICE, walk_slice, b);
	for (size_t i = 0; i < b->n_items; i++) {
		if (!err)
			err = finish_item(b, &b->items[i]);
		pd_error_destroy(take_ptr(b->items[i].err));
		release_item(&b->items[i]);
	}
	b->n_items = 0;
	b->counts.n = 0;
	return err;
}

/* The thread's number in the profile: a thread under another name is another one. */
static struct pd_error *enter_thread(
	struct builder *b, const struct pd_thread *thread, uint32_t *ret)
{
	struct pd_intern *strings = &b->profile->strings;
	char unnamed[16];

	if (thread != b->last_thread || thread->comm != b->last_comm) {
		bool has_name = thread->comm && thread->comm[0];

		snprintf(unnamed, sizeof(unnamed), ":%" PRId32, (int32_t)thread->tid);
		struct prof_thread entry = {
			.pid = thread->pid,
			.tid = thread->tid,
			.comm = pd_intern_str(strings, has_name ? thread->comm : unnamed),
		};
		if (entry.comm == PD_INTERN_NONE)
			return &pd_enomem;
		b->last_thread_id = pd_intern_add(&b->profile->threads, &entry, sizeof(entry));
		b->last_thread = thread;
		b->last_comm = thread->comm;
	}
	*ret = b->last_thread_id;
	return *ret == PD_INTERN_NONE ? &pd_enomem : NULL;
}

static void skip(
	struct builder *b, const struct pd_record *rec, enum prof_skip why, const char *detail)
{
	b->profile->stats.n_samples++;
	b->profile->stats.skipped[why]++;
	if (why == PROF_SKIP_NOTHING_COUNTED)
		return;
	pd_diag_warn(b->file->diag, pd_file_part_path(b->file, rec->part), rec->offset, "SAMPLE",
		why == PROF_SKIP_DAMAGED ? "ends in field %s" : "id of an unknown event%s", detail);
}

static void note_time(struct prof_stats *stats, uint64_t time)
{
	if (time >= PD_FIRST_FAKE_TIME)
		return;
	if (!stats->first_ns || time < stats->first_ns)
		stats->first_ns = time;
	if (time > stats->last_ns)
		stats->last_ns = time;
}

static struct pd_error *add_count(
	struct builder *b, const struct pd_record *rec, const struct pd_share *share)
{
	struct count count = { .period = share->period };

	if (!share->event) {
		skip(b, rec, PROF_SKIP_UNKNOWN_EVENT, "");
		return NULL;
	}
	struct pd_error *err = out_source_event(&b->source, share->event, &count.event);
	if (err)
		return err;
	b->profile->stats.n_samples++;
	return pd_vec_push(&b->counts, count) ? NULL : &pd_enomem;
}

/* Find what the sample stands for: its event, or those that its counter values are of. */
static struct pd_error *add_counts(struct builder *b, const struct pd_record *rec,
	const struct pd_event *event, struct item *item)
{
	struct pd_error *err =
		pd_counters_apply(&b->counters, &b->file->events, event, &item->sample);

	item->first_count = b->counts.n;
	if (!err && !b->counters.shares.n)
		skip(b, rec, PROF_SKIP_NOTHING_COUNTED, "");
	for (size_t i = 0; i < b->counters.shares.n && !err; i++)
		err = add_count(b, rec, &b->counters.shares.data[i]);
	item->n_counts = b->counts.n - item->first_count;
	return err;
}

/* Where a sample that stands for something was. */
static struct pd_error *place_item(
	struct builder *b, const struct pd_record *rec, struct item *item)
{
	const struct pd_thread *thread =
		pd_space_thread(b->space, item->sample.pid, item->sample.tid);
	struct pd_maps *maps = pd_space_maps(b->space, item->sample.pid);

	if (!thread || !maps)
		return &pd_enomem;
	struct pd_error *err = enter_thread(b, thread, &item->thread);
	if (err)
		return err;
	item->cpumode = rec->misc & PD_MISC_CPUMODE_MASK;
	item->has_walk = is_walkable(b, &item->sample);
	item->maps = pd_maps_ref(maps);
	item->kernel_maps = pd_maps_ref(pd_space_kernel_maps(b->space));
	item->rec = pd_record_keep(rec);
	return ++b->n_items == BATCH ? finish_batch(b) : NULL;
}

static struct pd_error *collect_sample(
	struct builder *b, const struct pd_record *rec, const struct pd_event *event)
{
	struct item *item = &b->items[b->n_items];
	const char *field = "";

	if (!event) {
		skip(b, rec, PROF_SKIP_UNKNOWN_EVENT, "");
		return NULL;
	}
	switch (pd_sample_decode(&event->plan, rec, b->file->swap, &item->sample, &field)) {
	case PD_SAMPLE_OK:
		break;
	case PD_SAMPLE_LEFTOVER:
		pd_diag_warn(b->file->diag, pd_file_part_path(b->file, rec->part), rec->offset,
			"SAMPLE", "holds more than its event says");
		break;
	case PD_SAMPLE_SHORT:
		skip(b, rec, PROF_SKIP_DAMAGED, field);
		return NULL;
	}
	note_time(&b->profile->stats, rec->time);
	item->event = event->index;
	struct pd_error *err = add_counts(b, rec, event, item);
	return err || !item->n_counts ? err : place_item(b, rec, item);
}

/* Records that say that something is missing. */
static void count_losses(struct builder *b, const struct pd_record *rec, size_t sid_bytes)
{
	struct prof_stats *stats = &b->profile->stats;
	union pd_body body;
	const char *wrong;

	if (rec->type == PD_RECORD_THROTTLE)
		stats->n_throttled++;
	if (rec->type != PD_RECORD_LOST && rec->type != PD_RECORD_LOST_SAMPLES)
		return;
	if (!pd_record_decode(rec, sid_bytes, b->file->swap, &body, &wrong)) {
		pd_diag_note(b->file->diag, pd_file_part_path(b->file, rec->part), rec->offset,
			"LOST", wrong);
		return;
	}
	if (rec->type == PD_RECORD_LOST)
		stats->n_lost_records += body.lost.lost;
	else if (!(rec->misc & PD_MISC_LOST_SAMPLES_BPF))
		stats->n_lost_samples += body.lost_samples.lost;
}

static struct pd_error *take_record(struct builder *b, const struct pd_record *rec)
{
	if (rec->type == PD_RECORD_BUILD_ID)
		pd_space_learn_build_ids(b->space);
	if (rec->type >= PD_RECORD_FIRST_TOOL || !pd_layout_find(rec->type, rec->misc)) {
		b->profile->stats.n_unknown_records += !pd_layout_find(rec->type, rec->misc);
		return NULL;
	}
	const struct pd_events *events = &b->file->events;
	if (rec->type == PD_RECORD_SAMPLE)
		return collect_sample(b, rec, pd_events_find(events, rec));

	const struct pd_plan *plan = pd_events_plan(events, rec);
	size_t sid_bytes = plan ? plan->sid_bytes : 0;
	count_losses(b, rec, sid_bytes);
	return pd_space_apply(b->space, rec, sid_bytes);
}

/* A stream may give a build id when the binary was used already. */
static void check_late_build_ids(const struct builder *b)
{
	for (size_t i = 0; i < out_binaries_n(b->binaries); i++) {
		const struct out_binary *binary = out_binaries_get(b->binaries, i);
		const struct pd_build_id *recorded = &binary->dso->build_id;
		const struct pd_build_id *own = sym_binary_build_id(binary->symbols);

		if (sym_binary_status(binary->symbols) != SYM_FOUND || !recorded->len ||
			!own->len || pd_build_id_equal(recorded, own))
			continue;
		pd_diag_warn(b->file->diag, binary->dso->name, PD_NO_OFFSET, NULL,
			"is another build than the recorded one, which was told too late: "
			"its frames may be wrong");
	}
}

/* What a stream may say as late as it likes. */
static struct pd_error *enter_rest(struct builder *b)
{
	if (!b->file->events.list.n)
		return pd_error_create(
			PD_ERROR_FORMAT, b->file->path, "the recording has no events");
	check_late_build_ids(b);
	return out_source_finish(&b->source);
}

static struct pd_error *read_all(struct builder *b)
{
	struct pd_record rec;

	for (;;) {
		struct pd_error *err = pd_reader_next(b->reader, &rec);
		if (err)
			return err;
		if (!rec.bytes)
			break;
		err = take_record(b, &rec);
		if (err)
			return err;
	}
	b->profile->stats.n_late_records = pd_reader_n_late(b->reader);
	struct pd_error *err = finish_batch(b);
	return err ? err : enter_rest(b);
}

struct pd_error *out_build(struct pd_file *file, const struct out_opts *opts, struct profile **ret)
{
	struct builder b = { .file = file, .opts = opts };
	struct pd_error *err = set_up(&b);

	if (!err)
		err = read_all(&b);
	if (!err && !opts->no_names)
		err = out_name_frames(b.profile, b.binaries, b.space, opts, b.pool);
	tear_down(&b);
	if (err) {
		profile_destroy(b.profile);
		return err;
	}
	*ret = b.profile;
	return NULL;
}
