#include "resolve/turns.h"

#include "base/cleanup.h"
#include "base/clock.h"

struct pd_error *resolve_turns_init(struct resolve_turns *turns)
{
	turns->filling = &turns->batches[0];
	for (size_t i = 0; i < RESOLVE_TURNS_BATCHES; i++) {
		struct pd_error *err = resolve_batch_init(&turns->batches[i]);
		if (err)
			return err;
	}
	return NULL;
}

void resolve_turns_deinit(struct resolve_turns *turns)
{
	for (size_t i = 0; i < RESOLVE_TURNS_BATCHES; i++)
		resolve_batch_deinit(&turns->batches[i]);
	pd_error_destroy(turns->adding_err);
}

static void add_batch(void *ctx)
{
	struct resolve_turns *turns = ctx;

	turns->adding_err = resolve_assemble(turns->assembler, turns->adding);
}

static void count_batch(void *ctx)
{
	struct resolve_turns *turns = ctx;

	resolve_tally_count(turns->tally, turns->unwinding);
}

/* Go on after a batch was added to the profile. */
static struct pd_error *finish_adding(struct resolve_turns *turns)
{
	struct pd_error *err = take_ptr(turns->adding_err);

	resolve_batch_clear(turns->adding);
	turns->adding = NULL;
	return err;
}

struct pd_error *resolve_turns_wait(struct resolve_turns *turns)
{
	struct pd_error *err = resolve_walkers_finish(turns->walkers, turns->frames);

	if (!turns->adding)
		return err;
	struct pd_error *adding_err = finish_adding(turns);
	/* The samples that were added are the older ones. */
	if (adding_err)
		pd_error_destroy(err);
	return adding_err ? adding_err : err;
}

/* The batch after @p batch in the ring. */
static struct resolve_batch *after(struct resolve_turns *turns, const struct resolve_batch *batch)
{
	return &turns->batches[(batch - turns->batches + 1) % RESOLVE_TURNS_BATCHES];
}

struct pd_error *resolve_turns_switch(struct resolve_turns *turns)
{
	struct pd_error *err = resolve_turns_wait(turns);

	if (err)
		return err;
	turns->switched_at = pd_clock_now();
	turns->adding = turns->unwinding;
	turns->unwinding = turns->filling;
	turns->filling = after(turns, turns->filling);
	struct resolve_task tasks[RESOLVE_MAX_TASKS];
	size_t n = 0;
	if (turns->adds_in_parallel && turns->adding)
		tasks[n++] = (struct resolve_task){ add_batch, turns };
	if (turns->unwinding->n_plain)
		tasks[n++] = (struct resolve_task){ count_batch, turns };
	resolve_walkers_start(turns->walkers, turns->unwinding, tasks, n);
	if (turns->adds_in_parallel || !turns->adding)
		return NULL;
	add_batch(turns);
	return finish_adding(turns);
}
