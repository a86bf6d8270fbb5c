#include "api/unwinder_worker.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/limit.h"
#include "parse/callchain.h"
#include "resolve/walkers.h"

enum {
	/** A machine may run programs of two word sizes. */
	N_ABIS = 2,
	/** Direct-mapped cache of links of call chains: a power of two. */
	N_LINKS = 1 << 11,
};

/** Frames of a walker. */
struct walked {
	struct unw_walker *walker;
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

struct pd_unwinder_worker {
	struct pd_unwinder_state *state;
	/** For the architecture, and for its 32-bit programs if they are supported. */
	struct walked walked[N_ABIS];
	struct unw_stack stack;
	struct pd_callchain recorded;
	struct known_link links[N_LINKS];
};

void pd_unwinder_worker_destroy(struct pd_unwinder_worker *worker)
{
	if (!worker)
		return;
	for (size_t i = 0; i < N_ABIS; i++) {
		unw_walker_destroy(worker->walked[i].walker);
		pd_vec_deinit(&worker->walked[i].frames);
	}
	unw_stack_deinit(&worker->stack);
	pd_callchain_deinit(&worker->recorded);
	free(worker);
}

static struct pd_error *create_walkers(struct pd_unwinder_worker *worker)
{
	const struct pd_unwinder_state *state = worker->state;
	const struct pd_arch *compat = state->config->arch->compat;
	struct pd_error *err = unw_walker_create(
		state->config->arch, &state->config->unw, &worker->walked[0].walker);

	if (err || !compat)
		return err;
	return unw_walker_create(compat, &state->config->unw, &worker->walked[1].walker);
}

struct pd_error *pd_unwinder_worker_create(
	struct pd_unwinder_state *state, struct pd_unwinder_worker **ret)
{
	struct pd_unwinder_worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return &pd_enomem;
	worker->state = state;
	struct pd_error *err = create_walkers(worker);
	if (err) {
		pd_unwinder_worker_destroy(worker);
		return err;
	}
	*ret = worker;
	return NULL;
}

static struct pd_error *push(struct pd_unwinder_result *result, const struct pd_frame *frame)
{
	return pd_vec_push(&result->frames, *frame) ? NULL : &pd_enomem;
}

static struct pd_error *find_link(struct pd_unwinder_state *state, const struct pd_maps *maps,
	const struct pd_callchain_link *link, struct pd_frame *ret)
{
	uint64_t lookup = link->pc - link->is_return;
	bool is_kernel = link->context == PD_CALLCHAIN_KERNEL;
	const struct resolve_module *module = NULL;
	struct pd_error *err = NULL;

	/* Recordings have no mappings of guests and hypervisors. */
	if (!pd_callchain_context_name(link->context))
		err = is_kernel
			      ? resolve_binaries_find_kernel(state->binaries, maps, lookup, &module)
			      : resolve_binaries_find(state->binaries, maps, lookup, &module);
	if (!err)
		err = pd_unwinder_state_frame(state, module, link->pc, link->is_return, ret);
	if (err)
		return err;
	ret->is_kernel = is_kernel;
	ret->source = PD_FRAME_RECORDED;
	return NULL;
}

static struct pd_error *push_link(struct pd_unwinder_worker *worker,
	const struct pd_unwinder_job *job, const struct pd_callchain_link *link,
	struct pd_unwinder_result *result)
{
	const struct pd_maps *maps =
		link->context == PD_CALLCHAIN_KERNEL ? job->kernel_maps : job->maps;
	uint64_t hash = pd_hash_pair(link->pc * 2 + link->is_return, maps->id);
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

static struct pd_error *push_links(struct pd_unwinder_worker *worker,
	const struct pd_unwinder_job *job, const struct pd_callchain_link *links, size_t n,
	struct pd_unwinder_result *result)
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

/* Describe the frames that the walker has found since the last call. */
static struct pd_error *learn(struct pd_unwinder_worker *worker, struct walked *walked)
{
	uint32_t end = unw_walker_end_frame(walked->walker);

	for (uint32_t id = walked->first_id + (uint32_t)walked->frames.n; id != end; id++) {
		const struct unw_frame *found = unw_walker_frame(walked->walker, id);
		/* resolve_module.unw is its first member. */
		const struct resolve_module *module = (const struct resolve_module *)found->module;
		struct pd_frame frame;
		struct pd_error *err = pd_unwinder_state_frame(
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

/* Forget frames if there are too many. */
static void trim(struct walked *walked)
{
	unw_walker_trim(walked->walker, PD_LIMIT_WALKER_FRAMES);
	if (walked->first_id == unw_walker_first_frame(walked->walker))
		return;
	walked->first_id = unw_walker_first_frame(walked->walker);
	walked->frames.n = 0;
}

static struct pd_error *walk(struct pd_unwinder_worker *worker, const struct pd_unwinder_job *job,
	struct pd_unwinder_result *result)
{
	struct pd_unwinder_state *state = worker->state;
	const struct pd_arch *arch =
		pd_arch_of_abi(state->config->arch, job->sample->regs_user.abi);
	struct walked *walked = &worker->walked[arch != state->config->arch];
	struct resolve_space space = resolve_space_init(state->binaries, job->maps);
	struct unw_input input = resolve_walk_input(job->sample);

	input.space = &space.unw;
	trim(walked);
	struct pd_error *err = unw_walk(walked->walker, &input, &worker->stack);
	if (!err)
		err = take_ptr(space.err);
	pd_error_destroy(space.err);
	/* Frames may be those of an address that was not found. The next unwind looks again. */
	if (err)
		unw_walker_trim(walked->walker, 0);
	else
		err = learn(worker, walked);
	for (size_t i = 0; !err && i < worker->stack.frames.n; i++) {
		uint32_t at = worker->stack.frames.data[i] - walked->first_id;

		err = push(result, &walked->frames.data[at]);
	}
	result->end = worker->stack.end;
	return err;
}

/* Without call chain and stack, the instruction pointer is the only frame. */
static struct pd_error *push_ip(struct pd_unwinder_worker *worker,
	const struct pd_unwinder_job *job, struct pd_unwinder_result *result)
{
	const struct pd_callchain_link link = {
		.pc = job->sample->ip,
		.context = pd_callchain_context_of(job->cpumode),
	};

	if (link.context != PD_CALLCHAIN_USER && worker->state->config->no_kernel)
		return NULL;
	struct pd_error *err = push_link(worker, job, &link, result);
	result->n_kernel += !err && link.context != PD_CALLCHAIN_USER;
	return err;
}

static struct pd_error *push_user(struct pd_unwinder_worker *worker,
	const struct pd_unwinder_job *job, struct pd_unwinder_result *result)
{
	const struct pd_callchain *recorded = &worker->recorded;
	size_t before = result->frames.n;

	result->end =
		job->sample->regs_user.values.n ? PD_UNWIND_END_NO_STACK : PD_UNWIND_END_NO_REGS;
	if (job->can_walk) {
		struct pd_error *err = walk(worker, job, result);
		if (err || result->frames.n > before) {
			result->is_deferred = false;
			return err;
		}
	}
	if (recorded->user.n && !worker->state->config->unw.cfi_only)
		return push_links(worker, job, recorded->user.data, recorded->user.n, result);
	return recorded->system.n ? NULL : push_ip(worker, job, result);
}

struct pd_error *pd_unwinder_worker_run(struct pd_unwinder_worker *worker,
	const struct pd_unwinder_job *job, struct pd_unwinder_result *ret)
{
	struct pd_callchain *recorded = &worker->recorded;
	struct pd_error *err = pd_callchain_read(recorded, job->sample, job->cpumode);

	ret->frames.n = ret->n_kernel = 0;
	ret->is_deferred = recorded->is_deferred;
	ret->cookie = recorded->cookie;
	if (!err && !worker->state->config->no_kernel)
		err = push_links(worker, job, recorded->system.data, recorded->system.n, ret);
	if (err)
		return err;
	ret->n_kernel = ret->frames.n;
	return push_user(worker, job, ret);
}

struct pd_error *pd_unwinder_worker_complete(struct pd_unwinder_worker *worker,
	const struct pd_unwinder_job *job, const struct pd_view *ips,
	struct pd_unwinder_result *result)
{
	struct pd_callchain *recorded = &worker->recorded;

	recorded->user.n = 0;
	struct pd_error *err = pd_callchain_add_deferred(recorded, ips);
	if (err)
		return err;
	result->frames.n = result->n_kernel;
	return push_links(worker, job, recorded->user.data, recorded->user.n, result);
}
