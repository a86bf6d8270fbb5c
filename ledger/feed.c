#include "ledger/feed.h"

#include <string.h>

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

void led_feed_init(struct led_feed *feed, const struct led_interrupts *interrupts)
{
	*feed = (struct led_feed){ .interrupts = interrupts };
	led_init(&feed->ledger);
}

void led_feed_deinit(struct led_feed *feed)
{
	led_deinit(&feed->ledger);
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
	const struct pd_events *events = &t->feed->interrupts->sched->file->events;

	if (!t->time || lost->lost)
		return;
	t->feed->last_mark = t->time;
	if (events->list.n && pd_attr_has(&events->list.data[0].attr, PD_ATTR_context_switch))
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
	/* Those of the kernel have the number -1. */
	case PD_RECORD_MMAP:
		return led_is_program(&t->feed->ledger, body.mmap.pid);
	case PD_RECORD_MMAP2:
		return led_is_program(&t->feed->ledger, body.mmap2.pid);
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

bool led_feed_is_idle(const struct led_feed *feed)
{
	return feed->is_optional && !feed->interrupts->sched->has_states;
}

static bool is_followed(const struct pd_record *rec)
{
	switch (rec->type) {
	case PD_RECORD_COMM:
	case PD_RECORD_FORK:
	case PD_RECORD_EXIT:
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
	case PD_RECORD_SWITCH:
	case PD_RECORD_SWITCH_CPU_WIDE:
	case PD_RECORD_LOST:
	case PD_RECORD_LOST_SAMPLES:
		return true;
	default:
		return false;
	}
}

static struct pd_error *take_sample(struct taking *t)
{
	struct led_sched_events *events = t->feed->interrupts->sched;
	const struct led_event *known = events->present.known;
	const struct pd_sample *sample = led_present_sample(events);
	struct ledger *ledger = &t->feed->ledger;

	if (!sample)
		return NULL;
	if (known && known->kind == LED_OFFCPU_TIME)
		return led_waited(ledger, t->time, sample->tid, sample->period);
	const struct pd_attr *attr = &events->present.event->attr;
	if (attr->sample_type >> PD_SAMPLE_CPU & 1)
		t->cpu = sample->cpu;
	t->sid.tid = sample->tid;
	if (!t->time)
		return NULL;
	if (attr->sample_type >> PD_SAMPLE_CGROUP & 1)
		led_set_cgroup(ledger, sample->tid, sample->cgroup);
	/* A switch says the same, by the number of the kernel. */
	if (!known || known->kind != LED_TRACEPOINT_SWITCH)
		led_ran(ledger, t->time, sample->tid);
	if (!known || known->kind >= LED_N_TRACEPOINTS)
		return NULL;
	if (!ledger->covered_from)
		ledger->covered_from = t->time;
	return led_sched_follow(t->feed->interrupts, ledger, &t->feed->names);
}

/* Read the trailer of a record that is not a sample. */
static struct pd_error *take_other(struct taking *t)
{
	const struct pd_events *events = &t->feed->interrupts->sched->file->events;

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

struct pd_error *led_feed_take(struct led_feed *feed)
{
	const struct led_sched_events *events = feed->interrupts->sched;
	struct taking t = {
		.feed = feed,
		.rec = events->present.rec,
		.cpu = LED_NONE,
		.time = events->present.time,
	};

	feed->ledger.has_wakes |= events->has_wakes;
	feed->ledger.is_sampled |= events->is_sampled;
	if (t.rec->type >= PD_RECORD_FIRST_TOOL || led_feed_is_idle(feed))
		return NULL;
	if (t.time)
		led_moment(&feed->ledger, t.time);
	struct pd_error *err = t.rec->type == PD_RECORD_SAMPLE ? take_sample(&t) : take_other(&t);
	return err ? err : note_time(&t);
}
