/* Tables of where time went: waits, states of threads, CPUs, and intervals. */
#include <string.h>

#include "tables/columns.h"
#include "tables/source.h"

/* Set @p ret to name number @p i of a list of @p n, which have static storage. */
static void set_name(struct tab_source *source, const char *const *names, size_t n, size_t i,
	struct tab_cell *ret)
{
	ret->is_null = i >= n;
	if (!ret->is_null)
		tab_set_text(source, names[i], strlen(names[i]), ret);
}

/* Waits by function, as the report has them. */

ARRAY_ROWS(wait_functions, waits.list)

static void get_wait_kind(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const char *name = ana_wait_kind_name(((const struct ana_wait *)row)->kind);

	(void)i;
	tab_set_text(source, name, strlen(name), ret);
}

static const struct tab_column wait_function_columns[] = {
	GET("kind", TEXT, false, get_wait_kind, "what the threads wait for"),
	ID("function", "functions", struct ana_wait, place,
		"function of the program that waits; NULL: none is in the stack"),
	INTEGER("waits", U64, struct ana_wait, n, "number of waits"),
	INTEGER("amount", U64, struct ana_wait, amount,
		"time off the CPU in ns; their number, if times are not known"),
	INTEGER("delay_ns", U64, struct ana_wait, delay,
		"part of it in which the threads could have run, in ns"),
	INTEGER("on_cpu", U64, struct ana_wait, on_cpu,
		"period on the CPU in the function and in what it called"),
};

const struct tab_table tab_wait_functions = {
	.name = "wait_functions",
	.help = "waits for one kind of thing in one function of the program",
	COLUMNS(wait_function_columns),
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES | TAB_NEEDS_WAIT_FUNCTIONS,
	.n_rows = n_wait_functions,
	.row = row_of_wait_functions,
};

/* Waits by the switches of the scheduler. */

ARRAY_ROWS(waits, profile->waits)

static void get_wait_state(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	static const char *const names[PROF_N_WAIT_STATES] = {
		[PROF_WAIT_SLEEPING] = "sleeping",
		[PROF_WAIT_DISK] = "disk",
		[PROF_WAIT_RUNNABLE] = "runnable",
	};

	(void)i;
	set_name(source, names, PROF_N_WAIT_STATES, ((const struct prof_wait *)row)->state, ret);
}

static void get_woken_by(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	static const char *const names[PROF_N_WOKEN_BY] = {
		[PROF_WOKEN_UNKNOWN] = "unknown",
		[PROF_WOKEN_BY_INTERRUPT] = "interrupt",
		[PROF_WOKEN_BY_SAMPLE] = "thread",
	};

	(void)i;
	set_name(source, names, PROF_N_WOKEN_BY, ((const struct prof_wait *)row)->woken_by, ret);
}

static const struct tab_column wait_columns[] = {
	ID("sample_group", "sample_groups", struct prof_wait, sample,
		"samples at which the waits began, with thread and stack"),
	GET("state", TEXT, false, get_wait_state,
		"sleeping; disk: signals do not end it; runnable: another thread got the CPU"),
	GET("woken_by", TEXT, false, get_woken_by, "unknown, interrupt, or thread: see waker"),
	ID("waker", "sample_groups", struct prof_wait, waker,
		"samples that ended them, with thread and stack; NULL: none"),
	MAYBE_TEXT("interrupt", struct prof_wait, interrupt,
		"name of the interrupt, such as [irq eth0]; NULL: none"),
	INTEGER("waits", U64, struct prof_wait, n, "number of waits whose end is known"),
	INTEGER("ns", U64, struct prof_wait, total_ns, "sum of the times off the CPU"),
	INTEGER("delay_ns", U64, struct prof_wait, delay_ns,
		"part of it in which the threads could have run"),
	INTEGER("blocked_ns", U64, struct prof_wait, blocked_ns,
		"time blocked, also in waits whose end is not known"),
};

const struct tab_table tab_waits = {
	.name = "waits",
	.help = "waits that began at one sample in one state, and that one sample ended",
	COLUMNS(wait_columns),
	.n_rows = n_waits,
	.row = row_of_waits,
};

/* Lives of threads and their states. */

static const char *const state_names[PROF_N_LEDGER_STATES] = {
	[PROF_LEDGER_RUNNING] = "running",
	[PROF_LEDGER_RUNNABLE] = "runnable",
	[PROF_LEDGER_BLOCKED] = "blocked",
	[PROF_LEDGER_UNKNOWN] = "unknown",
};

ARRAY_ROWS(lives, profile->ledger_threads)

static void get_life_cgroup(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	struct prof_string_id cgroup = ((const struct prof_ledger_thread *)row)->cgroup;

	(void)i;
	ret->is_null = prof_is_none(cgroup);
	if (!ret->is_null)
		tab_set_string(source, cgroup, ret);
}

#define NS_OF(name, state, text) \
	INTEGER(name, U64, struct prof_ledger_thread, ns[PROF_LEDGER_##state], text)

static const struct tab_column life_columns[] = {
	ROW_ID("number of the life"),
	ID("thread", "threads", struct prof_ledger_thread, thread, "the thread"),
	GET("cgroup", TEXT, true, get_life_cgroup, "path of its control group in its last sample"),
	INTEGER("is_older", U16, struct prof_ledger_thread, is_older,
		"1: it began before the recording"),
	INTEGER("is_unfinished", U16, struct prof_ledger_thread, is_unfinished,
		"1: it was not over when the recording ended"),
	INTEGER("ns", U64, struct prof_ledger_thread, life_ns,
		"its length, which is the sum of the four times below"),
	NS_OF("running_ns", RUNNING, "time on a CPU"),
	NS_OF("runnable_ns", RUNNABLE, "time for which it could run, but others had the CPUs"),
	NS_OF("blocked_ns", BLOCKED, "time for which it waited"),
	NS_OF("unknown_ns", UNKNOWN, "time for which records are missing"),
	INTEGER("runs", U64, struct prof_ledger_thread, n_runs, "how often it got a CPU"),
	INTEGER("waits", U64, struct prof_ledger_thread, n_waits, "how often it blocked"),
	INTEGER("preemptions", U64, struct prof_ledger_thread, n_preemptions,
		"how often another thread got its CPU"),
};

const struct tab_table tab_lives = {
	.name = "lives",
	.help = "the life of a thread, by the switches of the scheduler",
	COLUMNS(life_columns),
	.has_id = true,
	.n_rows = n_lives,
	.row = row_of_lives,
};

SPILLED_ROWS(states, profile->ledger_phases)

static void get_state(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	set_name(source, state_names, PROF_N_LEDGER_STATES,
		((const struct prof_ledger_phase *)row)->state, ret);
}

static const struct tab_column state_columns[] = {
	ID("life", "lives", struct prof_ledger_phase, life, "life that it is a part of"),
	GET("state", TEXT, false, get_state, "running, runnable, blocked or unknown"),
	INTEGER("time", U64, struct prof_ledger_phase, begin_ns, "when it began, in ns"),
	INTEGER("ns", U64, struct prof_ledger_phase, ns, "how long it lasted"),
	INTEGER("is_woken", U16, struct prof_ledger_phase, is_woken,
		"1: a recorded wakeup ended it"),
	ID("waker", "threads", struct prof_ledger_phase, waker,
		"thread that ended it; NULL with is_woken: an interrupt"),
	MAYBE_TEXT("interrupt", struct prof_ledger_phase, interrupt,
		"name of the interrupt, such as [irq eth0]; NULL: none, or it is not known"),
};

const struct tab_table tab_states = {
	.name = "states",
	.help = "a time for which a thread was in one state",
	COLUMNS(state_columns),
	.needs = TAB_NEEDS_PHASES,
	.n_rows = n_states,
	.row = row_of_states,
	.pass = pass_states,
};

ARRAY_ROWS(wakeups, profile->ledger_wakers)

static const struct tab_column wakeup_columns[] = {
	ID("thread", "threads", struct prof_ledger_waker, waiter, "thread that waited"),
	ID("waker", "threads", struct prof_ledger_waker, waker,
		"thread that ended the waits; NULL: an interrupt"),
	MAYBE_TEXT("interrupt", struct prof_ledger_waker, interrupt,
		"name of the interrupt, such as [irq eth0]; NULL: none, or it is not known"),
	INTEGER("waits", U64, struct prof_ledger_waker, n, "number of waits"),
	INTEGER("ns", U64, struct prof_ledger_waker, ns, "time for which the thread was blocked"),
};

const struct tab_table tab_wakeups = {
	.name = "wakeups",
	.help = "waits of a thread that another one ended",
	COLUMNS(wakeup_columns),
	.n_rows = n_wakeups,
	.row = row_of_wakeups,
};

SPILLED_ROWS(delays, profile->ledger_delays)

static void get_instead(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	static const char *const names[] = {
		[PROF_INSTEAD_UNKNOWN] = "unknown",
		[PROF_INSTEAD_IDLE] = "idle",
		[PROF_INSTEAD_THREAD] = "thread",
	};

	(void)i;
	set_name(source, names, PD_ARRAY_LEN(names),
		((const struct prof_ledger_delay *)row)->before_kind, ret);
}

static void get_after(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	static const char *const names[PROF_N_DELAYS_AFTER] = {
		[PROF_AFTER_WAKEUP] = "wakeup",
		[PROF_AFTER_PREEMPTION] = "preemption",
		[PROF_AFTER_BIRTH] = "birth",
	};

	(void)i;
	set_name(source, names, PROF_N_DELAYS_AFTER, ((const struct prof_ledger_delay *)row)->after,
		ret);
}

static const struct tab_column delay_columns[] = {
	ID("thread", "threads", struct prof_ledger_delay, thread, "thread that was runnable"),
	GET("after", TEXT, false, get_after, "why: wakeup, preemption, birth"),
	INTEGER("cpu", ID, struct prof_ledger_delay, cpu, "CPU that it got; NULL: not known"),
	INTEGER("time", U64, struct prof_ledger_delay, begin_ns, "when it began, in ns"),
	INTEGER("ns", U64, struct prof_ledger_delay, ns, "how long it lasted"),
	INTEGER("idle_ns", U64, struct prof_ledger_delay, idle_ns,
		"part of it in which a CPU was idle"),
	GET("had_cpu", TEXT, false, get_instead, "what had the CPU: unknown, idle, thread"),
	ID("instead", "threads", struct prof_ledger_delay, before,
		"thread that had the CPU; NULL: none"),
};

const struct tab_table tab_delays = {
	.name = "delays",
	.help = "a time for which a thread was runnable until it got a CPU",
	COLUMNS(delay_columns),
	.n_rows = n_delays,
	.row = row_of_delays,
	.pass = pass_delays,
};

ARRAY_ROWS(cpus, profile->ledger_cpus)

static const struct tab_column cpu_columns[] = {
	INTEGER("cpu", U32, struct prof_ledger_cpu, cpu, "number of the CPU"),
	INTEGER("ns", U64, struct prof_ledger_cpu, wall_ns,
		"length of the recording, the sum of the three times below"),
	INTEGER("busy_ns", U64, struct prof_ledger_cpu, ns[PROF_LEDGER_BUSY], "time with threads"),
	INTEGER("idle_ns", U64, struct prof_ledger_cpu, ns[PROF_LEDGER_IDLE], "time without"),
	INTEGER("unsure_ns", U64, struct prof_ledger_cpu, ns[PROF_LEDGER_UNSURE],
		"time for which records are missing"),
	INTEGER("switches", U64, struct prof_ledger_cpu, n_switches, "number of switches"),
};

const struct tab_table tab_cpus = {
	.name = "cpus",
	.help = "the use of a CPU, by the switches of the scheduler",
	COLUMNS(cpu_columns),
	.n_rows = n_cpus,
	.row = row_of_cpus,
};

/* Intervals. */

ARRAY_ROWS(interval_kinds, profile->interval_kinds)
SPILLED_ROWS(intervals, profile->intervals)

static const struct tab_column interval_kind_columns[] = {
	ROW_ID("number of the kind"),
	TEXT("name", struct prof_interval_kind, name, "what the intervals are of"),
	INTEGER("is_of_threads", U32, struct prof_interval_kind, is_of_threads,
		"1: they are of the threads in which they began"),
	INTEGER("unended", U64, struct prof_interval_kind, n_unended,
		"number of beginnings without an end"),
	INTEGER("unbegun", U64, struct prof_interval_kind, n_unbegun,
		"number of ends without a beginning"),
};

const struct tab_table tab_interval_kinds = {
	.name = "interval_kinds",
	.help = "intervals of one name, such as system calls",
	COLUMNS(interval_kind_columns),
	.has_id = true,
	.n_rows = n_interval_kinds,
	.row = row_of_interval_kinds,
};

static void get_label(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	struct prof_string_id label = ((const struct prof_interval *)row)->label;

	(void)i;
	ret->is_null = prof_is_none(label);
	if (!ret->is_null)
		tab_set_string(source, label, ret);
}

static void get_interval_stack(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	struct prof_stack_id stack = ((const struct prof_interval *)row)->stack;

	(void)i;
	ret->is_null = prof_is_none(stack) || stack.i == source->no_stack;
	ret->integer = stack.i;
}

static const struct tab_column interval_columns[] = {
	{ .name = "kind",
		.refers_to = "interval_kinds",
		.help = "its kind",
		.from = TAB_FROM_U16,
		.offset = offsetof(struct prof_interval, kind) },
	GET("name", TEXT, true, get_label, "its name among those of the kind, such as read"),
	ID("thread", "threads", struct prof_interval, thread,
		"thread in which it began; NULL: it belongs to none"),
	INTEGER("time", U64, struct prof_interval, begin_ns, "when it began, in ns"),
	INTEGER("ns", U64, struct prof_interval, ns, "how long it took"),
	INTEGER("has_failed", U16, struct prof_interval, has_failed, "1: its end reports an error"),
	GET_ID("stack", "stacks", true, get_interval_stack,
		"stack in which it began; NULL: it was not recorded"),
};

const struct tab_table tab_intervals = {
	.name = "intervals",
	.help = "a time from one event to another, such as a system call, in the order of their ends",
	COLUMNS(interval_columns),
	.n_rows = n_intervals,
	.row = row_of_intervals,
	.pass = pass_intervals,
};
