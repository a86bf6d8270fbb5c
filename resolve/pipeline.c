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
}

static void add_batch(void *ctx)
{
	struct resolve_pipeline *pipeline = ctx;

	pipeline->adding_err = resolve_assemble(pipeline->assembler, pipeline->adding);
}

static void count_batch(void *ctx)
{
	struct resolve_pipeline *pipeline = ctx;

	resolve_tally_count(pipeline->tally, pipeline->unwinding);
}

/* Go on after a batch was added to the profile. */
static struct pd_error *finish_adding(struct resolve_pipeline *pipeline)
{
	struct pd_error *err = take_ptr(pipeline->adding_err);

	resolve_batch_clear(pipeline->adding);
	pipeline->adding = NULL;
	return err;
}

struct pd_error *resolve_pipeline_wait(struct resolve_pipeline *pipeline)
{
	struct pd_error *err = resolve_walkers_finish(pipeline->walkers, pipeline->frames);

	if (!pipeline->adding)
		return err;
	struct pd_error *adding_err = finish_adding(pipeline);
	/* The samples that were added are the older ones. */
	if (adding_err)
		pd_error_destroy(err);
	return adding_err ? adding_err : err;
}

/* The batch after @p batch in the ring. */
static struct resolve_batch *after(
	struct resolve_pipeline *pipeline, const struct resolve_batch *batch)
{
	return &pipeline->batches[(batch - pipeline->batches + 1) % RESOLVE_PIPELINE_BATCHES];
}

struct pd_error *resolve_pipeline_switch(struct resolve_pipeline *pipeline)
{
	struct pd_error *err = resolve_pipeline_wait(pipeline);

	if (err)
		return err;
	pipeline->switched_at = base_clock_now();
	pipeline->adding = pipeline->unwinding;
	pipeline->unwinding = pipeline->filling;
	pipeline->filling = after(pipeline, pipeline->filling);
	struct resolve_task tasks[RESOLVE_MAX_TASKS];
	size_t n = 0;
	if (pipeline->adds_in_parallel && pipeline->adding)
		tasks[n++] = (struct resolve_task){ add_batch, pipeline };
	if (pipeline->unwinding->n_plain)
		tasks[n++] = (struct resolve_task){ count_batch, pipeline };
	resolve_walkers_start(pipeline->walkers, pipeline->unwinding, tasks, n);
	if (pipeline->adds_in_parallel || !pipeline->adding)
		return NULL;
	add_batch(pipeline);
	return finish_adding(pipeline);
}
