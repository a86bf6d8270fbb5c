#include "ledger/feed.h"

#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "ledger/critical_path.h"
#include "ledger/path_owner.h"
#include "parse/open_file.h"

/* A record with what its trailer says. */
struct taking {
	struct led_feed *feed;
	const struct pd_record *rec;
	const struct pd_plan *plan;
	struct pd_sid sid;
	/** LED_NONE: not recorded. */
	uint32_t cpu;
	/** 0: the record has none. */
	uint64_t time;
};

void led_feed_init(struct led_feed *feed, const struct pd_file *file)
{
	*feed = (struct led_feed){ .file = file };
	led_init(&feed->ledger);
}

void led_feed_deinit(struct led_feed *feed)
{
	led_deinit(&feed->ledger);
	led_sched_deinit(&feed->sched);
	base_intern_deinit(&feed->names);
	base_map_deinit(&feed->last_times);
}

/*
 * Whether the record is about the parent of all kernel threads, and was made before the recording:
 * then perf has described all processes, because it records whole CPUs.
 */
static bool is_of_kthreadd(const struct taking *t, const struct pd_comm *comm)
{
	return !t->time && comm->pid == 2 && comm->tid == 2 &&
	       strcmp(comm->comm.s, "kthreadd") == 0;
}

static struct pd_error *take_comm(const struct taking *t, const struct pd_comm *comm)
{
	struct led_feed *feed = t->feed;
	struct pd_error *err = led_known(&feed->ledger, comm->pid, comm->tid);

	if (err)
		return err;
	uint32_t name = base_intern_add(&feed->names, comm->comm.s, comm->comm.len);
	if (name == PD_INTERN_NONE)
		return &pd_enomem;
	feed->ledger.is_of_cpus |= is_of_kthreadd(t, comm);
	led_set_name(&feed->ledger, comm->tid, name);
	return NULL;
}

static struct pd_error *take_fork(const struct taking *t, const struct pd_fork *fork)
{
	const struct led_birth birth = { fork->pid, fork->tid, fork->ptid };

	/* Synthesised records are about threads that existed before. */
	if (t->rec->misc & PD_MISC_FORK_EXEC || !t->time)
		return led_known(&t->feed->ledger, fork->pid, fork->tid);
	return led_born(&t->feed->ledger, t->time, &birth);
}

/*
 * A SWITCH names the thread that is recorded. Both SWITCH_CPU_WIDE records of a switch name the
 * @p other thread as well, so the first one is enough.
 */
static struct pd_error *take_switch(const struct taking *t, uint32_t other)
{
	bool is_out = t->rec->misc & PD_MISC_SWITCH_OUT;
	const struct led_switch at = {
		.time = t->time,
		.cpu = t->cpu,
		.prev = is_out ? t->sid.tid : LED_NO_TID,
		.next = is_out ? other : t->sid.tid,
		.reason = t->rec->misc & PD_MISC_SWITCH_OUT_PREEMPT ? LED_PREEMPTED : LED_BLOCKS,
		.source = LED_BY_RECORD,
		.is_next_repeated = is_out && t->rec->type == PD_RECORD_SWITCH_CPU_WIDE,
	};

	return led_switches(&t->feed->ledger, &at);
}

/* Records were lost between the last record of the CPU and this one. */
static struct pd_error *take_loss(const struct taking *t)
{
	const uint64_t *last =
		t->cpu == LED_NONE ? NULL : base_map_find(&t->feed->last_times, t->cpu);

	return led_lost(&t->feed->ledger, t->cpu, last ? *last : 0, t->time);
}

/*
 * A record of lost samples that has a time and no samples is a mark: pdconv record writes one when
 * it begins, and one when it ends. Its attrs say whether the recording has switches, even if there
 * were none.
 */
static void take_mark(const struct taking *t, const struct pd_lost_samples *lost)
{
	const struct pd_events *events = &t->feed->file->events;

	if (!t->time || lost->lost)
		return;
	t->feed->last_mark = t->time;
	if (pd_attr_has(&events->list.data[0].attr, PD_ATTR_context_switch))
		t->feed->ledger.sources |= LED_BY_RECORD;
}

static struct pd_error *take_body(const struct taking *t)
{
	const struct pd_record *rec = t->rec;
	union pd_body body;
	const char *wrong;

	if (!pd_record_decode(rec, t->plan ? t->plan->sid_bytes : 0, &body, &wrong))
		return NULL;
	switch (rec->type) {
	case PD_RECORD_COMM:
		return take_comm(t, &body.comm);
	case PD_RECORD_FORK:
		return take_fork(t, &body.fork);
	case PD_RECORD_EXIT:
		if (t->time)
			led_exits(&t->feed->ledger, t->time, body.exit.tid);
		return NULL;
	case PD_RECORD_SWITCH:
		return t->time ? take_switch(t, LED_NO_TID) : NULL;
	case PD_RECORD_SWITCH_CPU_WIDE:
		return t->time ? take_switch(t, body.switch_cpu_wide.next_prev_tid) : NULL;
	case PD_RECORD_LOST_SAMPLES:
		take_mark(t, &body.lost_samples);
		return NULL;
	default:
		return t->time ? take_loss(t) : NULL;
	}
}

static bool is_followed(const struct pd_record *rec)
{
	switch (rec->type) {
	case PD_RECORD_COMM:
	case PD_RECORD_FORK:
	case PD_RECORD_EXIT:
	case PD_RECORD_SWITCH:
	case PD_RECORD_SWITCH_CPU_WIDE:
	case PD_RECORD_LOST:
	case PD_RECORD_LOST_SAMPLES:
		return true;
	default:
		return false;
	}
}

static struct pd_error *follow_sample(struct taking *t, const struct pd_event *event)
{
	const struct led_event *known = event->index < t->feed->sched.events.n
						? &t->feed->sched.events.data[event->index]
						: NULL;
	struct ledger *ledger = &t->feed->ledger;
	struct pd_sample sample;
	const char *field;

	if (pd_sample_decode(&event->plan, t->rec, &sample, &field) == PD_SAMPLE_SHORT)
		return NULL;
	if (known && known->kind == LED_OFFCPU_TIME)
		return led_waited(ledger, t->time, sample.tid, sample.period);
	if (event->attr.sample_type >> PD_SAMPLE_CPU & 1)
		t->cpu = sample.cpu;
	t->sid.tid = sample.tid;
	if (!t->time)
		return NULL;
	/* A switch says the same, by the number of the kernel. */
	if (!known || known->kind != LED_TRACEPOINT_SWITCH)
		led_ran(ledger, t->time, sample.tid);
	if (!known || known->kind >= LED_N_TRACEPOINTS)
		return NULL;
	if (!ledger->covered_from)
		ledger->covered_from = t->time;
	return led_sched_follow(t->feed->file, known, &sample, t->time, ledger, &t->feed->names);
}

static struct pd_error *take_sample(struct taking *t)
{
	const struct pd_event *event = pd_events_find(&t->feed->file->events, t->rec);

	return event ? follow_sample(t, event) : NULL;
}

/* Read the trailer of a record that is not a sample. */
static struct pd_error *take_other(struct taking *t)
{
	const struct pd_events *events = &t->feed->file->events;

	t->plan = pd_events_plan(events, t->rec);
	if (t->plan && t->plan->sid_bytes) {
		t->sid = pd_sid_decode(t->plan, t->rec);
		if (events->list.data[0].attr.sample_type >> PD_SAMPLE_CPU & 1)
			t->cpu = t->sid.cpu;
	}
	/* A thread that gets a CPU did not run before. */
	if (t->time && t->rec->type != PD_RECORD_SWITCH &&
		t->rec->type != PD_RECORD_SWITCH_CPU_WIDE)
		led_ran(&t->feed->ledger, t->time, t->sid.tid);
	return is_followed(t->rec) ? take_body(t) : NULL;
}

/* Note the time of the last record of a CPU. */
static struct pd_error *note_time(const struct taking *t)
{
	uint64_t *last;

	if (!t->time || t->cpu == LED_NONE)
		return NULL;
	last = base_map_add(&t->feed->last_times, t->cpu, NULL);
	if (!last)
		return &pd_enomem;
	*last = t->time;
	return NULL;
}

struct pd_error *led_feed_take(struct led_feed *feed, const struct pd_record *rec)
{
	bool has_time = rec->time && rec->time < PD_FIRST_FAKE_TIME;
	struct taking t = {
		.feed = feed,
		.rec = rec,
		.cpu = LED_NONE,
		.time = has_time ? rec->time : 0,
	};
	struct pd_error *err = led_sched_learn(&feed->sched, feed->file, &feed->ledger);

	if (err || rec->type >= PD_RECORD_FIRST_TOOL)
		return err;
	if (t.time)
		led_moment(&feed->ledger, t.time);
	err = rec->type == PD_RECORD_SAMPLE ? take_sample(&t) : take_other(&t);
	return err ? err : note_time(&t);
}

/* Whether @p filter includes the thread of @p task. */
static bool is_included(
	const struct prof_filter *filter, const struct led_task *task, const char *comm)
{
	static const struct prof_time_spans all_times;
	const struct prof_filter_sample sample = {
		.pid = task->pid,
		.tid = task->tid,
		.cpu = task->cpu,
		.has_cpu = task->cpu != LED_NONE,
		.comm = comm,
	};
	enum prof_filter_kind kind =
		filter ? prof_filter_sample(filter, &all_times, &sample) : PROF_N_FILTERS;

	/* A thread runs on several CPUs and in several binaries. */
	return kind == PROF_N_FILTERS || kind == PROF_FILTER_CPU || kind == PROF_FILTER_DSO;
}

static const char *name_of(const struct led_feed *feed, const struct led_task *task)
{
	return task->name == LED_NONE ? "" : base_intern_bytes(&feed->names, task->name);
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

static struct pd_error *add_task(const struct led_feed *feed, const struct led_task *task,
	const struct prof_filter *filter, struct profile *profile)
{
	struct led_range life = led_life(&feed->ledger, task);
	struct led_range wall = led_wall(&feed->ledger);
	struct prof_ledger_thread row = {
		.is_older = !task->born || task->born < wall.from,
		.is_unfinished = !task->ended || task->ended > wall.to,
		.begin_ns = life.from,
		.end_ns = life.to,
		.n_runs = task->n_runs,
		.n_waits = task->n_waits,
		.n_preemptions = task->n_preemptions,
	};

	if (!led_is_recorded(&feed->ledger, task) ||
		!is_included(filter, task, name_of(feed, task)))
		return NULL;
	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++)
		row.ns[i] = task->ns[i];
	struct pd_error *err = add_thread(feed, task, profile, &row.thread);
	if (err)
		return err;
	return pd_vec_push(&profile->ledger_threads, row) ? NULL : &pd_enomem;
}

/* The filter is about the thread that waits. */
static struct pd_error *add_waker(const struct led_feed *feed, const struct led_waker *waker,
	const struct prof_filter *filter, struct profile *profile)
{
	const struct led_task *tasks = feed->ledger.tasks.data;
	const struct led_task *waiter = &tasks[waker->waiter];
	struct prof_ledger_waker row = {
		.waker = prof_no_thread(),
		.n = waker->n,
		.ns = waker->ns,
	};

	if (!led_is_recorded(&feed->ledger, waiter) ||
		!is_included(filter, waiter, name_of(feed, waiter)))
		return NULL;
	struct pd_error *err = add_thread(feed, waiter, profile, &row.waiter);
	if (!err && waker->waker != LED_NONE)
		err = add_thread(feed, &tasks[waker->waker], profile, &row.waker);
	if (err)
		return err;
	return pd_vec_push(&profile->ledger_wakers, row) ? NULL : &pd_enomem;
}

static struct pd_error *add_cpu(
	const struct led_feed *feed, const struct led_cpu *cpu, struct profile *profile)
{
	struct led_range wall = led_wall(&feed->ledger);
	struct prof_ledger_cpu row = {
		.cpu = cpu->cpu,
		.wall_ns = wall.to - wall.from,
		.n_switches = cpu->n_switches,
		.n_breaks = cpu->n_breaks,
	};

	for (size_t i = 0; i < PROF_N_LEDGER_USES; i++)
		row.ns[i] = cpu->ns[i];
	return pd_vec_push(&profile->ledger_cpus, row) ? NULL : &pd_enomem;
}

struct pd_error *led_feed_finish(
	struct led_feed *feed, const struct prof_filter *filter, struct profile *profile)
{
	struct ledger *ledger = &feed->ledger;
	struct pd_error *err = NULL;

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
		.has_switches = ledger->sources != 0,
		.has_waits = ledger->has_waits,
		.has_wakes = led_has_all_wakes(ledger),
		.is_of_cpus = ledger->is_of_cpus,
		.has_other_numbers = ledger->has_other_numbers,
		.has_end = feed->last_mark && feed->last_mark == ledger->last,
		.n_missing = ledger->n_missing,
	};

	for (size_t i = 0; !err && i < ledger->tasks.n; i++)
		err = add_task(feed, &ledger->tasks.data[i], filter, profile);
	for (size_t i = 0; !err && i < ledger->wakers.n; i++)
		err = add_waker(feed, &ledger->wakers.data[i], filter, profile);
	/* Without the switches of all threads, little is known about a CPU. */
	for (size_t i = 0; !err && ledger->is_of_cpus && i < ledger->cpus.n; i++)
		err = add_cpu(feed, &ledger->cpus.data[i], profile);
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

static struct pd_error *add_step(const struct led_feed *feed, const struct led_step *step,
	struct prof_thread_id *threads, struct profile *profile)
{
	struct prof_path_step row = {
		.instead = prof_no_thread(),
		.state = (uint16_t)step->state,
		.path = (uint32_t)profile->paths.n - 1,
		.begin_ns = step->range.from,
		.end_ns = step->range.to,
		.since_ns = step->since,
		.until_ns = step->until,
	};
	struct pd_error *err = find_thread(feed, step->task, threads, profile, &row.thread);

	if (err)
		return err;
	if (step->instead == LED_IDLE_TASK) {
		row.instead_kind = PROF_INSTEAD_IDLE;
	} else if (step->instead != LED_NONE) {
		row.instead_kind = PROF_INSTEAD_THREAD;
		err = find_thread(feed, step->instead, threads, profile, &row.instead);
	}
	return err ? err : add_parts(feed, &row, profile);
}

static struct pd_error *add_steps(
	const struct led_feed *feed, const struct led_path *path, struct profile *profile)
{
	size_t n = feed->ledger.tasks.n;
	_cleanup_free_ struct prof_thread_id *threads = base_calloc_n(n, sizeof(*threads));
	struct pd_error *err = threads ? NULL : &pd_enomem;

	for (size_t i = 0; threads && i < n; i++)
		threads[i] = prof_no_thread();
	for (size_t i = 0; !err && i < path->steps.n; i++)
		err = add_step(feed, &path->steps.data[i], threads, profile);
	return err;
}

struct pd_error *led_feed_add_path(
	struct led_feed *feed, const char *owner, struct profile *profile)
{
	_cleanup_(led_path_deinit) struct led_path path = { 0 };
	struct led_owner_search search = { .ledger = &feed->ledger, .names = &feed->names };
	struct prof_path row = { 0 };

	search.cmdline = pd_file_cmdline(feed->file, &search.n_cmdline);
	uint32_t task = led_path_owner(&search, owner);
	if (task == LED_NONE)
		return pd_error_create(PD_ERROR_USAGE, feed->file->path,
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
