#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cond.h"
#include "base/system/base_machine.h"

/* Upper limit for requests: no current machine has more processors. */
enum { MAX_WORKERS = 1024 };

struct worker {
	struct base_pool *pool;
	size_t index;
	pthread_t thread;
};

struct base_pool {
	size_t n_workers;
	/** Number of started threads: workers 1 to n_threads. Worker 0 is the caller. */
	size_t n_threads;
	struct worker *workers;
	/** Operation of the thread that created the pool; NULL: none that can be cancelled. */
	struct base_cancel *cancel;

	pthread_mutex_t lock;
	pthread_cond_t work_ready;
	pthread_cond_t work_done;
	/**
	 * Number of runs so far, by which a worker recognizes a new one. Guarded by lock, like all
	 * members below except for the atomic one.
	 */
	size_t generation;
	/** Workers may begin to take part in the run. */
	bool is_open;
	/** Number of workers that take part in it. */
	size_t n_busy;
	bool is_ending;

	base_pool_fn *fn;
	void *ctx;
	size_t n_items;
	atomic_size_t next_item;
};

static void do_items(struct base_pool *pool, size_t worker)
{
	for (;;) {
		size_t item = atomic_fetch_add(&pool->next_item, 1);

		if (item >= pool->n_items)
			return;
		pool->fn(pool->ctx, worker, item);
	}
}

static void *worker_main(void *arg)
{
	struct worker *self = arg;
	struct base_pool *pool = self->pool;
	size_t seen_generation = 0;

	base_cancel_enter((struct base_cancel_scope){ .cancel = pool->cancel });
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->is_ending && !(pool->is_open && pool->generation != seen_generation))
			pthread_cond_wait(&pool->work_ready, &pool->lock);
		if (pool->is_ending)
			break;
		seen_generation = pool->generation;
		pool->n_busy++;
		pthread_mutex_unlock(&pool->lock);
		do_items(pool, self->index);
		pthread_mutex_lock(&pool->lock);
		if (--pool->n_busy == 0)
			pthread_cond_signal(&pool->work_done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct pd_error *base_pool_create(size_t n_workers, struct base_pool **ret)
{
	return base_pool_create_up_to(n_workers, MAX_WORKERS, ret);
}

struct pd_error *base_pool_create_up_to(size_t n_workers, size_t most, struct base_pool **ret)
{
	struct base_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return &pd_enomem;
	pool->n_workers = n_workers ? n_workers : base_machine_n_processors();
	if (pool->n_workers > most)
		pool->n_workers = most;
	pool->workers = calloc(pool->n_workers, sizeof(*pool->workers));
	if (!pool->workers) {
		free(pool);
		return &pd_enomem;
	}
	pool->cancel = base_cancel_current();
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work_ready, NULL);
	base_cond_init(&pool->work_done);
	for (size_t i = 1; i < pool->n_workers; i++) {
		struct worker *worker = &pool->workers[i];

		*worker = (struct worker){ .pool = pool, .index = i };
		/* With fewer threads than requested the work is the same, only slower. */
		if (pthread_create(&worker->thread, NULL, worker_main, worker))
			break;
		pool->n_threads++;
	}
	*ret = pool;
	return NULL;
}

void base_pool_destroy(struct base_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->is_ending = true;
	pthread_cond_broadcast(&pool->work_ready);
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 1; i <= pool->n_threads; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->work_done);
	pthread_cond_destroy(&pool->work_ready);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool);
}

size_t base_pool_n_workers(const struct base_pool *pool)
{
	return pool->n_workers;
}

void base_pool_start(struct base_pool *pool, size_t n_items, base_pool_fn *fn, void *ctx)
{
	pthread_mutex_lock(&pool->lock);
	pool->fn = fn;
	pool->ctx = ctx;
	pool->n_items = n_items;
	atomic_store(&pool->next_item, 0);
	pool->is_open = true;
	pool->generation++;
	/* Waking a thread takes longer than many an item. */
	for (size_t i = 0; i < n_items && i < pool->n_threads; i++)
		pthread_cond_signal(&pool->work_ready);
	pthread_mutex_unlock(&pool->lock);
}

void base_pool_finish(struct base_pool *pool)
{
	do_items(pool, 0);

	pthread_mutex_lock(&pool->lock);
	/* No item is left for a worker that wakes up late: it is not waited for. */
	pool->is_open = false;
	while (pool->n_busy)
		base_cond_wait(&pool->work_done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void base_pool_run(struct base_pool *pool, size_t n_items, base_pool_fn *fn, void *ctx)
{
	base_pool_start(pool, n_items, fn, ctx);
	base_pool_finish(pool);
}
