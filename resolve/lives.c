#include "resolve/lives.h"

void resolve_lives_deinit(struct resolve_lives *lives)
{
	base_map_deinit(&lives->births);
	pd_vec_deinit(&lives->ended);
}

static uint64_t task_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

static bool begin(struct resolve_lives *lives, const struct pd_fork *fork)
{
	uint64_t *birth = base_map_add(&lives->births, task_key(fork->pid, fork->tid), NULL);

	if (!birth)
		return false;
	*birth = fork->time + 1;
	return true;
}

static bool end(struct resolve_lives *lives, const struct pd_fork *exit)
{
	uint64_t task = task_key(exit->pid, exit->tid);
	uint64_t *birth = base_map_find(&lives->births, task);

	if (!birth || !*birth || exit->time < *birth)
		return true;
	const struct resolve_life life = { task, exit->time + 1 - *birth };
	*birth = 0;
	return pd_vec_push(&lives->ended, life);
}

struct pd_error *resolve_lives_take_record(
	struct resolve_lives *lives, const struct pd_record *rec, size_t sid_bytes)
{
	union pd_body body;
	const char *wrong;

	if (rec->type != PD_RECORD_FORK && rec->type != PD_RECORD_EXIT)
		return NULL;
	/*
	 * Invalid records are reported when processes are replayed. Tasks that existed before the
	 * recording have no time.
	 */
	if (!pd_record_decode(rec, sid_bytes, &body, &wrong) || !body.fork.time ||
		rec->misc & PD_MISC_FORK_EXEC)
		return NULL;
	bool ok = rec->type == PD_RECORD_FORK ? begin(lives, &body.fork) : end(lives, &body.fork);
	return ok ? NULL : &pd_enomem;
}

/* Find the event that samples time most often. Refers to nothing if no event does. */
static struct prof_event_id find_event(const struct profile *profile)
{
	struct prof_event_id best = prof_no_event();

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		uint64_t period = prof_event(profile, id)->period_ns;

		if (period && (prof_is_none(best) || period < prof_event(profile, best)->period_ns))
			best = id;
	}
	return best;
}

/*
 * Collect the tasks that lived shorter than the period: a map from the task to the sum of its
 * lives. Task numbers are used again. If any life was longer, the value is UINT64_MAX: samples do
 * not say which life they belong to.
 */
static bool find_short(const struct resolve_lives *lives, uint64_t period, struct base_map *tasks)
{
	for (size_t i = 0; i < lives->ended.n; i++) {
		const struct resolve_life *life = &lives->ended.data[i];
		uint64_t *sum = base_map_add(tasks, life->task, NULL);

		if (!sum)
			return false;
		if (life->length >= period)
			*sum = UINT64_MAX;
		else if (*sum != UINT64_MAX)
			*sum += life->length;
	}
	return true;
}

static void count_samples(struct profile *profile, struct prof_event_id event,
	const struct base_map *tasks, struct prof_short_lives *ret)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		const struct prof_thread *thread = prof_thread(profile, sample->thread);

		if (sample->event.i != event.i)
			continue;
		const uint64_t *sum = base_map_find(tasks, task_key(thread->pid, thread->tid));
		if (sum && *sum != UINT64_MAX)
			ret->n_samples += prof_value(profile, id)->samples;
	}
}

struct pd_error *resolve_lives_finish(const struct resolve_lives *lives, struct profile *profile)
{
	struct prof_short_lives *stats = &profile->stats.short_lives;
	struct prof_event_id event = find_event(profile);
	struct base_map tasks = { 0 };

	if (prof_is_none(event) || !lives->ended.n)
		return NULL;
	stats->period_ns = prof_event(profile, event)->period_ns;
	bool ok = find_short(lives, stats->period_ns, &tasks);
	base_map_each(slot, &tasks)
	{
		if (slot->value == UINT64_MAX)
			continue;
		stats->n_tasks++;
		stats->total_ns += slot->value;
	}
	if (ok && stats->n_tasks)
		count_samples(profile, event, &tasks, stats);
	base_map_deinit(&tasks);
	return ok ? NULL : &pd_enomem;
}
