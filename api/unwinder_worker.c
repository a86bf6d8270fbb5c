#include "api/unwinder_worker.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/containers/hash.h"
#include "base/limit.h"
#include "resolve/stacks/sample_walk.h"
#include "resolve/stacks/stack.h"

enum {
	/** Direct-mapped cache of links of call chains: a power of two. */
	N_LINKS = 1 << 11,
};

/** Frames of a walker. */
struct walked {
	/** Id of the first frame, and the frames that follow it. */
	uint32_t first_id;
	PD_VEC(struct pd_frame) frames;
};

/** A link of a call chain that was looked up in a snapshot. */
struct known_link {
	/** 0: none. */
	uint64_t maps_id;
	struct pd_frame frame;
};

struct api_unwinder_worker {
	struct api_unwinder_state *state;
	struct resolve_walk walk;
	/** Frames of each of its walkers. */
	struct walked walked[RESOLVE_N_ABIS];
	/** Unwound frames of the sample, and the index of their walker. */
	struct unw_stack unwound;
	size_t which;
	struct resolve_stack stack;
	struct known_link links[N_LINKS];
};

void api_unwinder_worker_destroy(struct api_unwinder_worker *worker)
{
	if (!worker)
		return;
	for (size_t i = 0; i < RESOLVE_N_ABIS; i++)
		pd_vec_deinit(&worker->walked[i].frames);
	resolve_walk_deinit(&worker->walk);
	unw_stack_deinit(&worker->unwound);
	resolve_stack_deinit(&worker->stack);
	free(worker);
}

struct pd_error *api_unwinder_worker_create(
	struct api_unwinder_state *state, struct api_unwinder_worker **ret)
{
	const struct pd_unwind_opts *unwind = &state->config->reading.resolve.unwind;
	const struct unw_opts opts = {
		.max_stack = unwind->max_stack,
		.cfi_only = unwind->cfi_only,
	};
	struct api_unwinder_worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return &pd_enomem;
	worker->state = state;
	worker->walk.arch = state->config->arch;
	worker->walk.binaries = state->binaries;
	struct pd_error *err = resolve_walk_init(&worker->walk, &opts);
	if (err) {
		api_unwinder_worker_destroy(worker);
		return err;
	}
	*ret = worker;
	return NULL;
}

static struct pd_error *push(struct api_unwinder_result *result, const struct pd_frame *frame)
{
	return pd_vec_push(&result->frames, *frame) ? NULL : &pd_enomem;
}

static struct pd_error *find_link(struct api_unwinder_state *state, const struct parse_maps *maps,
	const struct parse_callchain_link *link, struct pd_frame *ret)
{
	uint64_t lookup = link->pc - link->is_return;
	bool is_kernel = link->context == PD_CALLCHAIN_KERNEL;
	const struct resolve_module *module = NULL;
	struct pd_error *err = NULL;

	/* Recordings have no mappings of guests and hypervisors. */
	if (!parse_callchain_context_name(link->context))
		err = is_kernel
			      ? resolve_binaries_find_kernel(state->binaries, maps, lookup, &module)
			      : resolve_binaries_find(state->binaries, maps, lookup, &module);
	if (!err)
		err = api_unwinder_state_frame(state, module, link->pc, link->is_return, ret);
	if (err)
		return err;
	ret->is_kernel = is_kernel;
	ret->source = PD_FRAME_RECORDED;
	return NULL;
}

static struct pd_error *push_link(struct api_unwinder_worker *worker,
	const struct api_unwinder_job *job, const struct parse_callchain_link *link,
	struct api_unwinder_result *result)
{
	const struct parse_maps *maps =
		link->context == PD_CALLCHAIN_KERNEL ? job->kernel_maps : job->maps;
	uint64_t hash = base_hash_pair(link->pc * 2 + link->is_return, maps->id);
	struct known_link *known = &worker->links[hash & (N_LINKS - 1)];

	if (known->maps_id != maps->id || known->frame.pc != link->pc ||
		known->frame.is_return != link->is_return) {
		struct pd_frame frame;
		struct pd_error *err = find_link(worker->state, maps, link, &frame);

		if (err)
			return err;
		*known = (struct known_link){ .maps_id = maps->id, .frame = frame };
	}
	return push(result, &known->frame);
}

static struct pd_error *push_links(struct api_unwinder_worker *worker,
	const struct api_unwinder_job *job, const struct parse_callchain_link *links, size_t n,
	struct api_unwinder_result *result)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = push_link(worker, job, &links[i], result);
		if (err)
			return err;
	}
	return NULL;
}

static enum pd_frame_source source_of(uint32_t flags)
{
	if (flags & UNW_FRAME_BY_FP)
		return PD_FRAME_BY_FRAME_POINTER;
	return flags & UNW_FRAME_INEXACT ? PD_FRAME_INEXACT : PD_FRAME_EXACT;
}

/* Describe the frames that walker @p which has found since the last call. */
static struct pd_error *learn(struct api_unwinder_worker *worker, size_t which)
{
	const struct unw_walker *walker = worker->walk.walkers[which];
	struct walked *walked = &worker->walked[which];
	uint32_t end = unw_walker_end_frame(walker);

	for (uint32_t id = walked->first_id + (uint32_t)walked->frames.n; id != end; id++) {
		const struct unw_frame *found = unw_walker_frame(walker, id);
		/* resolve_module.unw is its first member. */
		const struct resolve_module *module = (const struct resolve_module *)found->module;
		struct pd_frame frame;
		struct pd_error *err = api_unwinder_state_frame(
			worker->state, module, found->pc, found->flags & UNW_FRAME_RETURN, &frame);

		if (err)
			return err;
		frame.source = source_of(found->flags);
		frame.is_signal = found->flags & UNW_FRAME_SIGNAL;
		if (!pd_vec_push(&walked->frames, frame))
			return &pd_enomem;
	}
	return NULL;
}

/* Forget frames of walker @p which if there are more than @p most. */
static void trim(struct api_unwinder_worker *worker, size_t which, size_t most)
{
	struct unw_walker *walker = worker->walk.walkers[which];
	struct walked *walked = &worker->walked[which];

	if (!walker)
		return;
	unw_walker_trim(walker, most);
	if (walked->first_id == unw_walker_first_frame(walker))
		return;
	walked->first_id = unw_walker_first_frame(walker);
	walked->frames.n = 0;
}

static struct pd_error *walk(struct api_unwinder_worker *worker, const struct api_unwinder_job *job)
{
	for (size_t i = 0; i < RESOLVE_N_ABIS; i++)
		trim(worker, i, PD_LIMIT_WALKER_FRAMES);
	struct pd_error *err = resolve_walk_sample(
		&worker->walk, job->sample, job->maps, &worker->unwound, &worker->which);
	if (!err)
		return learn(worker, worker->which);
	/* Frames may be those of an address that was not found. The next unwind looks again. */
	trim(worker, worker->which, 0);
	return err;
}

static const struct pd_frame *walked_frame(const struct api_unwinder_worker *worker, uint32_t id)
{
	const struct walked *walked = &worker->walked[worker->which];

	return &walked->frames.data[id - walked->first_id];
}

static uint64_t pc_of(const void *ctx, uint32_t id)
{
	return walked_frame(ctx, id)->pc;
}

/* Append the user frames of the stack. */
static struct pd_error *push_user(struct api_unwinder_worker *worker,
	const struct api_unwinder_job *job, struct api_unwinder_result *result)
{
	const struct resolve_stack *stack = &worker->stack;
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < stack->n_walked; i++)
		err = push(result, walked_frame(worker, worker->unwound.frames.data[i]));
	if (!err)
		err = push_links(worker, job, resolve_stack_user(stack), stack->n_user, result);
	if (err || !stack->has_ip)
		return err;
	result->n_kernel += stack->ip.context != PD_CALLCHAIN_USER;
	return push_link(worker, job, &stack->ip, result);
}

static enum pd_unwind_end end_of(
	const struct api_unwinder_worker *worker, const struct api_unwinder_job *job)
{
	if (job->can_walk)
		return worker->unwound.end;
	return job->sample->regs_user.values.n ? PD_UNWIND_END_NO_STACK : PD_UNWIND_END_NO_REGS;
}

struct pd_error *api_unwinder_worker_run(struct api_unwinder_worker *worker,
	const struct api_unwinder_job *job, struct api_unwinder_result *ret)
{
	const struct pd_unwind_opts *unwind = &worker->state->config->reading.resolve.unwind;
	const struct resolve_stack_opts opts = {
		.unwind = *unwind,
		.no_user_links = unwind->cfi_only,
	};
	const struct resolve_stack_input input = {
		.sample = job->sample,
		.cpumode = job->cpumode,
		.walked = job->can_walk ? &worker->unwound : NULL,
		.pc_of = pc_of,
		.ctx = worker,
	};
	const struct resolve_stack *stack = &worker->stack;
	struct pd_error *err = job->can_walk ? walk(worker, job) : NULL;

	ret->frames.n = 0;
	if (!err)
		err = resolve_stack_read(&worker->stack, &input, &opts);
	if (!err)
		err = push_links(worker, job, stack->recorded.system.data, stack->n_system, ret);
	if (err)
		return err;
	ret->n_kernel = ret->frames.n;
	ret->end = end_of(worker, job);
	/* Unwound frames need no links that are recorded later. */
	ret->is_deferred = stack->recorded.is_deferred && !stack->n_walked;
	ret->cookie = stack->recorded.cookie;
	return push_user(worker, job, ret);
}

struct pd_error *api_unwinder_worker_complete(struct api_unwinder_worker *worker,
	const struct api_unwinder_job *job, const struct pd_view *ips,
	struct api_unwinder_result *result)
{
	struct parse_callchain *recorded = &worker->stack.recorded;

	recorded->user.n = 0;
	struct pd_error *err = parse_callchain_add_deferred(recorded, ips);
	if (err)
		return err;
	result->frames.n = result->n_kernel;
	return push_links(worker, job, recorded->user.data, recorded->user.n, result);
}
