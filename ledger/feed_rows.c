/* The rows of a profile that a ledger becomes. */
#include "ledger/feed.h"

#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "ledger/changes.h"
#include "ledger/critical_path.h"
#include "ledger/path_owner.h"
#include "parse/open_file.h"

static const char *name_of(const struct led_feed *feed, const struct led_task *task)
{
	return task->name == LED_NONE ? "" : base_intern_bytes(&feed->names, task->name);
}

/* Whether @p filter includes the thread of @p task on a CPU. */
static bool is_included_on(const struct led_feed *feed, const struct prof_filter *filter,
	const struct led_task *task, uint32_t cpu)
{
	static const struct prof_time_spans all_times;
	const struct prof_filter_sample sample = {
		.pid = task->pid,
		.tid = task->tid,
		.cpu = cpu,
		.has_cpu = true,
		.comm = name_of(feed, task),
	};
	enum prof_filter_kind kind = prof_filter_sample(filter, &all_times, &sample);

	/* A thread runs in several binaries. */
	return kind == PROF_N_FILTERS || kind == PROF_FILTER_DSO;
}

/* Whether @p filter includes a thread: if it is about CPUs, the thread has run on one of them. */
static bool is_included(
	const struct led_feed *feed, const struct prof_filter *filter, const struct led_task *task)
{
	const struct ledger *l = &feed->ledger;

	if (!filter)
		return true;
	if (!l->keeps_cpus_of_tasks)
		return is_included_on(feed, filter, task, task->cpu);
	for (size_t i = 0; i < l->cpus.n; i++) {
		uint32_t cpu = l->cpus.data[i].cpu;

		if (led_has_run_on(l, (uint32_t)(task - l->tasks.data), cpu) &&
			is_included_on(feed, filter, task, cpu))
			return true;
	}
	return false;
}

static struct pd_error *add_thread(const struct led_feed *feed, const struct led_task *task,
	struct profile *profile, struct prof_thread_id *ret)
{
	const struct prof_thread thread = {
		.pid = task->pid == LED_NONE ? 0 : task->pid,
		.tid = task->tid,
		.comm = prof_add_string(profile, name_of(feed, task)),
	};

	if (prof_is_none(thread.comm))
		return &pd_enomem;
	*ret = prof_add_thread(profile, &thread);
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

static struct prof_string_id cgroup_of(const struct led_feed *feed, const struct led_task *task)
{
	const uint64_t *path =
		feed->cgroups && task->cgroup ? base_map_find(feed->cgroups, task->cgroup) : NULL;

	return path ? (struct prof_string_id){ (uint32_t)*path } : prof_no_string();
}

static struct pd_error *add_task(const struct led_feed *feed, const struct led_task *task,
	const struct prof_filter *filter, struct profile *profile)
{
	struct led_range wall = led_wall(&feed->ledger);
	struct prof_ledger_thread row = {
		.is_older = !task->born || task->born < wall.from,
		.is_unfinished = !task->ended || task->ended > wall.to,
		.life_ns = led_life_ns(&feed->ledger, task),
		.cgroup = cgroup_of(feed, task),
		.n_runs = task->n_runs,
		.n_waits = task->n_waits,
		.n_preemptions = task->n_preemptions,
	};

	if (!led_is_recorded(&feed->ledger, task) || !is_included(feed, filter, task))
		return NULL;
	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++)
		row.ns[i] = task->ns[i];
	struct pd_error *err = add_thread(feed, task, profile, &row.thread);
	if (err)
		return err;
	return pd_vec_push(&profile->ledger_threads, row) ? NULL : &pd_enomem;
}

/* The name of the interrupt that a waker is; "": it is none, or not known. */
static struct prof_string_id interrupt_of(const struct led_feed *feed, uint32_t waker)
{
	return led_waker_is_interrupt(waker) ? feed->interrupt_names[waker - LED_FIRST_INTERRUPT]
					     : (struct prof_string_id){ 0 };
}

/* Whether a waker, or what ended a phase, is a task. */
static bool is_task(uint32_t waker)
{
	return waker != LED_NONE && !led_waker_is_interrupt(waker);
}

/*
 * Add waits to their row. Interrupts that have different numbers may have one name; @p rows has
 * the index + 1 of the row of a waiter and an interrupt.
 */
static struct pd_error *count_waits(
	const struct prof_ledger_waker *row, struct base_map *rows, struct profile *profile)
{
	uint64_t none = 0, *at = &none;

	if (prof_is_none(row->waker))
		at = base_map_add(rows, (uint64_t)row->waiter.i << 32 | row->interrupt.i, NULL);
	if (!at)
		return &pd_enomem;
	if (*at) {
		profile->ledger_wakers.data[*at - 1].n += row->n;
		profile->ledger_wakers.data[*at - 1].ns += row->ns;
		return NULL;
	}
	if (!pd_vec_push(&profile->ledger_wakers, *row))
		return &pd_enomem;
	*at = profile->ledger_wakers.n;
	return NULL;
}

/* The filter is about the thread that waits. */
static struct pd_error *add_waker(const struct led_feed *feed, const struct led_waker *waker,
	const struct prof_filter *filter, struct base_map *rows, struct profile *profile)
{
	const struct led_task *tasks = feed->ledger.tasks.data;
	const struct led_task *waiter = &tasks[waker->waiter];
	struct prof_ledger_waker row = {
		.waker = prof_no_thread(),
		.interrupt = interrupt_of(feed, waker->waker),
		.n = waker->n,
		.ns = waker->ns,
	};

	if (!led_is_recorded(&feed->ledger, waiter) || !is_included(feed, filter, waiter))
		return NULL;
	struct pd_error *err = add_thread(feed, waiter, profile, &row.waiter);
	if (!err && is_task(waker->waker))
		err = add_thread(feed, &tasks[waker->waker], profile, &row.waker);
	if (err)
		return err;
	return count_waits(&row, rows, profile);
}

static struct pd_error *add_wakers(
	const struct led_feed *feed, const struct prof_filter *filter, struct profile *profile)
{
	const struct ledger *l = &feed->ledger;
	_cleanup_(base_map_deinit) struct base_map rows = { 0 };
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < l->wakers.n; i++)
		err = add_waker(feed, &l->wakers.data[i], filter, &rows, profile);
	return err;
}

static struct pd_error *add_cpu(const struct led_feed *feed, const struct led_cpu *cpu,
	const struct prof_filter *filter, struct profile *profile)
{
	struct prof_ledger_cpu row = {
		.cpu = cpu->cpu,
		.wall_ns = led_wall_ns(&feed->ledger),
		.n_switches = cpu->n_switches,
		.n_breaks = cpu->n_breaks,
	};

	if (filter && !prof_filter_has_cpu(filter, cpu->cpu))
		return NULL;
	for (size_t i = 0; i < PROF_N_LEDGER_USES; i++)
		row.ns[i] = cpu->ns[i];
	return pd_vec_push(&profile->ledger_cpus, row) ? NULL : &pd_enomem;
}

/* Add a task as a thread of the profile, once. */
static struct pd_error *find_thread(const struct led_feed *feed, uint32_t task,
	struct prof_thread_id *threads, struct profile *profile, struct prof_thread_id *ret)
{
	struct pd_error *err =
		prof_is_none(threads[task])
			? add_thread(feed, &feed->ledger.tasks.data[task], profile, &threads[task])
			: NULL;

	if (!err)
		*ret = threads[task];
	return err;
}

/* Ids of the threads of tasks, all of which are not added yet. Allocated; NULL: no memory. */
static struct prof_thread_id *no_threads(const struct led_feed *feed)
{
	size_t n = feed->ledger.tasks.n;
	struct prof_thread_id *threads = base_calloc_n(n, sizeof(*threads));

	for (size_t i = 0; threads && i < n; i++)
		threads[i] = prof_no_thread();
	return threads;
}

/* The kind of what has a CPU in place of a thread. */
static struct pd_error *find_instead(const struct led_feed *feed, uint32_t task,
	struct prof_thread_id *threads, struct profile *profile, uint16_t *kind_ret,
	struct prof_thread_id *ret)
{
	*ret = prof_no_thread();
	*kind_ret = task == LED_IDLE_TASK ? PROF_INSTEAD_IDLE : PROF_INSTEAD_UNKNOWN;
	if (task == LED_IDLE_TASK || task == LED_NONE)
		return NULL;
	*kind_ret = PROF_INSTEAD_THREAD;
	return find_thread(feed, task, threads, profile, ret);
}

static struct pd_error *add_delay(const struct led_feed *feed, const struct led_delay *delay,
	struct prof_thread_id *threads, struct profile *profile)
{
	struct prof_ledger_delay row = {
		.after = (uint16_t)delay->after,
		.cpu = delay->cpu,
		.begin_ns = delay->begin,
		.ns = delay->ns,
		.idle_ns = delay->idle_ns,
	};
	struct pd_error *err = find_thread(feed, delay->task, threads, profile, &row.thread);

	if (!err)
		err = find_instead(
			feed, delay->before, threads, profile, &row.before_kind, &row.before);
	return err ? err : base_spill_push(&profile->ledger_delays, row);
}

/* The filter is about the thread that is delayed. */
static struct pd_error *add_delays(
	const struct led_feed *feed, const struct prof_filter *filter, struct profile *profile)
{
	const struct led_delays *delays = &feed->ledger.delays;
	_cleanup_free_ struct prof_thread_id *threads = no_threads(feed);
	struct pd_error *err = threads ? NULL : &pd_enomem;

	for (size_t i = 0; !err && i < delays->list.n; i++) {
		const struct led_delay *delay = &delays->list.data[i];
		const struct led_task *task = &feed->ledger.tasks.data[delay->task];

		base_spill_pass(&delays->list, i);
		if (led_is_recorded(&feed->ledger, task) && is_included(feed, filter, task) &&
			(!filter || prof_filter_has_cpu(filter, delay->cpu)))
			err = add_delay(feed, delay, threads, profile);
	}
	return err;
}

/* Phases of one life, which are added from the last to the first. */
struct life {
	const struct led_feed *feed;
	/* Row of the life, and threads of the profile by task. */
	uint32_t row;
	struct prof_thread_id *threads;
	struct profile *profile;
};

/* Add the parts of a phase that are counted, the last one first. It ends when @p row does. */
static struct pd_error *add_phase_parts(
	const struct life *life, const struct prof_ledger_phase *row, uint64_t end)
{
	const struct led_timeline *timeline = &life->feed->ledger.timeline;
	const struct led_range all = { 0, UINT64_MAX };
	size_t n = timeline->ranges.n;
	struct pd_error *err = NULL;

	for (size_t i = n ? n : 1; !err && i-- > 0;) {
		struct led_range part =
			led_range_clip(n ? &timeline->ranges.data[i] : &all, row->begin_ns, end);
		struct prof_ledger_phase cut = *row;

		cut.begin_ns = part.from;
		cut.ns = led_range_ns(part);
		/* The wakeup is at the end of the phase. */
		if (part.to != end) {
			cut.is_woken = 0;
			cut.waker = prof_no_thread();
			cut.interrupt = (struct prof_string_id){ 0 };
		}
		if (cut.ns)
			err = base_spill_push(&life->profile->ledger_phases, cut);
	}
	return err;
}

/*
 * Add a phase up to @p end, and what is unknown before the beginning that led_state_of() finds.
 * @p is_woken: a wakeup ended it.
 */
static struct pd_error *add_phase(const struct life *life, const struct led_phase *phase,
	struct led_range range, bool is_woken)
{
	const struct ledger *l = &life->feed->ledger;
	uint64_t begin;
	struct prof_ledger_phase row = {
		.life = life->row,
		.waker = prof_no_thread(),
		.state = (uint16_t)led_state_of(l, phase, range.to, &begin),
		.is_woken = is_woken,
	};
	struct pd_error *err = NULL;

	row.begin_ns = begin > range.from ? begin : range.from;
	if (is_woken)
		row.interrupt = interrupt_of(life->feed, phase->waker);
	if (is_woken && is_task(phase->waker))
		err = find_thread(
			life->feed, phase->waker, life->threads, life->profile, &row.waker);
	if (!err)
		err = add_phase_parts(life, &row, range.to);
	if (err || begin <= range.from)
		return err;
	row = (struct prof_ledger_phase){ .life = life->row,
		.waker = prof_no_thread(),
		.state = PROF_LEDGER_UNKNOWN,
		.begin_ns = range.from };
	return add_phase_parts(life, &row, begin);
}

static void reverse_phases(struct profile *profile, size_t first)
{
	struct prof_ledger_phase *rows = profile->ledger_phases.data;

	for (size_t i = first, k = profile->ledger_phases.n; i + 1 < k; i++) {
		struct prof_ledger_phase row = rows[i];

		rows[i] = rows[--k];
		rows[k] = row;
	}
}

static struct pd_error *add_life(const struct life *life, const struct led_task *task)
{
	const struct ledger *l = &life->feed->ledger;
	const struct led_range range = led_life(l, task);
	size_t first = life->profile->ledger_phases.n;
	enum led_state next = LED_GONE;
	struct pd_error *err = NULL;
	uint64_t end = task->since;

	for (uint32_t at = task->last_phase; !err && at;) {
		const struct led_phase *phase = &l->timeline.phases.data[at - 1];
		struct led_range part = led_range_clip(&range, phase->begin, end);
		/* Only a wakeup makes a blocked thread runnable. */
		bool is_woken = phase->state == LED_BLOCKED && next == LED_RUNNABLE;

		if (led_range_ns(part))
			err = add_phase(life, phase, part, is_woken);
		next = (enum led_state)phase->state;
		end = phase->begin;
		at = phase->previous;
	}
	reverse_phases(life->profile, first);
	return err;
}

struct pd_error *led_feed_add_phases(
	struct led_feed *feed, const struct prof_filter *filter, struct profile *profile)
{
	_cleanup_free_ struct prof_thread_id *threads = no_threads(feed);
	struct life life = { .feed = feed, .threads = threads, .profile = profile };
	struct pd_error *err = threads ? NULL : &pd_enomem;

	if (!profile->ledgers.n)
		return NULL;
	for (size_t i = 0; !err && i < feed->ledger.tasks.n; i++) {
		const struct led_task *task = &feed->ledger.tasks.data[i];

		if (!led_is_recorded(&feed->ledger, task) || !is_included(feed, filter, task))
			continue;
		err = add_life(&life, task);
		life.row++;
	}
	return err;
}

/* The kind of an interrupt that woke a thread: enum prof_interrupt_kind. */
static uint8_t interrupt_kind_of(const struct led_feed *feed, uint32_t waker)
{
	static const uint8_t kinds[LED_N_INTERRUPT_KINDS] = {
		[LED_INTERRUPT_HARD] = PROF_INTERRUPT_HARD,
		[LED_INTERRUPT_SOFT] = PROF_INTERRUPT_SOFT,
		[LED_INTERRUPT_OTHER] = PROF_INTERRUPT_NONE,
	};

	return kinds[led_interrupt(feed->interrupts, waker - LED_FIRST_INTERRUPT)->kind];
}

static struct pd_error *add_change(const struct led_feed *feed, const struct led_change *change,
	struct prof_thread_id *threads, struct profile *profile, struct prof_ledger_change *ret)
{
	struct prof_ledger_change row = {
		.time_ns = change->time,
		.by = prof_no_thread(),
		.cpu = change->cpu,
		.from = change->from,
		.to = change->to,
		.is_disk = change->is_disk,
	};
	struct pd_error *err = find_thread(feed, change->task, threads, profile, &row.thread);

	if (led_waker_is_interrupt(change->by))
		row.by_interrupt = interrupt_kind_of(feed, change->by);
	if (!err && is_task(change->by))
		err = find_thread(feed, change->by, threads, profile, &row.by);
	*ret = row;
	return err;
}

/* Find the places of the threads that @p filter includes. */
static struct pd_error *collect_changes(
	const struct led_feed *feed, const struct prof_filter *filter, struct led_changes *ret)
{
	const struct ledger *l = &feed->ledger;
	struct pd_error *err = NULL;

	for (uint32_t i = 0; !err && i < l->tasks.n; i++) {
		const struct led_task *task = &l->tasks.data[i];

		if (led_is_recorded(l, task) && is_included(feed, filter, task))
			err = led_changes_add(ret, l, i);
	}
	return err;
}

/* Changes are taken from the last to the first, so the array is filled from its end. */
static struct pd_error *add_changes(
	const struct led_feed *feed, const struct prof_filter *filter, struct profile *profile)
{
	const struct ledger *l = &feed->ledger;
	_cleanup_(led_changes_deinit) struct led_changes changes = { 0 };
	_cleanup_free_ struct prof_thread_id *threads = no_threads(feed);
	struct led_change change;
	/* Each phase begins with a change, and each life ends with one. */
	size_t n = l->timeline.phases.n + l->tasks.n, first = n;
	struct pd_error *err =
		threads ? base_spill_reserve(&profile->ledger_changes, n) : &pd_enomem;

	if (!err)
		err = collect_changes(feed, filter, &changes);
	struct prof_ledger_change *rows = profile->ledger_changes.data;
	while (!err && led_changes_take(&changes, l, &change))
		err = add_change(feed, &change, threads, profile, &rows[--first]);
	if (err)
		return err;
	if (first < n)
		memmove(rows, rows + first, (n - first) * sizeof(*rows));
	profile->ledger_changes.n = n - first;
	return NULL;
}

struct pd_error *led_feed_finish(
	struct led_feed *feed, const struct prof_filter *filter, struct profile *profile)
{
	struct ledger *ledger = &feed->ledger;
	struct pd_error *err = NULL;

	if (led_feed_is_idle(feed))
		return NULL;
	led_finish(ledger);
	if (ledger->timeline.err) {
		err = ledger->timeline.err;
		ledger->timeline.err = NULL;
		return err;
	}
	struct led_range wall = led_wall(ledger);
	const struct prof_ledger head = {
		.begin_ns = wall.from,
		.end_ns = wall.to,
		.wall_ns = led_wall_ns(ledger),
		.has_switches = ledger->sources != 0,
		.has_waits = ledger->has_waits,
		.has_wakes = led_has_all_wakes(ledger),
		.is_of_cpus = ledger->is_of_cpus,
		.is_sampled = ledger->is_sampled,
		.has_other_numbers = ledger->has_other_numbers,
		.has_end = feed->last_mark && feed->last_mark == ledger->last,
		.n_missing = ledger->n_missing,
	};

	for (size_t i = 0; !err && i < ledger->tasks.n; i++)
		err = add_task(feed, &ledger->tasks.data[i], filter, profile);
	if (!err)
		err = add_wakers(feed, filter, profile);
	/* Without the switches of all threads, little is known about a CPU. */
	for (size_t i = 0; !err && ledger->is_of_cpus && i < ledger->cpus.n; i++)
		err = add_cpu(feed, &ledger->cpus.data[i], filter, profile);
	if (!err)
		err = add_delays(feed, filter, profile);
	if (!err && feed->keeps_changes)
		err = add_changes(feed, filter, profile);
	if (err)
		return err;
	return pd_vec_push(&profile->ledgers, head) ? NULL : &pd_enomem;
}

/* Add the counted parts of a step. */
static struct pd_error *add_parts(
	const struct led_feed *feed, struct prof_path_step *row, struct profile *profile)
{
	const struct led_timeline *timeline = &feed->ledger.timeline;
	const struct led_range all = { 0, UINT64_MAX }, step = { row->begin_ns, row->end_ns };
	size_t n = timeline->ranges.n;

	for (size_t i = 0; i < (n ? n : 1); i++) {
		struct led_range part =
			led_range_clip(n ? &timeline->ranges.data[i] : &all, step.from, step.to);

		row->begin_ns = part.from;
		row->end_ns = part.to;
		if (led_range_ns(part) && !pd_vec_push(&profile->path_steps, *row))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_step(const struct led_feed *feed, const struct led_step *step,
	struct prof_thread_id *threads, struct profile *profile)
{
	struct prof_path_step row = {
		.state = (uint16_t)step->state,
		.path = (uint32_t)profile->paths.n - 1,
		.begin_ns = step->range.from,
		.end_ns = step->range.to,
		.since_ns = step->since,
		.until_ns = step->until,
		.interrupt = interrupt_of(feed, step->interrupt),
	};
	struct pd_error *err = find_thread(feed, step->task, threads, profile, &row.thread);

	if (!err)
		err = find_instead(
			feed, step->instead, threads, profile, &row.instead_kind, &row.instead);
	return err ? err : add_parts(feed, &row, profile);
}

static struct pd_error *add_steps(
	const struct led_feed *feed, const struct led_path *path, struct profile *profile)
{
	_cleanup_free_ struct prof_thread_id *threads = no_threads(feed);
	struct pd_error *err = threads ? NULL : &pd_enomem;

	for (size_t i = 0; !err && i < path->steps.n; i++)
		err = add_step(feed, &path->steps.data[i], threads, profile);
	return err;
}

static uint32_t find_owner(const struct led_feed *feed, const char *owner)
{
	struct led_owner_search search = { .ledger = &feed->ledger, .names = &feed->names };

	search.cmdline = pd_file_cmdline(feed->interrupts->sched->file, &search.n_cmdline);
	return led_path_owner(&search, owner);
}

bool led_feed_has_path(const struct led_feed *feed, const char *owner)
{
	return feed->ledger.has_wakes && find_owner(feed, owner) != LED_NONE;
}

struct pd_error *led_feed_add_path(
	struct led_feed *feed, const char *owner, struct profile *profile)
{
	_cleanup_(led_path_deinit) struct led_path path = { 0 };
	struct prof_path row = { 0 };
	uint32_t task = find_owner(feed, owner);

	if (task == LED_NONE)
		return pd_error_create(PD_ERROR_USAGE, feed->interrupts->sched->file->path,
			"no thread '%s' is in the recording, whose critical path is to be found",
			owner);
	struct led_range life = led_path_range(&feed->ledger, &feed->ledger.tasks.data[task]);
	row.begin_ns = life.from;
	row.end_ns = life.to;
	row.ns = led_timeline_ns(&feed->ledger.timeline, life.from, life.to);
	struct pd_error *err =
		add_thread(feed, &feed->ledger.tasks.data[task], profile, &row.thread);
	if (!err)
		err = led_path_find(&feed->ledger, task, &path);
	if (!err && !pd_vec_push(&profile->paths, row))
		err = &pd_enomem;
	return err ? err : add_steps(feed, &path, profile);
}
