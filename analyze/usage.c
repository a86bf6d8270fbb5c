#include "analyze/usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"

/* A process, and the thread after which it is named. */
struct process {
	uint32_t pid;
	uint64_t period;
	struct prof_string_id name;
	/** The name is that of the main thread. */
	bool is_main;
	uint64_t period_of_name;
};

struct counter {
	const struct profile *profile;
	struct ana_usage *usage;
	/** Sums of the periods by thread id; has_samples: the thread has any. */
	uint64_t *periods;
	bool *has_samples;
	/** Process ids, and the processes by their index. */
	struct base_intern pids;
	PD_VEC(struct process) processes;
	struct base_intern tids;
	/** Names of processes; usage->programs has the same indexes. */
	struct base_intern names;
};

bool ana_is_idle(const struct profile *profile, const struct prof_thread *thread)
{
	return thread->pid == 0 && strcmp(prof_string(profile, thread->comm), "swapper") == 0;
}

static void count_samples(struct counter *c, struct prof_event_id event)
{
	for (struct prof_sample_id id = { 0 }; id.i < c->profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(c->profile, id);

		if (!prof_same_event(sample->event, event))
			continue;
		c->periods[sample->thread.i] += prof_value(c->profile, id)->period;
		c->has_samples[sample->thread.i] = true;
	}
}

/* Name @p process after its main thread, or else after the thread with most samples. */
static void name_process(struct process *process, const struct prof_thread *thread, uint64_t period)
{
	bool is_main = thread->tid == thread->pid;

	if (process->is_main && !is_main)
		return;
	if (process->is_main == is_main && period < process->period_of_name)
		return;
	process->name = thread->comm;
	process->is_main = is_main;
	process->period_of_name = period;
}

static bool count_thread(struct counter *c, struct prof_thread_id id)
{
	const struct prof_thread *thread = prof_thread(c->profile, id);
	uint64_t period = c->periods[id.i];

	if (!c->has_samples[id.i])
		return true;
	if (ana_is_idle(c->profile, thread)) {
		c->usage->idle += period;
		c->usage->has_idle = true;
		return true;
	}
	uint32_t index = base_intern_add(&c->pids, &thread->pid, sizeof(thread->pid));
	if (index == PD_INTERN_NONE ||
		base_intern_add(&c->tids, &thread->tid, sizeof(thread->tid)) == PD_INTERN_NONE)
		return false;
	const struct process process = { .pid = thread->pid, .name = thread->comm };
	if (index == c->processes.n && !pd_vec_push(&c->processes, process))
		return false;
	c->processes.data[index].period += period;
	c->usage->busy += period;
	name_process(&c->processes.data[index], thread, period);
	return true;
}

/* A main thread without samples of the event names its process, too. */
static void name_after_main(struct counter *c, struct process *process)
{
	struct prof_string_id name;

	if (!process->is_main && prof_find_process(c->profile, process->pid, &name))
		process->name = name;
}

static bool count_process(struct counter *c, const struct process *process)
{
	const struct ana_program program = { .name = process->name };
	uint32_t index = base_intern_add(&c->names, &process->name, sizeof(process->name));

	if (index == PD_INTERN_NONE)
		return false;
	if (index == c->usage->programs.n && !pd_vec_push(&c->usage->programs, program))
		return false;
	c->usage->programs.data[index].period += process->period;
	c->usage->programs.data[index].n_processes++;
	return true;
}

/* Ties are broken by the name's id, which is the order in which names were met. */
static int compare(const void *a, const void *b)
{
	const struct ana_program *x = a, *y = b;

	if (x->period != y->period)
		return x->period < y->period ? 1 : -1;
	return x->name.i < y->name.i ? -1 : x->name.i > y->name.i;
}

static bool count(struct counter *c, struct prof_event_id event)
{
	struct ana_usage *usage = c->usage;

	if (!c->periods || !c->has_samples)
		return false;
	count_samples(c, event);
	for (struct prof_thread_id id = { 0 }; id.i < c->profile->threads.n; id.i++) {
		if (!count_thread(c, id))
			return false;
	}
	for (size_t i = 0; i < c->processes.n; i++) {
		name_after_main(c, &c->processes.data[i]);
		if (!count_process(c, &c->processes.data[i]))
			return false;
	}
	usage->is_of_machine = usage->has_idle ||
			       (prof_event(c->profile, event)->is_of_cpus && usage->programs.n > 1);
	usage->n_processes = c->processes.n;
	usage->n_threads = c->tids.n;
	if (usage->programs.n)
		qsort(usage->programs.data, usage->programs.n, sizeof(*usage->programs.data),
			compare);
	return true;
}

struct pd_error *ana_usage_count(
	const struct profile *profile, struct prof_event_id event, struct ana_usage *ret)
{
	_cleanup_free_ uint64_t *periods = base_calloc_n(profile->threads.n, sizeof(*periods));
	_cleanup_free_ bool *has_samples = base_calloc_n(profile->threads.n, sizeof(*has_samples));
	struct counter c = {
		.profile = profile,
		.usage = ret,
		.periods = periods,
		.has_samples = has_samples,
	};

	*ret = (struct ana_usage){ 0 };
	bool ok = count(&c, event);
	base_intern_deinit(&c.pids);
	base_intern_deinit(&c.tids);
	base_intern_deinit(&c.names);
	pd_vec_deinit(&c.processes);
	if (ok)
		return NULL;
	ana_usage_deinit(ret);
	return &pd_enomem;
}

void ana_usage_deinit(struct ana_usage *usage)
{
	pd_vec_deinit(&usage->programs);
}
