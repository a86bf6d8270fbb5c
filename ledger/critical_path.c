#include "ledger/critical_path.h"

#include <stdlib.h>

#include "base/array.h"

/* The phase of a task at which the search has arrived. */
struct place {
	bool is_known;
	/* Index + 1; 0: the task did not exist. */
	uint32_t phase;
	/* When the phase ends. */
	uint64_t end;
	/* CPU on which the task ran after it. */
	uint32_t next_cpu;
};

struct search {
	const struct ledger *ledger;
	struct led_path *ret;
	/* Indexed by task. Times never increase, so each moves through its list once. */
	struct place *places;
	/* Index + 1 of the turn at which the search has arrived, by CPU. */
	uint32_t *turns;
	/*
	 * A wait that a kernel thread ended, unless task is LED_NONE. The path is in kernel threads
	 * that serve the task, as long as it waits.
	 */
	struct led_step served;
	/* The task that is on the path just before this time. */
	uint32_t task;
	uint64_t time;
	/* Where the path begins. */
	uint64_t start;
};

void led_path_deinit(struct led_path *path)
{
	pd_vec_deinit(&path->steps);
}

static const struct led_phase *phase_at(const struct search *s, uint32_t number)
{
	return number ? &s->ledger->timeline.phases.data[number - 1] : NULL;
}

/* Find what a task did just before the present time. */
static const struct place *find_place(struct search *s, uint32_t index)
{
	const struct led_task *task = &s->ledger->tasks.data[index];
	struct place *place = &s->places[index];
	const struct led_phase *phase;

	if (!place->is_known)
		*place = (struct place){ true, task->last_phase, task->since, task->cpu };
	while ((phase = phase_at(s, place->phase)) && phase->begin >= s->time) {
		place->phase = phase->previous;
		place->end = phase->begin;
		if (phase->state == LED_RUNNING)
			place->next_cpu = phase->cpu;
	}
	return place;
}

/*
 * Whether the path can lead to a task that has done something at the present time: it ran, unless
 * that contradicts what was recorded. If a switch is missing, the state is unknown.
 */
static bool ran(struct search *s, uint32_t index)
{
	if (index == LED_NONE || index == LED_IDLE_TASK || led_waker_is_interrupt(index))
		return false;
	const struct place *place = find_place(s, index);
	const struct led_phase *phase = phase_at(s, place->phase);

	return phase && place->end >= s->time &&
	       (phase->state == LED_RUNNING || phase->state == LED_UNKNOWN);
}

/* Put the time since @p from on the path, and go on there. */
static struct pd_error *add(struct search *s, const struct led_step *step)
{
	size_t n = s->ret->steps.n;
	struct led_step *last = n ? &s->ret->steps.data[n - 1] : NULL;

	s->time = step->range.from;
	if (last && last->task == step->task && last->state == step->state &&
		last->instead == step->instead && last->since == step->since) {
		last->range.from = step->range.from;
		return NULL;
	}
	return pd_vec_push(&s->ret->steps, *step) ? NULL : &pd_enomem;
}

/* The last turn of a CPU that began before the present time; NULL: none. */
static const struct led_turn *find_turn(struct search *s, uint32_t cpu)
{
	const uint64_t *at = cpu == LED_NONE ? NULL : base_map_find(&s->ledger->by_cpu, cpu);
	const struct led_turn *turns = s->ledger->timeline.turns.data;

	if (!at || *at >= s->ledger->cpus.n)
		return NULL;
	uint32_t *number = &s->turns[*at];
	while (*number && turns[*number - 1].begin >= s->time)
		*number = turns[*number - 1].previous;
	return *number ? &turns[*number - 1] : NULL;
}

/* Add a time in which the task was runnable, divided by what had the CPU. */
static struct pd_error *add_runnable(struct search *s, struct led_step step, uint32_t cpu)
{
	uint64_t from = step.range.from;
	struct pd_error *err = NULL;

	/* Without the switches of all threads, only the next one is known. */
	if (!s->ledger->is_of_cpus)
		cpu = LED_NONE;
	while (!err && s->time > from) {
		const struct led_turn *turn = find_turn(s, cpu);
		bool is_known = turn && turn->task != s->task;

		step.range = (struct led_range){ turn && turn->begin > from ? turn->begin : from,
			s->time };
		step.instead = is_known ? turn->task : LED_NONE;
		err = add(s, &step);
	}
	return err;
}

/*
 * Go from a wait to the task that ended it. Kernel threads are on the path only while another
 * thread waits for them: before that, they did something else, or waited for work.
 */
static void follow_waker(struct search *s, const struct led_step *wait, uint32_t waker)
{
	const struct ledger *l = s->ledger;

	if (!led_is_kernel(l, &l->tasks.data[waker]))
		s->served.task = LED_NONE;
	else if (s->served.task == LED_NONE && !led_is_kernel(l, &l->tasks.data[wait->task]))
		s->served = *wait;
	s->task = waker;
}

/* The wait for a kernel thread began here. */
static struct pd_error *end_service(struct search *s)
{
	s->task = s->served.task;
	s->served.task = LED_NONE;
	return NULL;
}

/* An interrupt, such as that of a disk, ended the rest of the wait for a kernel thread. */
static struct pd_error *return_to_served(struct search *s)
{
	struct led_step step = s->served;

	s->task = step.task;
	s->served.task = LED_NONE;
	step.range.to = s->time;
	return add(s, &step);
}

/* Go on in the task that created this one. Before its birth, nothing is known of a task. */
static struct pd_error *leave_life(struct search *s)
{
	uint32_t parent = s->ledger->tasks.data[s->task].parent;
	const struct led_step step = {
		.range = { s->start, s->time },
		.task = s->task,
		.instead = LED_NONE,
		.interrupt = LED_NONE,
		.state = LED_UNKNOWN,
		.since = s->start,
		.until = s->time,
	};

	if (!ran(s, parent))
		return s->served.task != LED_NONE ? return_to_served(s) : add(s, &step);
	s->task = parent;
	return NULL;
}

static struct pd_error *find_step(struct search *s)
{
	const struct place place = *find_place(s, s->task);
	const struct led_phase *phase = phase_at(s, place.phase);
	struct led_step step = { .task = s->task, .instead = LED_NONE, .interrupt = LED_NONE };

	if (!phase)
		return leave_life(s);
	bool is_served = s->served.task != LED_NONE;
	uint64_t start = is_served ? s->served.range.from : s->start;
	step.state = led_state_of(s->ledger, phase, s->time, &step.since);
	step.range.from = step.since > start ? step.since : start;
	step.range.to = s->time;
	step.until = place.end;
	if (step.state == LED_BLOCKED && led_waker_is_interrupt(phase->waker))
		step.interrupt = phase->waker;
	if (is_served && s->time <= start)
		return end_service(s);
	/* A wait that is not over at the end of the path has no waker. */
	if (step.state == LED_BLOCKED && place.end == s->time && ran(s, phase->waker)) {
		follow_waker(s, &step, phase->waker);
		return NULL;
	}
	if (is_served && step.state == LED_BLOCKED)
		return return_to_served(s);
	return step.state == LED_RUNNABLE ? add_runnable(s, step, place.next_cpu) : add(s, &step);
}

static void reverse(struct led_path *path)
{
	for (size_t i = 0, k = path->steps.n; i + 1 < k; i++) {
		struct led_step step = path->steps.data[i];

		path->steps.data[i] = path->steps.data[--k];
		path->steps.data[k] = step;
	}
}

struct led_range led_path_range(const struct ledger *ledger, const struct led_task *task)
{
	struct led_range life = led_life(ledger, task);

	/* No state is known before the tracepoints were enabled. */
	if (ledger->sources == LED_BY_TRACEPOINT && ledger->covered_from > life.from &&
		ledger->covered_from < life.to)
		life.from = ledger->covered_from;
	return life;
}

struct pd_error *led_path_find(const struct ledger *ledger, uint32_t task, struct led_path *ret)
{
	struct led_range life = led_path_range(ledger, &ledger->tasks.data[task]);
	struct search s = {
		.ledger = ledger,
		.ret = ret,
		.places = base_calloc_n(ledger->tasks.n, sizeof(*s.places)),
		.turns = base_calloc_n(ledger->cpus.n, sizeof(*s.turns)),
		.task = task,
		.time = life.to,
		.start = life.from,
		.served.task = LED_NONE,
	};
	struct pd_error *err = s.places && s.turns ? NULL : &pd_enomem;

	*ret = (struct led_path){ 0 };
	for (size_t i = 0; !err && i < ledger->cpus.n; i++)
		s.turns[i] = ledger->cpus.data[i].last_turn;
	while (!err && s.time > s.start)
		err = find_step(&s);
	reverse(ret);
	free(s.places);
	free(s.turns);
	return err;
}
