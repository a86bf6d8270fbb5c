/*
 * Events of the scheduler in the perfetto format.
 *
 * They are made from the changes of the ledger, whatever was recorded: sched_switch,
 * PERF_RECORD_SWITCH, or both. A thread that leaves a CPU and another one that gets it at the same
 * time are one switch; otherwise the idle thread is between them.
 */
#include "output/perfetto/perfetto_sched.h"

#include "base/array.h"
#include "output/perfetto/perfetto_tracks.h"

/*
 * States of sched_switch, which are the same in all kernels, except for the last one: a bit that
 * none has, so that readers show no state.
 */
enum {
	STATE_RUNNABLE = 0,
	STATE_SLEEPING = 1,
	STATE_DISK = 2,
	STATE_DEAD = 16,
	STATE_UNKNOWN = 0x200,
};

#define TASK_STATE(name) \
	PERFETTO__GENERIC_KERNEL_TASK_STATE_EVENT__TASK_STATE_ENUM__TASK_STATE_##name

/* From the kernel's sched.h: the new task is a thread of the process of its parent. */
enum { CLONE_THREAD_FLAG = 0x10000 };

static const struct prof_thread idle_thread = { .tid = PERFETTO_IDLE_TID };

struct cpu {
	uint32_t number;
	/** Thread on it; refers to nothing: the idle one, or it is not known. */
	struct prof_thread_id running;
	/** The thread has left it at this time in this state, which was not written yet. */
	bool is_left;
	uint64_t left_at;
	int64_t state;
};

struct sched {
	struct perfetto *p;
	PD_VEC(struct cpu) cpus;
	struct base_map by_number;
	/** Tracks of states, by process and thread. */
	struct base_map tracks;
};

static struct cpu *get_cpu(struct sched *s, uint32_t number)
{
	const struct cpu fresh = { .number = number, .running = prof_no_thread() };
	bool is_new;
	uint64_t *index = base_map_add(&s->by_number, number, &is_new);

	if (!index || (is_new && !pd_vec_push(&s->cpus, fresh))) {
		s->p->no_memory = true;
		return NULL;
	}
	if (is_new)
		*index = s->cpus.n - 1;
	/* It is missing if there was no memory for it before. */
	return *index < s->cpus.n ? &s->cpus.data[*index] : NULL;
}

static const struct prof_thread *thread_of(const struct sched *s, struct prof_thread_id id)
{
	return prof_is_none(id) ? &idle_thread : prof_thread(s->p->profile, id);
}

static char *name_of(const struct sched *s, const struct prof_thread *thread)
{
	return thread == &idle_thread ? "swapper" : perfetto_comm(s->p, thread);
}

static void put_event(struct sched *s, uint32_t cpu, Perfetto__FtraceEvent *event)
{
	Perfetto__FtraceEventBundle bundle = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	bundle.cpu = cpu;
	bundle.n_event = 1;
	bundle.event = (Perfetto__FtraceEvent *[]){ event };
	packet.ftrace_events = &bundle;
	perfetto_put(s->p, &packet);
}

/* The CPU switches from the thread on it, whose state is @p state, to @p next. */
static void put_switch(
	struct sched *s, struct cpu *cpu, uint64_t time, int64_t state, struct prof_thread_id next)
{
	const struct prof_thread *from = thread_of(s, cpu->running), *to = thread_of(s, next);
	Perfetto__SchedSwitchFtraceEvent sched_switch = PERFETTO__SCHED_SWITCH_FTRACE_EVENT__INIT;
	Perfetto__FtraceEvent event = PERFETTO__FTRACE_EVENT__INIT;

	sched_switch.prev_comm = name_of(s, from);
	sched_switch.prev_pid = (int32_t)from->tid;
	sched_switch.prev_state = state;
	sched_switch.next_comm = name_of(s, to);
	sched_switch.next_pid = (int32_t)to->tid;
	event.timestamp = time;
	event.pid = from->tid;
	event.sched_switch = &sched_switch;
	put_event(s, cpu->number, &event);
	cpu->running = next;
	cpu->is_left = false;
}

/* Write that the CPU became idle, if no other thread has got it since. */
static void settle(struct sched *s, struct cpu *cpu)
{
	if (cpu->is_left)
		put_switch(s, cpu, cpu->left_at, cpu->state, prof_no_thread());
}

/* The CPU that an event is listed under. Readers do not use it, unless it is a switch. */
static uint32_t bundle_of(const struct prof_ledger_change *change)
{
	return change->cpu == PROF_NONE ? 0 : change->cpu;
}

static void put_waking(struct sched *s, const struct prof_ledger_change *change)
{
	/* From the kernel's trace_events.h: the viewer shows whether an interrupt woke a thread. */
	static const uint32_t flags[PROF_N_INTERRUPT_KINDS] = {
		[PROF_INTERRUPT_HARD] = 8,
		[PROF_INTERRUPT_SOFT] = 16,
	};
	const struct prof_thread *thread = prof_thread(s->p->profile, change->thread);
	Perfetto__SchedWakingFtraceEvent waking = PERFETTO__SCHED_WAKING_FTRACE_EVENT__INIT;
	Perfetto__FtraceEvent event = PERFETTO__FTRACE_EVENT__INIT;

	waking.comm = perfetto_comm(s->p, thread);
	waking.pid = (int32_t)thread->tid;
	waking.has_target_cpu = change->cpu != PROF_NONE;
	waking.target_cpu = (int32_t)change->cpu;
	event.timestamp = change->time_ns;
	/* Interrupts are those of the idle thread, which the viewer draws no arrow from. */
	event.pid = thread_of(s, change->by)->tid;
	event.has_common_flags = change->by_interrupt != PROF_INTERRUPT_NONE;
	event.common_flags = flags[change->by_interrupt];
	event.sched_waking = &waking;
	put_event(s, bundle_of(change), &event);
}

/* A new thread belongs to the process of its parent, which may be unknown: its first thread. */
static void put_birth(struct sched *s, const struct prof_ledger_change *change)
{
	const struct prof_thread *thread = prof_thread(s->p->profile, change->thread);
	const struct prof_thread *parent = thread_of(s, change->by);
	bool is_thread = thread->pid && thread->pid != thread->tid;
	Perfetto__TaskNewtaskFtraceEvent birth = PERFETTO__TASK_NEWTASK_FTRACE_EVENT__INIT;
	Perfetto__FtraceEvent event = PERFETTO__FTRACE_EVENT__INIT;

	birth.pid = (int32_t)thread->tid;
	birth.comm = perfetto_comm(s->p, thread);
	birth.clone_flags = is_thread ? CLONE_THREAD_FLAG : 0;
	event.timestamp = change->time_ns;
	event.pid = is_thread && parent->pid != thread->pid ? thread->pid : parent->tid;
	event.task_newtask = &birth;
	put_event(s, bundle_of(change), &event);
}

/* Write a state that no event of the kernel begins: that of a thread which is not switched. */
static void put_state(struct sched *s, const struct prof_ledger_change *change)
{
	const struct prof_thread *thread = prof_thread(s->p->profile, change->thread);
	Perfetto__GenericKernelTaskStateEvent state =
		PERFETTO__GENERIC_KERNEL_TASK_STATE_EVENT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	state.comm = perfetto_comm(s->p, thread);
	state.tid = thread->tid;
	if (change->to == PROF_LEDGER_RUNNABLE)
		state.state = TASK_STATE(RUNNABLE);
	else
		state.state = change->is_disk ? TASK_STATE(UNINTERRUPTIBLE_SLEEP)
					      : TASK_STATE(INTERRUPTIBLE_SLEEP);
	packet.has_timestamp = true;
	packet.timestamp = change->time_ns;
	packet.generic_kernel_task_state_event = &state;
	perfetto_put(s->p, &packet);
}

/* Return prev_state of a switch that begins the state of @p change. */
static int64_t prev_state(const struct prof_ledger_change *change)
{
	switch (change->to) {
	case PROF_LEDGER_RUNNABLE:
		return STATE_RUNNABLE;
	case PROF_LEDGER_BLOCKED:
		return change->is_disk ? STATE_DISK : STATE_SLEEPING;
	case PROF_LEDGER_GONE:
		return STATE_DEAD;
	default:
		return STATE_UNKNOWN;
	}
}

static void leave(struct sched *s, struct cpu *cpu, const struct prof_ledger_change *change)
{
	settle(s, cpu);
	/* Two threads on one CPU contradict each other. The switch is true of this one. */
	cpu->running = change->thread;
	cpu->is_left = true;
	cpu->left_at = change->time_ns;
	cpu->state = prev_state(change);
}

static void enter(struct sched *s, struct cpu *cpu, const struct prof_ledger_change *change)
{
	if (cpu->is_left && cpu->left_at != change->time_ns)
		settle(s, cpu);
	if (!cpu->is_left)
		cpu->running = prof_no_thread();
	put_switch(s, cpu, change->time_ns, cpu->is_left ? cpu->state : STATE_RUNNABLE,
		change->thread);
}

/*
 * A thread off the CPUs ends, or its state is not known any more. Only a switch ends its state, so
 * it gets the CPU for a time of 0.
 */
static void close_state(struct sched *s, struct cpu *cpu, const struct prof_ledger_change *change)
{
	settle(s, cpu);
	struct prof_thread_id before = cpu->running;
	put_switch(s, cpu, change->time_ns, STATE_RUNNABLE, change->thread);
	put_switch(s, cpu, change->time_ns, prev_state(change), before);
}

/* Write a state as a slice of a track of the thread, which needs no CPU. */
static void put_slice(struct sched *s, const struct prof_ledger_change *change)
{
	static const char *const names[PROF_N_LEDGER_STATES] = {
		[PROF_LEDGER_RUNNING] = "running",
		[PROF_LEDGER_RUNNABLE] = "runnable",
		[PROF_LEDGER_BLOCKED] = "blocked",
	};
	const struct prof_thread *thread = prof_thread(s->p->profile, change->thread);
	uint64_t *track = base_map_add(&s->tracks, perfetto_thread_key(thread), NULL);

	if (!track) {
		s->p->no_memory = true;
		return;
	}
	if (!*track)
		*track = perfetto_add_track(s->p, thread, "state");
	if (change->from < PROF_N_LEDGER_STATES && names[change->from])
		perfetto_put_slice_end(s->p, *track, change->time_ns);
	if (change->to < PROF_N_LEDGER_STATES && names[change->to])
		perfetto_put_slice(s->p, *track, change->time_ns, names[change->to]);
}

/* Write a change of a thread that neither leaves nor gets a CPU. */
static void put_off_cpu(struct sched *s, const struct prof_ledger_change *change)
{
	bool is_woken = change->from == PROF_LEDGER_BLOCKED &&
			(change->to == PROF_LEDGER_RUNNABLE || !prof_is_none(change->by));
	struct cpu *cpu;

	if (is_woken)
		put_waking(s, change);
	switch (change->to) {
	case PROF_LEDGER_RUNNABLE:
		if (!is_woken && change->from != PROF_LEDGER_BORN)
			put_state(s, change);
		break;
	case PROF_LEDGER_BLOCKED:
		put_state(s, change);
		break;
	default:
		cpu = change->from != PROF_LEDGER_GONE ? get_cpu(s, bundle_of(change)) : NULL;
		if (cpu)
			close_state(s, cpu, change);
	}
}

static void put_change(struct sched *s, const struct prof_ledger_change *change)
{
	bool leaves = change->from == PROF_LEDGER_RUNNING, gets = change->to == PROF_LEDGER_RUNNING;

	if (change->from == PROF_LEDGER_BORN)
		put_birth(s, change);
	if (!leaves && !gets) {
		put_off_cpu(s, change);
		return;
	}
	if (change->cpu == PROF_NONE) {
		put_slice(s, change);
		return;
	}
	struct cpu *cpu = get_cpu(s, change->cpu);
	if (cpu && leaves)
		leave(s, cpu, change);
	else if (cpu)
		enter(s, cpu, change);
}

bool perfetto_has_cpus(const struct profile *profile)
{
	for (size_t i = 0; i < profile->ledger_changes.n; i++) {
		const struct prof_ledger_change *change = &profile->ledger_changes.data[i];

		base_spill_pass(&profile->ledger_changes, i);
		if (change->to == PROF_LEDGER_RUNNING && change->cpu != PROF_NONE)
			return true;
	}
	return false;
}

void perfetto_put_sched(struct perfetto *p)
{
	struct sched s = { .p = p };
	void (*put)(struct sched *, const struct prof_ledger_change *) =
		p->has_cpus ? put_change : put_slice;

	for (size_t i = 0; i < p->profile->ledger_changes.n; i++) {
		base_spill_pass(&p->profile->ledger_changes, i);
		put(&s, &p->profile->ledger_changes.data[i]);
	}
	for (size_t i = 0; i < s.cpus.n; i++)
		settle(&s, &s.cpus.data[i]);
	pd_vec_deinit(&s.cpus);
	base_map_deinit(&s.by_number);
	base_map_deinit(&s.tracks);
}
