#include "resolve/batch/walkers.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/containers/hash.h"
#include "base/limit.h"

enum {
	/** Number of samples that a worker takes from a queue. */
	SLICE = 32,
	/**
	 * The stack of a later sample is prefetched while an earlier one is unwound, because
	 * unwinding is limited by memory latency.
	 */
	PREFETCH_AHEAD = 2,
	/** Maximum number of frames that a walker keeps between batches, about 30 MB. */
	MAX_FRAMES = PD_LIMIT_WALKER_FRAMES,
	/** Queues of a worker. */
	QUEUES = 8,
};

/**
 * Samples of some processes. A worker empties its own queues first, and then those of others, from
 * their last one on. So most samples of a process are unwound by the walker that has its frames,
 * although some workers begin later than others.
 */
struct queue {
	/** Part of resolve_walkers.order. */
	_Alignas(PD_CACHE_LINE) atomic_size_t next;
	size_t end;
};

struct resolve_walkers {
	/** Those of each worker. */
	struct resolve_walk *list;
	size_t n;
	/** Batch that is being unwound; NULL if none is, or no item of it has a stack. */
	struct resolve_batch *batch;
	/** Indexes of the items to unwind, by queue. */
	uint16_t order[RESOLVE_BATCH];
	/** Those of one worker follow those of the worker before. */
	struct queue *queues;
	size_t n_queues;
};

void resolve_walkers_destroy(struct resolve_walkers *walkers)
{
	if (!walkers)
		return;
	for (size_t i = 0; walkers->list && i < walkers->n; i++)
		resolve_walk_deinit(&walkers->list[i]);
	free(walkers->queues);
	free(walkers->list);
	free(walkers);
}

static struct pd_error *set_up(struct resolve_walkers *walkers, const struct pd_arch *arch,
	const struct unw_opts *opts, struct resolve_binaries *binaries)
{
	walkers->list = calloc(walkers->n, sizeof(*walkers->list));
	walkers->queues = base_huge_calloc(walkers->n_queues, sizeof(*walkers->queues));
	if (!walkers->list || !walkers->queues)
		return &pd_enomem;
	for (size_t i = 0; i < walkers->n; i++) {
		walkers->list[i] = (struct resolve_walk){ .arch = arch, .binaries = binaries };
		struct pd_error *err = resolve_walk_init(&walkers->list[i], opts);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *resolve_walkers_create(const struct pd_arch *arch, const struct unw_opts *opts,
	struct resolve_binaries *binaries, size_t n_workers, struct resolve_walkers **ret)
{
	struct resolve_walkers *walkers = calloc(1, sizeof(*walkers));

	if (!walkers)
		return &pd_enomem;
	walkers->n = n_workers;
	walkers->n_queues = QUEUES * walkers->n;
	struct pd_error *err = set_up(walkers, arch, opts, binaries);
	if (err) {
		resolve_walkers_destroy(walkers);
		return err;
	}
	*ret = walkers;
	return NULL;
}

size_t resolve_walkers_n(const struct resolve_walkers *walkers)
{
	return walkers->n * RESOLVE_N_ABIS;
}

static void prefetch(const struct resolve_item *item)
{
	struct unw_input input = resolve_walk_input(&item->sample);

	unw_prefetch(&input);
}

static void walk(struct resolve_walkers *walkers, size_t worker, struct resolve_item *item)
{
	item->err = resolve_walk_sample(
		&walkers->list[worker], &item->sample, item->maps, &item->stack, &item->walker);
	item->walker += RESOLVE_N_ABIS * worker;
}

static void walk_queue(struct resolve_walkers *walkers, size_t worker, struct queue *queue)
{
	struct resolve_item *items = walkers->batch->items;
	const uint16_t *order = walkers->order;
	size_t i;

	while ((i = atomic_fetch_add(&queue->next, SLICE)) < queue->end) {
		size_t end = i + SLICE < queue->end ? i + SLICE : queue->end;

		for (; i < end; i++) {
			if (i + PREFETCH_AHEAD < queue->end)
				prefetch(&items[order[i + PREFETCH_AHEAD]]);
			walk(walkers, worker, &items[order[i]]);
		}
	}
}

static struct queue *queue_of(
	const struct resolve_walkers *walkers, const struct resolve_item *item)
{
	return &walkers->queues[base_hash_u64(item->sample.pid) % walkers->n_queues];
}

/* Fill the queues. Returns the number of items to unwind. */
static size_t fill_queues(struct resolve_walkers *walkers, const struct resolve_batch *batch)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; i < walkers->n_queues; i++)
		walkers->queues[i].end = 0;
	for (size_t i = 0; i < batch->n; i++) {
		if (!batch->items[i].has_walk)
			continue;
		queue_of(walkers, &batch->items[i])->end++;
		n++;
	}
	/* The queues follow each other. Their ends move while they are filled. */
	for (size_t i = 0; i < walkers->n_queues; i++) {
		struct queue *queue = &walkers->queues[i];
		size_t size = queue->end;

		atomic_store(&queue->next, at);
		queue->end = at;
		at += size;
	}
	for (size_t i = 0; i < batch->n && n; i++) {
		if (batch->items[i].has_walk)
			walkers->order[queue_of(walkers, &batch->items[i])->end++] = (uint16_t)i;
	}
	return n;
}

bool resolve_walkers_begin(struct resolve_walkers *walkers, struct resolve_batch *batch)
{
	walkers->batch = fill_queues(walkers, batch) ? batch : NULL;
	return walkers->batch;
}

void resolve_walkers_walk(struct resolve_walkers *walkers, size_t worker)
{
	size_t n = walkers->n_queues, first = worker * QUEUES;

	for (size_t i = 0; i < QUEUES; i++)
		walk_queue(walkers, worker, &walkers->queues[first + i]);
	/* Those before the first one are the last ones of another worker. */
	for (size_t i = 1; i <= n - QUEUES; i++)
		walk_queue(walkers, worker, &walkers->queues[(first + n - i) % n]);
}

/* Return the first error, in the order of the recording. */
static struct pd_error *take_error(struct resolve_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		if (batch->items[i].err)
			return take_ptr(batch->items[i].err);
	}
	return NULL;
}

struct pd_error *resolve_walkers_learn(
	struct resolve_walkers *walkers, struct resolve_frames *frames)
{
	struct resolve_batch *batch = take_ptr(walkers->batch);

	if (!batch)
		return NULL;
	/* After an error, frames of the walkers may be those of an address that was not found. */
	struct pd_error *err = take_error(batch);
	if (err)
		return err;
	for (size_t i = 0; i < resolve_walkers_n(walkers); i++) {
		struct unw_walker *walker =
			walkers->list[i / RESOLVE_N_ABIS].walkers[i % RESOLVE_N_ABIS];

		if (!walker)
			continue;
		/*
		 * Copy the frames before trimming may forget them: the items refer to them by id.
		 */
		err = resolve_frames_learn(frames, i, walker);
		if (err)
			return err;
		unw_walker_trim(walker, MAX_FRAMES);
	}
	return NULL;
}
