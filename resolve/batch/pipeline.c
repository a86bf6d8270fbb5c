#include "resolve/batch/pipeline.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/cond.h"

/* Do what stage @p s does with @p batch. Called without the lock. */
static struct pd_error *run(struct resolve_pipeline *p, enum resolve_stage s,
	struct resolve_batch *batch, size_t worker)
{
	switch (s) {
	case RESOLVE_COUNT:
		resolve_tally_count(p->tally, batch);
		return NULL;
	case RESOLVE_WALK:
		resolve_walkers_walk(p->walkers, worker);
		return NULL;
	case RESOLVE_LEARN:
		return resolve_walkers_learn(p->walkers, p->frames);
	case RESOLVE_JOIN:
		return resolve_join(p->joiner, batch);
	case RESOLVE_ADD:
		return p->joiner->is_survey ? NULL : resolve_assemble(p->assembler, batch);
	default:
		return NULL;
	}
}

/* The following functions are called with the lock, unless a comment says otherwise. */

/* The batch that is next in stage @p s; NULL: none has passed the stage before. */
static struct resolve_batch *next_of(const struct resolve_pipeline *p, enum resolve_stage s)
{
	size_t n = p->n_passed[s], end = s ? p->n_passed[s - 1] : p->n_filled;

	return n < end ? p->queue[n % RESOLVE_PIPELINE_BATCHES] : NULL;
}

/* Whether a thread may begin, or join in, stage @p s. */
static bool can_begin(const struct resolve_pipeline *p, enum resolve_stage s)
{
	if (p->has_failed || !next_of(p, s))
		return false;
	switch (s) {
	case RESOLVE_WALK:
		/* Walkers may forget frames that have not been learnt. */
		return p->n_busy[s] ? p->has_walks : p->n_passed[s] == p->n_passed[RESOLVE_LEARN];
	case RESOLVE_LEARN:
	case RESOLVE_JOIN:
		/* Both change the frames. */
		return !p->n_busy[RESOLVE_LEARN] && !p->n_busy[RESOLVE_JOIN];
	default:
		return !p->n_busy[s];
	}
}

/* Keep the error of the oldest batch. */
static void keep_error(struct resolve_pipeline *p, struct pd_error *err, size_t batch)
{
	if (!err)
		return;
	if (p->err && batch >= p->err_batch) {
		pd_error_destroy(err);
		return;
	}
	pd_error_destroy(p->err);
	p->err = err;
	p->err_batch = batch;
	p->has_failed = true;
}

static void wake(struct resolve_pipeline *p)
{
	/* A stage that ends lets up to three begin, of which this thread takes one. */
	for (size_t i = 0; i < 2 && i < p->n_idle; i++)
		pthread_cond_signal(&p->has_work);
	pthread_cond_signal(&p->has_changed);
}

/* Pass on the next batch of stage @p s, which has ended. */
static void pass_on(struct resolve_pipeline *p, enum resolve_stage s)
{
	if (s == RESOLVE_ADD && next_of(p, s))
		p->free[p->n_free++] = next_of(p, s);
	p->n_passed[s]++;
	wake(p);
}

/* Set up unwinding. Returns whether there is anything to unwind. */
static bool begin_walk(struct resolve_pipeline *p, struct resolve_batch *batch)
{
	p->n_busy[RESOLVE_WALK]++;
	pthread_mutex_unlock(&p->lock);
	bool has_walks = resolve_walkers_begin(p->walkers, batch);
	pthread_mutex_lock(&p->lock);
	p->n_busy[RESOLVE_WALK]--;
	p->has_walks = has_walks;
	if (has_walks && p->n_idle)
		pthread_cond_broadcast(&p->has_work);
	return has_walks;
}

/* Do what stage @p s has to do for its next batch. */
static void run_stage(struct resolve_pipeline *p, enum resolve_stage s, size_t worker)
{
	struct resolve_batch *batch = next_of(p, s);
	size_t number = p->n_passed[s];

	if (s == RESOLVE_WALK && !p->n_busy[s] && !begin_walk(p, batch)) {
		pass_on(p, s);
		return;
	}
	p->n_busy[s]++;
	pthread_mutex_unlock(&p->lock);
	struct pd_error *err = run(p, s, batch, worker);
	pthread_mutex_lock(&p->lock);
	keep_error(p, err, number);
	/* Walks that were begun go on, but none is left for others. */
	p->has_walks &= s != RESOLVE_WALK;
	if (!--p->n_busy[s])
		pass_on(p, s);
}

/* Do the work of one stage: rather one that is near the end. False if there is none. */
static bool run_any(struct resolve_pipeline *p, size_t worker)
{
	bool may_add = !worker || p->is_independent;
	enum resolve_stage end = may_add ? RESOLVE_N_STAGES : RESOLVE_JOIN;

	for (enum resolve_stage s = end; s-- > 0;) {
		if (can_begin(p, s)) {
			run_stage(p, s, worker);
			return true;
		}
	}
	return false;
}

/* Run stages until the pipeline ends. Called without the lock. */
static void work(void *ctx, size_t worker, size_t item)
{
	struct resolve_pipeline *p = ctx;

	(void)item;
	pthread_mutex_lock(&p->lock);
	while (!p->is_ending) {
		if (run_any(p, worker))
			continue;
		p->n_idle++;
		pthread_cond_wait(&p->has_work, &p->lock);
		p->n_idle--;
	}
	pthread_mutex_unlock(&p->lock);
}

/* The thread that reads does what is to be done, or waits until that has changed. */
static void help(struct resolve_pipeline *p)
{
	if (!run_any(p, 0))
		base_cond_wait(&p->has_changed, &p->lock);
}

static bool is_busy(const struct resolve_pipeline *p)
{
	for (size_t s = 0; s < RESOLVE_N_STAGES; s++) {
		if (p->n_busy[s])
			return true;
	}
	return false;
}

/* Help until @p n batches have passed stage @p s, or all work has ended after an error. */
static struct pd_error *help_until_passed(
	struct resolve_pipeline *p, enum resolve_stage s, size_t n)
{
	while (p->has_failed ? is_busy(p) : p->n_passed[s] < n)
		help(p);
	return take_ptr(p->err);
}

struct pd_error *resolve_pipeline_init(struct resolve_pipeline *p)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->has_work, NULL);
	base_cond_init(&p->has_changed);
	p->is_set_up = true;
	for (size_t i = 0; i < RESOLVE_PIPELINE_BATCHES; i++) {
		struct pd_error *err = resolve_batch_init(&p->batches[i], p->most_bytes);
		if (err)
			return err;
		p->free[p->n_free++] = &p->batches[i];
	}
	p->filling = p->free[--p->n_free];
	base_pool_start(p->pool, base_pool_n_workers(p->pool) - 1, work, p);
	return NULL;
}

/* Let all workers return. */
static void stop(struct resolve_pipeline *p)
{
	if (!p->is_set_up || p->is_ending)
		return;
	pthread_mutex_lock(&p->lock);
	p->is_ending = true;
	pthread_cond_broadcast(&p->has_work);
	pthread_mutex_unlock(&p->lock);
	base_pool_finish(p->pool);
}

void resolve_pipeline_deinit(struct resolve_pipeline *p)
{
	stop(p);
	for (size_t i = 0; i < RESOLVE_PIPELINE_BATCHES; i++)
		resolve_batch_deinit(&p->batches[i]);
	pd_error_destroy(p->err);
	if (!p->is_set_up)
		return;
	pthread_cond_destroy(&p->has_changed);
	pthread_cond_destroy(&p->has_work);
	pthread_mutex_destroy(&p->lock);
}

struct pd_error *resolve_pipeline_wait(struct resolve_pipeline *p)
{
	pthread_mutex_lock(&p->lock);
	struct pd_error *err = help_until_passed(p, RESOLVE_ADD, p->n_filled);
	pthread_mutex_unlock(&p->lock);
	return err;
}

static void push(struct resolve_pipeline *p)
{
	p->queue[p->n_filled++ % RESOLVE_PIPELINE_BATCHES] = take_ptr(p->filling);
	wake(p);
}

static struct pd_error *make_room(struct resolve_pipeline *p)
{
	struct pd_error *err = NULL;

	/* A batch that no other thread may add is added at once. */
	if (!p->is_independent || base_pool_n_workers(p->pool) == 1)
		err = help_until_passed(p, RESOLVE_ADD, p->n_filled);
	while (!err && !p->n_free) {
		help(p);
		err = take_ptr(p->err);
	}
	return err;
}

struct pd_error *resolve_pipeline_switch(struct resolve_pipeline *p)
{
	pthread_mutex_lock(&p->lock);
	push(p);
	struct pd_error *err = make_room(p);
	struct resolve_batch *batch = err ? NULL : p->free[--p->n_free];
	pthread_mutex_unlock(&p->lock);
	if (err)
		return err;
	/* Only the thread that reads counts references to mappings and records. */
	resolve_batch_clear(batch);
	p->filling = batch;
	p->switched_at = base_clock_now();
	return NULL;
}

struct pd_error *resolve_pipeline_end(struct resolve_pipeline *p)
{
	pthread_mutex_lock(&p->lock);
	push(p);
	struct pd_error *err = help_until_passed(p, RESOLVE_ADD, p->n_filled);
	pthread_mutex_unlock(&p->lock);
	if (!err)
		stop(p);
	return err;
}
