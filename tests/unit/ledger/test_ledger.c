/* Sums of threads and CPUs from events whose times are known. */
#include "tests/unit/test.h"

#include "ledger/ledger.h"
#include "tests/unit/ledger/made_switches.h"

enum { A = 11, B = 12, C = 13, PROCESS = 10, CPU0 = 0, CPU1 = 1, IDLE = 0, IRQ = 0 };

static int set_up(void **state)
{
	static struct ledger ledger;

	led_init(&ledger);
	*state = &ledger;
	return 0;
}

static int tear_down(void **state)
{
	led_deinit(*state);
	return 0;
}

static void on(struct ledger *l, uint64_t time, uint32_t cpu, uint32_t tid)
{
	const struct led_switch at = {
		.time = time, .cpu = cpu, .prev = LED_NO_TID, .next = tid, .source = LED_BY_RECORD
	};

	assert_ok(led_switches(l, &at));
}

static void off(struct ledger *l, uint64_t time, uint32_t cpu, uint32_t tid, enum led_reason reason)
{
	const struct led_switch at = { .time = time,
		.cpu = cpu,
		.prev = tid,
		.next = LED_NO_TID,
		.reason = reason,
		.source = LED_BY_RECORD };

	assert_ok(led_switches(l, &at));
}

static void born(struct ledger *l, uint64_t time, uint32_t tid)
{
	const struct led_birth birth = { PROCESS, tid, LED_NONE };

	assert_ok(led_born(l, time, &birth));
}

/* Close the accounts. All lives and CPUs must balance. */
static void finish(struct ledger *l)
{
	struct led_range wall;

	led_finish(l);
	wall = led_wall(l);
	for (size_t i = 0; i < l->tasks.n; i++) {
		const struct led_task *task = &l->tasks.data[i];
		struct led_range life = led_life(l, task);

		assert_int_equal(task->ns[LED_RUNNING] + task->ns[LED_RUNNABLE] +
					 task->ns[LED_BLOCKED] + task->ns[LED_UNKNOWN],
			life.to - life.from);
	}
	for (size_t i = 0; i < l->cpus.n; i++) {
		const uint64_t *ns = l->cpus.data[i].ns;

		assert_int_equal(ns[LED_BUSY] + ns[LED_IDLE] + ns[LED_UNSURE], wall.to - wall.from);
	}
}

static const struct led_task *task_of(const struct ledger *l, uint32_t tid, size_t life)
{
	for (size_t i = 0; i < l->tasks.n; i++) {
		if (l->tasks.data[i].tid == tid && !life--)
			return &l->tasks.data[i];
	}
	fail();
	return NULL;
}

static void assert_life(const struct ledger *l, uint32_t tid, uint64_t running, uint64_t runnable,
	uint64_t blocked, uint64_t unknown)
{
	const struct led_task *task = task_of(l, tid, 0);

	assert_int_equal(task->ns[LED_RUNNING], running);
	assert_int_equal(task->ns[LED_RUNNABLE], runnable);
	assert_int_equal(task->ns[LED_BLOCKED], blocked);
	assert_int_equal(task->ns[LED_UNKNOWN], unknown);
}

static void assert_cpu(
	const struct ledger *l, uint32_t cpu, uint64_t busy, uint64_t idle, uint64_t unknown)
{
	const uint64_t *ns = l->cpus.data[*base_map_find(&l->by_cpu, cpu)].ns;

	assert_int_equal(ns[LED_BUSY], busy);
	assert_int_equal(ns[LED_IDLE], idle);
	assert_int_equal(ns[LED_UNSURE], unknown);
}

/* A waits, is woken, and waits for the CPU until B leaves it. */
static void waits_and_delays(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, B);
	assert_ok(led_wakes(l, 1300, A, B));
	by_tracepoint(l, 1350, CPU0, B, LED_PREEMPTED, A);
	by_tracepoint(l, 1500, CPU0, A, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1600, A, IRQ));
	by_tracepoint(l, 1610, CPU0, IDLE, LED_BLOCKS, A);
	led_moment(l, 2000);
	finish(l);
	assert_life(l, A, 100 + 150 + 390, 50 + 10, 200 + 100, 0);
	/* B is runnable before it runs, since it was not woken; and to the end. */
	assert_life(l, B, 250, 100 + 650, 0, 0);
	assert_cpu(l, CPU0, 100 + 250 + 150 + 390, 110, 0);
	assert_int_equal(task_of(l, A, 0)->n_runs, 2);
	assert_int_equal(task_of(l, A, 0)->n_waits, 2);
	assert_int_equal(task_of(l, B, 0)->n_preemptions, 1);
	assert_int_equal(task_of(l, A, 0)->ended, 0);
	assert_int_equal(task_of(l, A, 0)->born, 0);
	assert_int_equal(l->n_missing, 0);
}

static void wakers_are_counted(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	assert_ok(led_wakes(l, 1100, A, B));
	by_tracepoint(l, 1110, CPU0, B, LED_BLOCKS, A);
	by_tracepoint(l, 1200, CPU0, A, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1250, A, IRQ));
	/* Further wakeups find a thread that can run. */
	assert_ok(led_wakes(l, 1260, A, B));
	by_tracepoint(l, 1270, CPU0, IDLE, LED_BLOCKS, A);
	assert_ok(led_wakes(l, 1280, A, B));
	led_moment(l, 1300);
	finish(l);
	assert_int_equal(l->wakers.n, 2);
	assert_int_equal(l->tasks.data[l->wakers.data[0].waker].tid, B);
	assert_int_equal(l->tasks.data[l->wakers.data[0].waiter].tid, A);
	assert_int_equal(l->wakers.data[0].n, 1);
	assert_int_equal(l->wakers.data[0].ns, 100);
	assert_int_equal(l->wakers.data[1].waker, LED_NONE);
	assert_int_equal(l->wakers.data[1].n, 1);
	assert_int_equal(l->wakers.data[1].ns, 50);
	assert_life(l, A, 90 + 30, 10 + 20, 100 + 50, 0);
}

/* The waker runs on another CPU, before the thread that it wakes has left its own. */
static void wakeup_before_the_switch(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1010, CPU0, IDLE, LED_BLOCKS, A);
	assert_ok(led_wakes(l, 1020, A, B));
	by_tracepoint(l, 1030, CPU0, A, LED_BLOCKS, C);
	by_tracepoint(l, 1050, CPU0, C, LED_BLOCKS, A);
	led_moment(l, 1100);
	finish(l);
	assert_life(l, A, 20 + 50, 10 + 20, 0, 0);
}

static void threads_that_never_run(void **state)
{
	struct ledger *l = *state;

	assert_ok(led_known(l, PROCESS, A));
	assert_ok(led_known(l, PROCESS, B));
	assert_true(led_lacks_name(l, B));
	led_set_name(l, B, 7);
	led_moment(l, 1000);
	by_tracepoint(l, 1500, CPU0, IDLE, LED_BLOCKS, C);
	led_moment(l, 3000);
	finish(l);
	assert_life(l, A, 0, 0, 2000, 0);
	assert_life(l, B, 0, 0, 2000, 0);
	assert_int_equal(task_of(l, B, 0)->name, 7);
	assert_life(l, C, 1500, 0, 500, 0);
	assert_cpu(l, CPU0, 1500, 500, 0);
}

/* A thread that runs throughout has no switch either, but it has samples. */
static void a_thread_that_never_stops(void **state)
{
	struct ledger *l = *state;

	assert_ok(led_known(l, PROCESS, A));
	led_moment(l, 1000);
	assert_ok(led_known(l, PROCESS, B));
	led_ran(l, 1001, A);
	led_ran(l, 1001, B);
	by_tracepoint(l, 1500, CPU0, IDLE, LED_BLOCKS, C);
	by_tracepoint(l, 1600, CPU0, C, LED_BLOCKS, B);
	led_ran(l, 2990, A);
	led_moment(l, 3000);
	finish(l);
	assert_life(l, A, 1990, 0, 0, 10);
	/* B has left its CPU, which was not recorded. */
	assert_life(l, B, 1400, 0, 0, 600);
}

static void lives_within_the_recording(void **state)
{
	struct ledger *l = *state;
	const struct led_birth known_twice = { LED_NONE, B, LED_NONE };
	const struct led_birth child = { PROCESS, C, B };

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	born(l, 1100, B);
	led_set_name(l, B, 5);
	assert_ok(led_born(l, 1105, &known_twice));
	by_tracepoint(l, 1120, CPU0, A, LED_PREEMPTED, B);
	assert_ok(led_born(l, 1200, &child));
	by_tracepoint(l, 1300, CPU0, B, LED_BLOCKS, A);
	assert_ok(led_wakes(l, 1400, B, A));
	by_tracepoint(l, 1450, CPU0, A, LED_BLOCKS, B);
	led_exits(l, 1490, B);
	by_tracepoint(l, 1500, CPU0, B, LED_DIES, IDLE);
	led_moment(l, 2000);
	finish(l);
	assert_life(l, B, 180 + 50, 20 + 50, 100, 0);
	assert_int_equal(task_of(l, B, 0)->born, 1100);
	assert_int_equal(task_of(l, B, 0)->ended, 1500);
	assert_int_equal(task_of(l, C, 0)->name, 5);
	assert_life(l, C, 0, 800, 0, 0);
	assert_cpu(l, CPU0, 500, 500, 0);
}

/* A number that is used again is another life. */
static void numbers_are_used_again(void **state)
{
	struct ledger *l = *state;

	led_moment(l, 1000);
	born(l, 1100, A);
	on(l, 1110, CPU0, A);
	led_exits(l, 1200, A);
	born(l, 1300, A);
	on(l, 1310, CPU0, A);
	led_exits(l, 1400, A);
	/* It is the last switch of the thread. */
	off(l, 1405, CPU0, A, LED_BLOCKS);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 90, 10, 0, 0);
	assert_int_equal(task_of(l, A, 0)->ended, 1200);
	assert_int_equal(task_of(l, A, 1)->ns[LED_RUNNING], 95);
	assert_int_equal(task_of(l, A, 1)->ended, 1405);
}

static void threads_migrate(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_PREEMPTED, B);
	by_tracepoint(l, 1150, CPU1, IDLE, LED_BLOCKS, A);
	by_tracepoint(l, 1400, CPU1, A, LED_BLOCKS, IDLE);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 100 + 250, 50, 100, 0);
	assert_cpu(l, CPU0, 500, 0, 0);
	assert_cpu(l, CPU1, 250, 250, 0);
}

/* The switch from A to C is missing. */
static void missing_switches(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, IDLE, LED_BLOCKS, A);
	by_tracepoint(l, 1300, CPU0, C, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1400, CPU0, IDLE, LED_BLOCKS, A);
	/* The switch from IDLE to A is missing. */
	by_tracepoint(l, 1500, CPU0, A, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1600, CPU0, A, LED_BLOCKS, IDLE);
	led_moment(l, 1700);
	finish(l);
	assert_life(l, A, 100, 100 + 100, 100, 200 + 100);
	assert_cpu(l, CPU0, 100, 100 + 100 + 100, 200 + 100);
	assert_int_equal(l->cpus.data[0].n_breaks, 2);
}

/* The first switch of a CPU is from a thread that got it before the recording. */
static void a_first_switch_too_late(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1400, CPU1, A, LED_BLOCKS, IDLE);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 100, 0, 100, 300);
	assert_cpu(l, CPU0, 100, 400, 0);
	assert_cpu(l, CPU1, 0, 100, 400);
}

/* Other records are earlier than the first one of a switch. */
static void tracepoints_begin_later(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	assert_ok(led_known(l, PROCESS, B));
	led_moment(l, 1000);
	born(l, 1010, C);
	l->covered_from = 1060;
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, IDLE);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 40, 0, 400, 60);
	assert_life(l, B, 0, 0, 440, 60);
	assert_life(l, C, 0, 490, 0, 0);
	assert_cpu(l, CPU0, 40, 400, 60);
}

/* The time before tracepoints is a part of the first state, which is not known: it counts once. */
static void tracepoints_of_single_threads_begin_later(void **state)
{
	struct ledger *l = *state;

	led_moment(l, 1000);
	l->covered_from = 1060;
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, B);
	by_tracepoint(l, 1150, CPU0, B, LED_BLOCKS, A);
	by_tracepoint(l, 1180, CPU0, A, LED_BLOCKS, B);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 30, 0, 50 + 320, 100);
}

/* Waits that others ended are no longer than threads were blocked. */
static void wakers_of_waits_before_tracepoints(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	l->covered_from = 1060;
	by_tracepoint(l, 1060, CPU0, B, LED_PREEMPTED, C);
	assert_ok(led_wakes(l, 1100, A, C));
	by_tracepoint(l, 1110, CPU0, C, LED_PREEMPTED, A);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 390, 10, 40, 60);
	assert_int_equal(l->wakers.n, 1);
	assert_int_equal(l->wakers.data[0].n, 1);
	assert_int_equal(l->wakers.data[0].ns, 40);
}

/* Threads of records and of switches are the same ones under other numbers. */
static void numbers_of_a_namespace(void **state)
{
	struct ledger *l = *state;

	l->is_of_cpus = l->has_other_numbers = true;
	assert_ok(led_known(l, PROCESS, 2));
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, IDLE);
	led_ran(l, 1200, 2);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, 2, 0, 0, 0, 500);
	assert_life(l, A, 100, 0, 400, 0);
}

static void lost_records(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1100, CPU1, B, LED_BLOCKS, C);
	assert_ok(led_lost(l, CPU0, 1200, 1300));
	assert_ok(led_wakes(l, 1400, A, IRQ));
	by_tracepoint(l, 1410, CPU0, IDLE, LED_BLOCKS, A);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 100 + 90, 10, 100 + 100, 100);
	assert_life(l, B, 100, 0, 100, 100 + 200);
	/* The records of its CPU are complete. */
	assert_life(l, C, 400, 100, 0, 0);
	assert_cpu(l, CPU0, 100 + 90, 110, 200);
	assert_cpu(l, CPU1, 500, 0, 0);
}

/* Without the CPU of the lost records, all CPUs are concerned. */
static void lost_records_of_any_cpu(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, B);
	assert_ok(led_lost(l, LED_NONE, 1200, 1300));
	assert_ok(led_lost(l, LED_NONE, 1350, 1400));
	by_tracepoint(l, 1450, CPU0, B, LED_BLOCKS, IDLE);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 100, 0, 100, 300);
	assert_life(l, B, 100 + 50, 100, 50, 200);
	assert_cpu(l, CPU0, 100 + 50, 50, 300);
}

static void switches_of_single_threads(void **state)
{
	struct ledger *l = *state;

	led_moment(l, 1000);
	off(l, 1100, CPU0, A, LED_BLOCKS);
	on(l, 1300, CPU1, A);
	off(l, 1350, CPU1, A, LED_PREEMPTED);
	on(l, 1400, CPU1, A);
	led_exits(l, 1600, A);
	led_moment(l, 1700);
	finish(l);
	assert_life(l, A, 100 + 50 + 200, 50, 200, 0);
	assert_int_equal(task_of(l, A, 0)->ended, 1600);
	assert_cpu(l, CPU0, 100, 0, 600);
	assert_cpu(l, CPU1, 350, 0, 350);
}

/* Time after the record of an exit counts only if the last switch is recorded. */
static void exits(void **state)
{
	struct ledger *l = *state;

	led_moment(l, 1000);
	off(l, 1100, CPU0, A, LED_BLOCKS);
	on(l, 1200, CPU0, A);
	led_exits(l, 1300, A);
	/* It is preempted, which is not recorded any more. */
	by_tracepoint(l, 1400, CPU0, B, LED_BLOCKS, A);
	off(l, 1401, CPU0, B, LED_BLOCKS);
	on(l, 1500, CPU0, B);
	led_moment(l, 1600);
	finish(l);
	assert_life(l, A, 200, 0, 100, 0);
	assert_int_equal(task_of(l, A, 0)->ended, 1300);
}

/* A thread that has exited leaves its CPU without a number. */
static void exits_on_whole_cpus(void **state)
{
	struct ledger *l = *state;
	struct led_switch at = { .time = 1100,
		.cpu = CPU0,
		.prev = B,
		.next = A,
		.reason = LED_BLOCKS,
		.source = LED_BY_RECORD,
		.is_next_repeated = true };

	led_moment(l, 1000);
	assert_ok(led_switches(l, &at));
	on(l, 1101, CPU0, A);
	led_exits(l, 1300, A);
	at.time = 1350;
	at.prev = LED_NO_TID;
	at.next = B;
	assert_ok(led_switches(l, &at));
	on(l, 1351, CPU0, B);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 250, 0, 100, 0);
	assert_int_equal(task_of(l, A, 0)->ended, 1350);
	assert_life(l, B, 250, 0, 250, 0);
	assert_cpu(l, CPU0, 500, 0, 0);
	assert_int_equal(l->cpus.data[0].n_breaks, 0);
}

/* The tracepoint is recorded when a thread leaves the CPU only, and each record comes after it. */
static void two_sources_agree(void **state)
{
	struct ledger *l = *state;

	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, 99);
	off(l, 1101, CPU0, A, LED_BLOCKS);
	on(l, 1200, CPU0, A);
	by_tracepoint(l, 1300, CPU0, A, LED_PREEMPTED, 99);
	off(l, 1301, CPU0, A, LED_PREEMPTED);
	on(l, 1400, CPU0, A);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 100 + 100 + 100, 100, 100, 0);
	assert_false(led_is_recorded(l, task_of(l, 99, 0)));
	assert_true(led_is_recorded(l, task_of(l, A, 0)));
}

static void records_of_whole_cpus(void **state)
{
	struct ledger *l = *state;
	struct led_switch at = { .time = 1100,
		.cpu = CPU0,
		.prev = A,
		.next = B,
		.reason = LED_BLOCKS,
		.source = LED_BY_RECORD,
		.is_next_repeated = true };

	led_moment(l, 1000);
	assert_ok(led_switches(l, &at));
	on(l, 1101, CPU0, B);
	at.time = 1300;
	at.prev = B;
	at.next = IDLE;
	assert_ok(led_switches(l, &at));
	on(l, 1301, CPU0, IDLE);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 100, 0, 400, 0);
	assert_life(l, B, 200, 0, 100 + 200, 0);
	assert_cpu(l, CPU0, 300, 200, 0);
	assert_int_equal(l->n_missing, 0);
}

/* Without records of how threads come onto a CPU, only waits until a wakeup are known. */
static void leaving_alone_says_little(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = true;
	assert_ok(led_known(l, PROCESS, B));
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, 99);
	assert_ok(led_wakes(l, 1300, A, IRQ));
	by_tracepoint(l, 1400, CPU0, A, LED_BLOCKS, 99);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 0, 0, 200 + 100, 100 + 100);
	assert_life(l, B, 0, 0, 0, 500);
}

static void waits_as_a_whole(void **state)
{
	struct ledger *l = *state;

	assert_ok(led_known(l, PROCESS, A));
	assert_ok(led_known(l, PROCESS, B));
	assert_ok(led_known(l, PROCESS, C));
	led_ran(l, 1010, A);
	led_ran(l, 1010, C);
	assert_ok(led_waited(l, 1200, A, 200));
	assert_ok(led_waited(l, 1500, A, 100));
	led_moment(l, 1600);
	finish(l);
	assert_life(l, A, 0, 0, 300, 300);
	assert_life(l, B, 0, 0, 600, 0);
	assert_life(l, C, 0, 0, 0, 600);
}

/* Waits whose times were not recorded take the place of unknown time only. */
static void waits_without_a_time(void **state)
{
	struct ledger *l = *state;

	led_moment(l, 1000);
	assert_ok(led_known(l, PROCESS, A));
	assert_ok(led_waited(l, 0, A, 300));
	assert_ok(led_waited(l, 0, B, 5000));
	led_moment(l, 2000);
	finish(l);
	assert_life(l, A, 0, 0, 300, 700);
	assert_life(l, B, 0, 0, 1000, 0);
}

static void nothing_is_known_without_switches(void **state)
{
	struct ledger *l = *state;

	assert_ok(led_known(l, PROCESS, A));
	led_moment(l, 1000);
	born(l, 1200, B);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 0, 0, 0, 500);
	assert_life(l, B, 0, 0, 0, 300);
}

static void part_of_a_recording(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	assert_ok(led_timeline_count(&l->timeline, (struct led_range){ 1050, 1350 }));
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1200, A, IRQ));
	by_tracepoint(l, 1220, CPU0, IDLE, LED_BLOCKS, A);
	born(l, 1400, B);
	led_moment(l, 1500);
	finish(l);
	assert_life(l, A, 50 + 130, 20, 100, 0);
	assert_cpu(l, CPU0, 50 + 130, 120, 0);
	assert_false(led_is_recorded(l, task_of(l, B, 0)));
}

/* The switch with which a new thread got its first CPU is missing. */
static void a_first_switch_is_lost(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	born(l, 1100, B);
	by_tracepoint(l, 1300, CPU0, B, LED_PREEMPTED, A);
	by_tracepoint(l, 1400, CPU0, A, LED_PREEMPTED, B);
	by_tracepoint(l, 1500, CPU0, B, LED_DIES, A);
	led_moment(l, 2000);
	finish(l);
	assert_life(l, B, 100, 100, 0, 200);
	assert_int_equal(l->n_missing, 1);
}

/* Delays have an end, and are divided by whether a CPU was idle. */
static void delays(void **state)
{
	struct ledger *l = *state;

	l->has_wakes = l->is_of_cpus = true;
	led_moment(l, 1000);
	by_tracepoint(l, 1010, CPU1, C, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1100, CPU0, A, LED_PREEMPTED, B);
	by_tracepoint(l, 1150, CPU1, IDLE, LED_BLOCKS, C);
	by_tracepoint(l, 1300, CPU0, B, LED_BLOCKS, A);
	assert_ok(led_wakes(l, 1400, B, C));
	by_tracepoint(l, 1450, CPU1, C, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1480, CPU1, IDLE, LED_BLOCKS, B);
	by_tracepoint(l, 1500, CPU0, A, LED_PREEMPTED, IDLE);
	led_moment(l, 2000);
	finish(l);
	assert_int_equal(l->delays.list.n, 2);
	const struct led_delay *delay = l->delays.list.data;
	assert_int_equal(delay[0].begin, 1100);
	assert_int_equal(delay[0].ns, 200);
	assert_int_equal(delay[0].idle_ns, 50);
	assert_int_equal(delay[0].after, LED_AFTER_PREEMPTION);
	assert_int_equal(l->tasks.data[delay[0].before].tid, B);
	assert_int_equal(delay[1].begin, 1400);
	assert_int_equal(delay[1].ns, 80);
	assert_int_equal(delay[1].idle_ns, 30);
	assert_int_equal(delay[1].after, LED_AFTER_WAKEUP);
	assert_int_equal(delay[1].before, LED_IDLE_TASK);
	assert_int_equal(delay[1].cpu, CPU1);
}

static void an_empty_recording(void **state)
{
	struct ledger *l = *state;

	assert_ok(led_known(l, PROCESS, A));
	finish(l);
	assert_life(l, A, 0, 0, 0, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(waits_and_delays),
		TEST(wakers_are_counted),
		TEST(wakeup_before_the_switch),
		TEST(threads_that_never_run),
		TEST(a_thread_that_never_stops),
		TEST(lives_within_the_recording),
		TEST(numbers_are_used_again),
		TEST(threads_migrate),
		TEST(missing_switches),
		TEST(a_first_switch_too_late),
		TEST(tracepoints_begin_later),
		TEST(tracepoints_of_single_threads_begin_later),
		TEST(wakers_of_waits_before_tracepoints),
		TEST(numbers_of_a_namespace),
		TEST(lost_records),
		TEST(lost_records_of_any_cpu),
		TEST(switches_of_single_threads),
		TEST(exits),
		TEST(exits_on_whole_cpus),
		TEST(two_sources_agree),
		TEST(records_of_whole_cpus),
		TEST(leaving_alone_says_little),
		TEST(waits_as_a_whole),
		TEST(waits_without_a_time),
		TEST(nothing_is_known_without_switches),
		TEST(part_of_a_recording),
		TEST(a_first_switch_is_lost),
		TEST(delays),
		TEST(an_empty_recording),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
