#include "ledger/task.h"

#include <string.h>

enum { ALL_SOURCES = LED_BY_TRACEPOINT | LED_BY_RECORD };

struct led_task led_task_known(uint32_t pid, uint32_t tid)
{
	return (struct led_task){
		.pid = pid,
		.tid = tid,
		.name = LED_NONE,
		.cpu = LED_NONE,
		.state = LED_UNSEEN,
		.first = LED_UNSEEN,
		.parent = LED_NONE,
	};
}

struct led_task led_task_born(uint32_t pid, uint32_t tid, uint64_t time)
{
	struct led_task task = led_task_known(pid, tid);

	task.state = LED_RUNNABLE;
	task.born = task.since = time;
	/* Whatever records that it leaves a CPU has not recorded that it got one. */
	task.sources = ALL_SOURCES;
	task.is_own = true;
	return task;
}

bool led_task_is_untouched(const struct led_task *task)
{
	return !task->n_runs && !task->n_waits && !task->n_preemptions && !task->loose_ns &&
	       task->since == task->born;
}

static void keep(struct led_task *task, struct led_timeline *timeline, enum led_state state,
	bool is_inferred)
{
	const struct led_phase phase = {
		.begin = task->since,
		.previous = task->last_phase,
		.waker = LED_NONE,
		.cpu = task->cpu,
		.state = (uint16_t)state,
		.is_inferred = is_inferred,
		.is_disk = state == LED_BLOCKED && task->is_disk,
	};

	led_timeline_add(timeline, &phase, &task->last_phase);
}

/* Count the time until now for a state. Times do not go back. */
static void settle(struct led_task *task, struct led_timeline *timeline, uint64_t time,
	enum led_state state, bool is_inferred)
{
	if (time < task->since)
		return;
	uint64_t ns = led_timeline_ns(timeline, task->since, time);

	if (!task->since)
		task->first = state;
	task->ns[state] += ns;
	if (is_inferred)
		task->inferred[state] += ns;
	if (timeline->on_blocked && state == LED_BLOCKED && ns)
		timeline->on_blocked(timeline->ctx, task->tid, task->since, ns);
	if (timeline->is_kept && time > task->since)
		keep(task, timeline, state, is_inferred);
	task->since = time;
}

/* Count the time of a task that turns out to have been off the CPU, unless it has also run. */
static void settle_off(
	struct led_task *task, struct led_timeline *timeline, uint64_t time, enum led_state state)
{
	bool has_run = task->last_ran && task->last_ran >= task->since;

	settle(task, timeline, time, has_run ? LED_UNKNOWN : state, !has_run);
}

/* Whether the task counts as running. After EXIT, its last switch may not be recorded. */
static bool is_running(const struct led_task *task)
{
	return task->state == LED_RUNNING && !task->exits;
}

static void change(struct led_task *task, struct led_timeline *timeline, enum led_state state)
{
	timeline->n_running -= is_running(task);
	task->state = state;
	timeline->n_running += is_running(task);
}

static void enter(struct led_task *task, struct led_timeline *timeline, enum led_state state,
	unsigned sources)
{
	change(task, timeline, state);
	task->sources = sources;
	task->is_woken_early = task->is_disk = false;
}

bool led_task_begins_to_run(struct led_task *task, struct led_timeline *timeline, uint64_t time,
	unsigned source, bool has_wakes)
{
	switch (task->state) {
	case LED_RUNNING:
		if (!(task->sources & source)) {
			task->sources |= source;
			return false;
		}
		settle(task, timeline, time, LED_UNKNOWN, false);
		break;
	case LED_UNSEEN:
		/* If it had been blocked, it would have been woken. */
		settle_off(task, timeline, time, has_wakes ? LED_RUNNABLE : LED_BLOCKED);
		break;
	case LED_BLOCKED:
		settle(task, timeline, time, task->is_woken_early ? LED_RUNNABLE : LED_BLOCKED,
			false);
		break;
	default:
		settle(task, timeline, time, task->state, false);
	}
	task->n_runs++;
	enter(task, timeline, LED_RUNNING, source);
	return true;
}

bool led_task_stops(struct led_task *task, struct led_timeline *timeline, uint64_t time,
	unsigned source, enum led_reason reason)
{
	bool is_woken_early = task->is_woken_early;

	switch (task->state) {
	case LED_RUNNING:
		settle(task, timeline, time, LED_RUNNING, false);
		break;
	case LED_UNSEEN:
		settle(task, timeline, time, LED_RUNNING, true);
		break;
	default:
		if (!(task->sources & source)) {
			task->sources |= source;
			return false;
		}
		settle(task, timeline, time, LED_UNKNOWN, false);
		is_woken_early = false;
	}
	if (reason == LED_DIES) {
		change(task, timeline, LED_GONE);
		task->ended = time;
		return true;
	}
	task->n_preemptions += reason == LED_PREEMPTED;
	task->n_waits += reason == LED_BLOCKS;
	enter(task, timeline, reason == LED_PREEMPTED ? LED_RUNNABLE : LED_BLOCKED, source);
	task->is_woken_early = is_woken_early;
	return true;
}

bool led_task_wakes(struct led_task *task, struct led_timeline *timeline, uint64_t time)
{
	/* The waker may be earlier than the switch of a thread that is about to block. */
	if (task->state == LED_RUNNING)
		task->is_woken_early = true;
	if (task->state != LED_BLOCKED && task->state != LED_UNSEEN)
		return false;
	if (task->state == LED_UNSEEN)
		settle_off(task, timeline, time, LED_BLOCKED);
	else
		settle(task, timeline, time, LED_BLOCKED, false);
	/* A second record of the same switch may follow. */
	enter(task, timeline, LED_RUNNABLE, task->sources);
	return true;
}

void led_task_ran(struct led_task *task, struct led_timeline *timeline, uint64_t time)
{
	settle(task, timeline, time, LED_RUNNING, true);
}

void led_task_exits(struct led_task *task, struct led_timeline *timeline, uint64_t time)
{
	if (task->state == LED_GONE || task->exits)
		return;
	if (task->state == LED_UNSEEN)
		settle(task, timeline, time, LED_RUNNING, true);
	else
		settle(task, timeline, time, task->state == LED_RUNNING ? LED_RUNNING : LED_UNKNOWN,
			false);
	if (task->state != LED_RUNNING)
		enter(task, timeline, LED_RUNNING, ALL_SOURCES);
	timeline->n_running -= is_running(task);
	task->exits = time;
	memcpy(task->ns_at_exit, task->ns, sizeof(task->ns));
}

void led_task_waited(
	struct led_task *task, struct led_timeline *timeline, uint64_t time, uint64_t ns)
{
	uint64_t start = ns < time ? time - ns : 0;

	settle(task, timeline, start, LED_UNKNOWN, false);
	settle(task, timeline, time, LED_BLOCKED, false);
	task->n_waits++;
	enter(task, timeline, LED_UNSEEN, 0);
}

void led_task_lost(
	struct led_task *task, struct led_timeline *timeline, uint64_t from, uint64_t time)
{
	if (task->state == LED_GONE)
		return;
	if (from > task->since && task->state != LED_UNSEEN)
		settle(task, timeline, from, task->state, false);
	led_task_lose(task, timeline, time);
}

void led_task_lose(struct led_task *task, struct led_timeline *timeline, uint64_t time)
{
	if (task->state == LED_GONE)
		return;
	settle(task, timeline, time, LED_UNKNOWN, false);
	enter(task, timeline, LED_UNSEEN, 0);
}

void led_task_end(
	struct led_task *task, struct led_timeline *timeline, uint64_t time, enum led_state state)
{
	if (task->state == LED_GONE)
		return;
	if (task->exits) {
		memcpy(task->ns, task->ns_at_exit, sizeof(task->ns));
		task->ended = task->exits;
	} else {
		settle(task, timeline, time, state, false);
	}
	change(task, timeline, LED_GONE);
}
