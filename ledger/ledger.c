#include "ledger/ledger.h"

void led_init(struct ledger *l)
{
	*l = (struct ledger){ .first = UINT64_MAX };
}

void led_deinit(struct ledger *l)
{
	pd_vec_deinit(&l->tasks);
	pd_vec_deinit(&l->cpus);
	pd_vec_deinit(&l->wakers);
	pd_vec_deinit(&l->losses);
	base_map_deinit(&l->by_tid);
	base_map_deinit(&l->by_cpu);
	base_map_deinit(&l->by_waker);
	base_map_deinit(&l->cpus_of_tasks);
	base_map_deinit(&l->programs);
	led_timeline_deinit(&l->timeline);
	base_spill_deinit(&l->delays.list);
}

void led_moment(struct ledger *l, uint64_t time)
{
	if (time < l->first)
		l->first = time;
	if (time > l->last)
		l->last = time;
}

/* The idle tasks of all CPUs have the number 0, and exited threads have -1. */
static bool is_thread(uint32_t tid)
{
	return tid && tid != LED_NO_TID;
}

/*
 * Find the first loss that concerns a task. The records of other CPUs than the one on which it runs
 * are complete. After many of those, any loss counts, so that the search is short.
 */
static size_t find_loss(const struct ledger *l, const struct led_task *task)
{
	enum { MOST = 1000 };

	for (size_t i = task->n_losses; i < l->losses.n; i++) {
		uint32_t cpu = l->losses.data[i].cpu;

		if (task->state != LED_RUNNING || cpu == LED_NONE || cpu == task->cpu ||
			i - task->n_losses > MOST)
			return i;
	}
	return l->losses.n;
}

/* Nothing is known about a task between the first loss that concerns it and the last one. */
static void apply_losses(struct ledger *l, struct led_task *task)
{
	size_t i = find_loss(l, task);

	if (i < l->losses.n)
		led_task_lost(task, &l->timeline, l->losses.data[i].from,
			l->losses.data[l->losses.n - 1].time);
	task->n_losses = l->losses.n;
}

/* The last life of a thread; NULL: there is none. */
static struct led_task *find(struct ledger *l, uint32_t tid)
{
	const uint64_t *at = base_map_find(&l->by_tid, tid);

	if (!at || !*at)
		return NULL;
	apply_losses(l, &l->tasks.data[*at - 1]);
	return &l->tasks.data[*at - 1];
}

/* Begin a life. NULL: no memory. */
static struct led_task *add(struct ledger *l, struct led_task task)
{
	uint64_t *at = base_map_add(&l->by_tid, task.tid, NULL);

	/* A thread that existed before is not known in between. */
	task.n_losses = task.state == LED_UNSEEN ? 0 : l->losses.n;
	if (!at || l->tasks.n >= LED_FIRST_INTERRUPT || !pd_vec_push(&l->tasks, task))
		return NULL;
	*at = l->tasks.n;
	return find(l, task.tid);
}

/*
 * The present life of a thread. If an earlier one is over, another thread got its number, and that
 * was not recorded.
 */
static struct led_task *get(struct ledger *l, uint32_t tid)
{
	struct led_task *task = find(l, tid);

	if (!task)
		return add(l, led_task_known(LED_NONE, tid));
	if (task->state != LED_GONE)
		return task;
	struct led_task next = led_task_known(task->pid, tid);
	next.since = next.born = task->since;
	return add(l, next);
}

/* Records of the CPU were lost until @p time. */
static void lose_cpu(struct ledger *l, struct led_cpu *cpu, uint64_t time)
{
	if (cpu->running == 0)
		led_idle_end(&l->delays.idle, &l->timeline, time);
	led_cpu_lose(cpu, &l->timeline, time);
	led_timeline_turn(&l->timeline, time, LED_NONE, &cpu->last_turn);
}

static struct led_cpu *get_cpu(struct ledger *l, uint32_t number)
{
	bool is_new;
	uint64_t *at = base_map_add(&l->by_cpu, number, &is_new);

	if (!at)
		return NULL;
	if (is_new) {
		*at = l->cpus.n;
		if (!pd_vec_push(&l->cpus, led_cpu_init(number)))
			return NULL;
	}
	if (l->lost_until > l->cpus.data[*at].since)
		lose_cpu(l, &l->cpus.data[*at], l->lost_until);
	return &l->cpus.data[*at];
}

struct pd_error *led_known(struct ledger *l, uint32_t pid, uint32_t tid)
{
	struct led_task *task;

	if (!is_thread(tid))
		return NULL;
	task = find(l, tid);
	if (!task || task->state == LED_GONE)
		task = get(l, tid);
	if (!task)
		return &pd_enomem;
	task->is_own = true;
	if (pid != LED_NONE)
		task->pid = pid;
	return NULL;
}

uint32_t led_parallelism(struct ledger *l, uint32_t tid)
{
	const struct led_task *task = is_thread(tid) ? find(l, tid) : NULL;
	uint32_t n = l->timeline.n_running;

	if (!l->sources)
		return 0;
	n += is_thread(tid) && !(task && task->state == LED_RUNNING && !task->exits);
	return n ? n : 1;
}

bool led_lacks_name(struct ledger *l, uint32_t tid)
{
	const struct led_task *task = find(l, tid);

	return task && task->name == LED_NONE;
}

void led_set_name(struct ledger *l, uint32_t tid, uint32_t name)
{
	struct led_task *task = find(l, tid);

	if (task)
		task->name = name;
}

struct pd_error *led_is_program(struct ledger *l, uint32_t pid)
{
	return base_map_add(&l->programs, pid, NULL) ? NULL : &pd_enomem;
}

void led_set_cgroup(struct ledger *l, uint32_t tid, uint64_t cgroup)
{
	struct led_task *task = is_thread(tid) ? find(l, tid) : NULL;

	if (task)
		task->cgroup = cgroup;
}

/* End a life because another one of the same number begins. */
static void replace(struct ledger *l, struct led_task *task, uint64_t time)
{
	if (task->state == LED_GONE)
		return;
	task->ended = time;
	led_task_end(task, &l->timeline, time, LED_UNKNOWN);
}

/* The thread could run from @p time on. */
static void begin_delay(
	const struct ledger *l, struct led_task *task, uint64_t time, enum led_delay_after after)
{
	task->after = after;
	task->idle_before = led_idle_until(&l->delays.idle, &l->timeline, time);
}

struct pd_error *led_born(struct ledger *l, uint64_t time, const struct led_birth *birth)
{
	const struct led_task *parent = find(l, birth->parent);
	uint32_t parent_index = parent ? (uint32_t)(parent - l->tasks.data) : LED_NONE;
	struct led_task *task = find(l, birth->tid);
	struct led_task fresh = led_task_born(birth->pid, birth->tid, time);

	led_moment(l, time);
	if (!is_thread(birth->tid))
		return NULL;
	if (parent && birth->pid != LED_NONE && base_map_find(&l->programs, parent->pid) &&
		!base_map_add(&l->programs, birth->pid, NULL))
		return &pd_enomem;
	fresh.name = parent ? parent->name : LED_NONE;
	fresh.parent = parent_index;
	fresh.cgroup = parent ? parent->cgroup : 0;
	begin_delay(l, &fresh, time, LED_AFTER_BIRTH);
	if (!task)
		return add(l, fresh) ? NULL : &pd_enomem;
	if (!led_task_is_untouched(task) || task->exits) {
		replace(l, task, time);
		return add(l, fresh) ? NULL : &pd_enomem;
	}
	/* A birth has several records. */
	if (birth->pid != LED_NONE)
		task->pid = birth->pid;
	if (task->parent == LED_NONE)
		task->parent = parent_index;
	if (task->born)
		return NULL;
	fresh.pid = task->pid;
	fresh.name = task->name != LED_NONE ? task->name : fresh.name;
	*task = fresh;
	return NULL;
}

void led_exits(struct ledger *l, uint64_t time, uint32_t tid)
{
	struct led_task *task = find(l, tid);

	led_moment(l, time);
	if (task)
		led_task_exits(task, &l->timeline, time);
}

/* News about a thread from a switch. */
struct news {
	/** Another source has recorded the same. */
	bool is_known;
	/** It contradicts what was recorded before. */
	bool is_contradiction;
};

/* Note that a task has run on its CPU. Returns false if out of memory. */
static bool keep_cpu(struct ledger *l, const struct led_task *task)
{
	return !l->keeps_cpus_of_tasks ||
	       base_map_add(&l->cpus_of_tasks,
		       led_cpu_key((uint32_t)(task - l->tasks.data), task->cpu), NULL);
}

static struct pd_error *leave(struct ledger *l, const struct led_switch *at, struct news *ret)
{
	struct led_task *task = find(l, at->prev);
	enum led_reason reason = at->reason;

	/* The records that follow the last switch of a thread repeat it. */
	if (task && task->state == LED_GONE) {
		ret->is_known = true;
		return NULL;
	}
	task = get(l, at->prev);
	if (!task)
		return &pd_enomem;
	/* Records do not say that a thread ends, but after EXIT nothing else stops it. */
	if (task->exits && reason == LED_BLOCKS && at->source == LED_BY_RECORD)
		reason = LED_DIES;
	task->is_own = true;
	task->cpu = at->cpu;
	if (!keep_cpu(l, task))
		return &pd_enomem;
	bool was_off = task->state == LED_RUNNABLE || task->state == LED_BLOCKED;
	ret->is_known = !led_task_stops(task, &l->timeline, at->time, at->source, reason);
	ret->is_contradiction = was_off && !ret->is_known;
	task->is_disk |= at->is_disk;
	if (!ret->is_known && (reason == LED_PREEMPTED || task->is_woken_early))
		begin_delay(l, task, at->time,
			reason == LED_PREEMPTED ? LED_AFTER_PREEMPTION : LED_AFTER_WAKEUP);
	return NULL;
}

/* The task of a thread that leaves or gets a CPU. */
static uint32_t find_owner(struct ledger *l, uint32_t tid)
{
	const struct led_task *task = is_thread(tid) ? find(l, tid) : NULL;

	if (!tid)
		return LED_IDLE_TASK;
	return task ? (uint32_t)(task - l->tasks.data) : LED_NONE;
}

/* The task, which was runnable, has got a CPU. */
static struct pd_error *end_delay(
	struct ledger *l, const struct led_task *task, uint64_t begin, const struct led_switch *at)
{
	struct led_delay delay = {
		.begin = begin,
		.ns = led_timeline_ns(&l->timeline, begin, at->time),
		.idle_ns =
			led_idle_until(&l->delays.idle, &l->timeline, at->time) - task->idle_before,
		.task = (uint32_t)(task - l->tasks.data),
		.before = at->prev == LED_NO_TID ? LED_NONE : find_owner(l, at->prev),
		.cpu = at->cpu,
		.after = task->after,
	};

	return delay.ns ? base_spill_push(&l->delays.list, delay) : NULL;
}

static struct pd_error *enter(struct ledger *l, const struct led_switch *at, struct news *ret)
{
	struct led_task *task = get(l, at->next);
	unsigned source = at->is_next_repeated ? 0 : at->source;

	if (!task)
		return &pd_enomem;
	bool was_on = task->state == LED_RUNNING;
	bool was_delayed =
		task->state == LED_RUNNABLE || (task->state == LED_BLOCKED && task->is_woken_early);
	uint64_t since = task->since;
	ret->is_known =
		!led_task_begins_to_run(task, &l->timeline, at->time, source, led_has_all_wakes(l));
	/* Threads that are only mentioned leave their CPUs without a record. */
	ret->is_contradiction = was_on && task->is_own && !ret->is_known;
	if (at->prev == LED_NO_TID)
		task->is_own = true;
	if (!ret->is_known)
		task->cpu = at->cpu;
	if (!keep_cpu(l, task))
		return &pd_enomem;
	return was_delayed && !ret->is_known ? end_delay(l, task, since, at) : NULL;
}

/* The thread @p tid has left the CPU without a record of it. */
static void lose_thread(struct ledger *l, uint32_t tid, uint32_t cpu, uint64_t time)
{
	struct led_task *task = is_thread(tid) ? find(l, tid) : NULL;

	if (task && task->state == LED_RUNNING && task->cpu == cpu)
		led_task_lose(task, &l->timeline, time);
}

/* A CPU was or is idle. */
static void note_idle(struct ledger *l, bool was_idle, bool is_idle, uint64_t time)
{
	if (was_idle && !is_idle)
		led_idle_end(&l->delays.idle, &l->timeline, time);
	if (is_idle && !was_idle)
		led_idle_begin(&l->delays.idle, time);
}

static struct pd_error *use_cpu(
	struct ledger *l, const struct led_switch *at, const struct news *left)
{
	const struct led_cpu_switch by_cpu = { at->time, at->prev, at->next,
		left->is_contradiction };
	struct led_cpu *cpu = at->cpu == LED_NONE ? NULL : get_cpu(l, at->cpu);

	if (!cpu)
		return at->cpu == LED_NONE ? NULL : &pd_enomem;
	/* The idle task has no account in which a second record shows. */
	if (at->prev == LED_NO_TID && at->next == cpu->running)
		return NULL;
	uint32_t next = l->timeline.is_kept ? find_owner(l, at->next) : LED_NONE;
	led_timeline_turn(&l->timeline, at->time, next, &cpu->last_turn);
	note_idle(l, cpu->running == 0, at->next == 0, at->time);
	uint32_t lost = led_cpu_switch(cpu, &l->timeline, &by_cpu);
	if (lost != at->next)
		lose_thread(l, lost, at->cpu, at->time);
	return NULL;
}

/* A thread that has exited has no number any more when it leaves its CPU for the last time. */
static uint32_t find_exited(struct ledger *l, const struct led_switch *at)
{
	const uint64_t *cpu = base_map_find(&l->by_cpu, at->cpu);
	uint32_t running = cpu ? l->cpus.data[*cpu].running : LED_NO_TID;
	const struct led_task *task = is_thread(running) ? find(l, running) : NULL;

	return task && task->exits && task->state == LED_RUNNING ? running : LED_NO_TID;
}

struct pd_error *led_switches(struct ledger *l, const struct led_switch *from)
{
	struct news left = { 0 }, entered = { 0 };
	struct led_switch copy = *from;
	const struct led_switch *at = &copy;
	struct pd_error *err = NULL;

	led_moment(l, at->time);
	l->sources |= at->source;
	/* The idle task is of no recorded process. */
	l->is_of_cpus |= at->prev == 0 || at->is_next_repeated;
	if (at->prev == LED_NO_TID && at->is_next_repeated)
		copy.prev = find_exited(l, at);
	if (is_thread(at->prev))
		err = leave(l, at, &left);
	if (!err && is_thread(at->next))
		err = enter(l, at, &entered);
	if (err)
		return err;
	l->n_missing += left.is_contradiction + entered.is_contradiction;
	return left.is_known || entered.is_known ? NULL : use_cpu(l, at, &left);
}

/* Count a wait that began at @p since and lasted for @p ns. */
static struct pd_error *count_waker(
	struct ledger *l, uint32_t waiter, uint32_t waker, uint64_t since, uint64_t ns)
{
	const struct led_waker fresh = { .waiter = waiter, .waker = waker };
	bool is_new;
	uint64_t *at = base_map_add(&l->by_waker, (uint64_t)waiter << 32 | waker, &is_new);

	if (!at)
		return &pd_enomem;
	if (is_new) {
		*at = l->wakers.n;
		if (!pd_vec_push(&l->wakers, fresh))
			return &pd_enomem;
	}
	l->wakers.data[*at].n++;
	l->wakers.data[*at].ns += ns;
	l->wakers.data[*at].uncovered_ns += led_timeline_ns(&l->timeline, since, l->covered_from);
	return NULL;
}

/* Index of the present life of a thread; LED_NONE: it is not one. */
static struct pd_error *find_index(struct ledger *l, uint32_t tid, uint32_t *ret)
{
	const struct led_task *task = is_thread(tid) ? get(l, tid) : NULL;

	*ret = LED_NONE;
	if (!is_thread(tid))
		return NULL;
	if (!task)
		return &pd_enomem;
	*ret = (uint32_t)(task - l->tasks.data);
	return NULL;
}

/* The waker @p by, a task or an interrupt, wakes the thread @p tid. */
static struct pd_error *wake(struct ledger *l, uint64_t time, uint32_t tid, uint32_t by)
{
	uint32_t index;
	struct pd_error *err = find_index(l, tid, &index);

	led_moment(l, time);
	if (err || index == LED_NONE)
		return err;
	struct led_task *task = &l->tasks.data[index];
	uint64_t since = task->since > l->first ? task->since : l->first;
	uint64_t ns = led_timeline_ns(&l->timeline, since, time);
	uint32_t before = task->last_phase;
	if (!led_task_wakes(task, &l->timeline, time))
		return NULL;
	begin_delay(l, task, time, LED_AFTER_WAKEUP);
	if (task->last_phase != before)
		l->timeline.phases.data[task->last_phase - 1].waker = by;
	return ns ? count_waker(l, index, by, since, ns) : NULL;
}

struct pd_error *led_wakes(struct ledger *l, uint64_t time, uint32_t tid, uint32_t waker)
{
	uint32_t by;
	struct pd_error *err = find_index(l, waker, &by);

	return err ? err : wake(l, time, tid, by);
}

struct pd_error *led_wakes_in_interrupt(
	struct ledger *l, uint64_t time, uint32_t tid, uint32_t interrupt)
{
	bool has_number = interrupt < LED_IDLE_TASK - LED_FIRST_INTERRUPT;

	return wake(l, time, tid, has_number ? LED_FIRST_INTERRUPT + interrupt : LED_NONE);
}

void led_ran(struct ledger *l, uint64_t time, uint32_t tid)
{
	struct led_task *task = is_thread(tid) ? find(l, tid) : NULL;

	if (task)
		task->last_ran = time;
}

struct pd_error *led_waited(struct ledger *l, uint64_t time, uint32_t tid, uint64_t ns)
{
	struct led_task *task = is_thread(tid) ? get(l, tid) : NULL;

	if (!task)
		return is_thread(tid) ? &pd_enomem : NULL;
	/* Switches say the same. */
	if (l->sources)
		return NULL;
	l->has_waits = true;
	task->is_own = true;
	if (!time) {
		task->loose_ns += ns;
		return NULL;
	}
	led_moment(l, time);
	if (ns < time)
		led_moment(l, time - ns);
	led_task_waited(task, &l->timeline, time, ns);
	return NULL;
}

struct pd_error *led_lost(struct ledger *l, uint32_t cpu, uint64_t from, uint64_t time)
{
	const struct led_loss loss = { cpu, from, time };
	struct led_cpu *lossy = cpu == LED_NONE ? NULL : get_cpu(l, cpu);

	led_moment(l, time);
	if (cpu == LED_NONE)
		l->lost_until = time;
	else if (!lossy)
		return &pd_enomem;
	else
		lose_cpu(l, lossy, time);
	return pd_vec_push(&l->losses, loss) ? NULL : &pd_enomem;
}

/* The state of a task that nothing happened to. */
static enum led_state idle_state(const struct ledger *l, const struct led_task *task)
{
	if (task->last_ran || (l->sources && (!led_is_complete(l) || l->has_other_numbers)))
		return LED_UNKNOWN;
	return l->sources || l->has_waits ? LED_BLOCKED : LED_UNKNOWN;
}

/*
 * Count the time of a task that ran and was never switched, until it was last seen. Events are not
 * enabled at the same moment, so its last switch may have been too early to be recorded.
 */
static void finish_running(struct ledger *l, struct led_task *task)
{
	bool is_certain = l->sources && led_is_complete(l) && !l->has_other_numbers;

	if (is_certain && task->state == LED_UNSEEN && !task->born && task->last_ran &&
		led_task_is_untouched(task))
		led_task_ran(task, &l->timeline, task->last_ran);
}

/* The state of a task at the end of the recording, or of its life. */
static enum led_state last_state(const struct ledger *l, const struct led_task *task)
{
	if (task->state == LED_UNSEEN)
		return !task->born && led_task_is_untouched(task) ? idle_state(l, task)
								  : LED_UNKNOWN;
	return l->sources ? task->state : LED_UNKNOWN;
}

static void move(uint64_t *from, uint64_t *to, uint64_t ns)
{
	if (ns > *from)
		ns = *from;
	*from -= ns;
	*to += ns;
}

/* Length of the time before switches were recorded: no state follows from a later event. */
static uint64_t uncovered(const struct ledger *l)
{
	return l->sources == LED_BY_TRACEPOINT
		       ? led_timeline_ns(&l->timeline, l->first, l->covered_from)
		       : 0;
}

/*
 * Correct the sums of a task or a CPU by number of a state or a use, of which @p unknown is the
 * last. The first one was counted from the beginning of all times; @p first is above @p unknown if
 * there was none. What was inferred holds only if coming onto a CPU is recorded as well.
 */
static void correct(const struct ledger *l, uint64_t *ns, const uint64_t *inferred, unsigned first,
	unsigned unknown)
{
	uint64_t before = led_timeline_ns(&l->timeline, 0, l->first);
	bool is_complete = led_is_complete(l);

	if (first <= unknown)
		ns[first] -= before;
	/* Otherwise this time is a part of what was inferred. */
	if (first < unknown && (is_complete || !inferred[first]))
		move(&ns[first], &ns[unknown], uncovered(l));
	for (unsigned i = 0; i < unknown && !is_complete; i++)
		move(&ns[i], &ns[unknown],
			i == first && inferred[i] ? inferred[i] - before : inferred[i]);
}

static void finish_task(struct ledger *l, struct led_task *task)
{
	apply_losses(l, task);
	finish_running(l, task);
	led_task_end(task, &l->timeline, l->last, last_state(l, task));
	correct(l, task->ns, task->inferred, task->first, LED_UNKNOWN);
	move(&task->ns[LED_UNKNOWN], &task->ns[LED_BLOCKED], task->loose_ns);
}

static void finish_cpu(struct ledger *l, struct led_cpu *cpu)
{
	if (l->lost_until > cpu->since)
		lose_cpu(l, cpu, l->lost_until);
	led_cpu_end(cpu, &l->timeline, l->last);
	correct(l, cpu->ns, cpu->inferred, cpu->first, LED_UNSURE);
}

void led_finish(struct ledger *l)
{
	if (l->first > l->last)
		return;
	for (size_t i = 0; i < l->tasks.n; i++)
		finish_task(l, &l->tasks.data[i]);
	for (size_t i = 0; i < l->cpus.n; i++)
		finish_cpu(l, &l->cpus.data[i]);
	for (size_t i = 0; i < l->wakers.n && l->sources == LED_BY_TRACEPOINT; i++)
		l->wakers.data[i].ns -= l->wakers.data[i].uncovered_ns;
}
