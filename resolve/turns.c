#include "resolve/turns.h"

#include "base/cleanup.h"
#include "base/clock.h"

struct pd_error *resolve_turns_init(struct resolve_turns *turns, bool has_walks)
{
	turns->run = turns->adds_in_parallel && !has_walks ? RESOLVE_TURNS_RUN : 0;
	/* Alone, a thread adds a batch and then fills it again, while it is in the cache. */
	turns->n_batches = turns->run ? RESOLVE_TURNS_BATCHES : turns->adds_in_parallel ? 3 : 2;
	turns->filling = &turns->batches[0];
	for (size_t i = 0; i < turns->n_batches; i++) {
		struct pd_error *err = resolve_batch_init(&turns->batches[i]);
		if (err)
			return err;
	}
	return NULL;
}

void resolve_turns_deinit(struct resolve_turns *turns)
{
	for (size_t i = 0; i < turns->n_batches; i++)
		resolve_batch_deinit(&turns->batches[i]);
	pd_error_destroy(turns->adding_err);
}

/* Return batch @p i, counted from the oldest one. */
static struct resolve_batch *batch_at(struct resolve_turns *turns, size_t i)
{
	return &turns->batches[(turns->oldest + i) % turns->n_batches];
}

static void add_batches(void *ctx)
{
	struct resolve_turns *turns = ctx;

	for (size_t i = 0; i < turns->n_adding && !turns->adding_err; i++)
		turns->adding_err = resolve_assemble(turns->assembler, batch_at(turns, i));
}

/* Go on after batches were added to the profile. */
static struct pd_error *finish_adding(struct resolve_turns *turns)
{
	struct pd_error *err = take_ptr(turns->adding_err);

	if (!err)
		err = resolve_assembler_settle(turns->assembler);
	for (size_t i = 0; i < turns->n_adding; i++)
		resolve_batch_clear(batch_at(turns, i));
	turns->oldest = (turns->oldest + turns->n_adding) % turns->n_batches;
	turns->n_adding = 0;
	return err;
}

struct pd_error *resolve_turns_wait(struct resolve_turns *turns)
{
	struct pd_error *err = resolve_walkers_finish(turns->walkers, turns->frames);

	if (!turns->n_adding)
		return err;
	struct pd_error *adding_err = finish_adding(turns);
	/* The samples that were added are the older ones. */
	if (adding_err)
		pd_error_destroy(err);
	return adding_err ? adding_err : err;
}

/* Make all full batches but the newest those that are being added. At least one is full. */
static void choose_adding(struct resolve_turns *turns)
{
	turns->n_adding = turns->n_full - 1;
	turns->n_full = 1;
}

static struct pd_error *add_here(struct resolve_turns *turns)
{
	add_batches(turns);
	return finish_adding(turns);
}

static void fill_next(struct resolve_turns *turns)
{
	turns->filling = batch_at(turns, turns->n_adding + turns->n_full);
}

struct pd_error *resolve_turns_switch(struct resolve_turns *turns)
{
	struct resolve_batch *newest = turns->filling;
	struct pd_error *err = resolve_turns_wait(turns);

	if (err)
		return err;
	turns->switched_at = pd_clock_now();
	turns->n_full++;
	choose_adding(turns);
	const bool in_parallel = turns->adds_in_parallel && turns->n_adding;
	const struct resolve_task task = { in_parallel ? add_batches : NULL, turns };
	resolve_walkers_start(turns->walkers, newest, &task);
	if (!turns->adds_in_parallel)
		err = add_here(turns);
	fill_next(turns);
	return err;
}

struct pd_error *resolve_turns_next(struct resolve_turns *turns)
{
	if (turns->n_full >= turns->run)
		return resolve_turns_switch(turns);
	turns->n_full++;
	fill_next(turns);
	return NULL;
}

struct pd_error *resolve_turns_catch_up(struct resolve_turns *turns)
{
	struct pd_error *err = turns->n_adding ? resolve_turns_wait(turns) : NULL;

	if (err || turns->n_full <= 1)
		return err;
	choose_adding(turns);
	return add_here(turns);
}
