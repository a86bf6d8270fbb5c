#include "resolve/pipeline.h"

#include "base/cleanup.h"
#include "base/clock.h"

struct pd_error *resolve_pipeline_init(struct resolve_pipeline *pipeline)
{
	pipeline->filling = &pipeline->batches[0];
	for (size_t i = 0; i < RESOLVE_PIPELINE_BATCHES; i++) {
		struct pd_error *err = resolve_batch_init(&pipeline->batches[i]);
		if (err)
			return err;
	}
	return NULL;
}

void resolve_pipeline_deinit(struct resolve_pipeline *pipeline)
{
	for (size_t i = 0; i < RESOLVE_PIPELINE_BATCHES; i++)
		resolve_batch_deinit(&pipeline->batches[i]);
	pd_error_destroy(pipeline->adding_err);
	pd_error_destroy(pipeline->joining_err);
}

static void add_batch(void *ctx)
{
	struct resolve_pipeline *pipeline = ctx;

	pipeline->adding_err = resolve_assemble(pipeline->assembler, pipeline->adding);
}

static void join_batch(void *ctx)
{
	struct resolve_pipeline *pipeline = ctx;

	pipeline->joining_err = resolve_join(pipeline->joiner, pipeline->joining);
}

static void count_batch(void *ctx)
{
	struct resolve_pipeline *pipeline = ctx;

	resolve_tally_count(pipeline->tally, pipeline->unwinding);
}

/* Return the first of two errors. */
static struct pd_error *either(struct pd_error *first, struct pd_error *second)
{
	if (first)
		pd_error_destroy(second);
	return first ? first : second;
}

struct pd_error *resolve_pipeline_wait(struct resolve_pipeline *pipeline)
{
	struct pd_error *err = resolve_walkers_finish(pipeline->walkers, pipeline->frames);

	/* Samples that are further on are older. */
	err = either(take_ptr(pipeline->joining_err), err);
	err = either(take_ptr(pipeline->adding_err), err);
	if (pipeline->adding)
		resolve_batch_clear(pipeline->adding);
	pipeline->adding = NULL;
	return err;
}

/* The batch after @p batch in the ring. */
static struct resolve_batch *after(
	struct resolve_pipeline *pipeline, const struct resolve_batch *batch)
{
	return &pipeline->batches[(batch - pipeline->batches + 1) % RESOLVE_PIPELINE_BATCHES];
}

/* Let the workers begin. */
static void start(struct resolve_pipeline *pipeline)
{
	struct resolve_task tasks[RESOLVE_MAX_TASKS];
	size_t n = 0;

	if (pipeline->adds_in_parallel && pipeline->joining)
		tasks[n++] = (struct resolve_task){ join_batch, pipeline };
	if (pipeline->adding)
		tasks[n++] = (struct resolve_task){ add_batch, pipeline };
	if (pipeline->unwinding->n_plain)
		tasks[n++] = (struct resolve_task){ count_batch, pipeline };
	resolve_walkers_start(pipeline->walkers, pipeline->unwinding, tasks, n);
}

/* Add the batch that was to be joined, and join its stacks on the way. */
static struct pd_error *add_joining(struct resolve_pipeline *pipeline)
{
	struct resolve_batch *batch = take_ptr(pipeline->joining);

	if (!batch)
		return NULL;
	struct pd_error *err = resolve_assemble(pipeline->assembler, batch);
	resolve_batch_clear(batch);
	return err;
}

struct pd_error *resolve_pipeline_switch(struct resolve_pipeline *pipeline)
{
	struct pd_error *err = resolve_pipeline_wait(pipeline);

	if (err)
		return err;
	pipeline->switched_at = base_clock_now();
	pipeline->adding = pipeline->joining;
	pipeline->joining = pipeline->unwinding;
	pipeline->unwinding = pipeline->filling;
	pipeline->filling = after(pipeline, pipeline->filling);
	start(pipeline);
	return pipeline->adds_in_parallel ? NULL : add_joining(pipeline);
}
