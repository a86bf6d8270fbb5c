/* Changes of states, from events whose times are known. */
#include "tests/unit/test.h"

#include "ledger/changes.h"
#include "tests/unit/ledger/made_switches.h"

enum { A = 11, B = 12, C = 13, PROCESS = 10, CPU0 = 0, CPU1 = 1, IDLE = 0, IRQ = 0 };

struct made {
	struct ledger ledger;
	struct led_changes changes;
	/** In the order of time. */
	struct led_change list[64];
	size_t n;
};

static int set_up(void **state)
{
	static struct made made;

	made = (struct made){ 0 };
	led_init(&made.ledger);
	made.ledger.timeline.is_kept = true;
	made.ledger.has_wakes = made.ledger.is_of_cpus = true;
	*state = &made;
	return 0;
}

static int tear_down(void **state)
{
	struct made *made = *state;

	led_changes_deinit(&made->changes);
	led_deinit(&made->ledger);
	return 0;
}

/* Take all changes, which come from the last to the first. */
static void finish(struct made *made)
{
	struct ledger *l = &made->ledger;
	struct led_change list[64];

	led_finish(l);
	for (uint32_t i = 0; i < l->tasks.n; i++)
		assert_ok(led_changes_add(&made->changes, l, i));
	while (led_changes_take(&made->changes, l, &list[made->n])) {
		made->n++;
		assert_true(made->n < 64);
	}
	for (size_t i = 0; i < made->n; i++)
		made->list[i] = list[made->n - 1 - i];
	for (size_t i = 1; i < made->n; i++)
		assert_true(made->list[i - 1].time <= made->list[i].time);
}

static uint32_t tid_of(const struct made *made, uint32_t task)
{
	return task == LED_NONE ? 0 : made->ledger.tasks.data[task].tid;
}

static void assert_change(const struct made *made, size_t i, uint64_t time, uint32_t tid,
	unsigned from, unsigned to, uint32_t cpu, uint32_t by)
{
	const struct led_change *change = &made->list[i];

	assert_true(i < made->n);
	assert_int_equal(change->time, time);
	assert_int_equal(tid_of(made, change->task), tid);
	assert_int_equal(change->from, from);
	assert_int_equal(change->to, to);
	assert_int_equal(change->cpu, cpu);
	assert_int_equal(tid_of(made, change->by), by);
}

static void switches_and_wakeups(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, B);
	assert_ok(led_wakes(l, 1300, A, B));
	by_tracepoint(l, 1350, CPU0, B, LED_PREEMPTED, A);
	led_moment(l, 2000);
	finish(made);
	assert_int_equal(made->n, 7);
	assert_change(made, 0, 1000, B, LED_GONE, LED_RUNNABLE, LED_NONE, 0);
	assert_change(made, 1, 1000, A, LED_GONE, LED_RUNNING, CPU0, 0);
	/* At one moment, A leaves the CPU before B gets it. */
	assert_change(made, 2, 1100, A, LED_RUNNING, LED_BLOCKED, CPU0, 0);
	assert_change(made, 3, 1100, B, LED_RUNNABLE, LED_RUNNING, CPU0, 0);
	assert_change(made, 4, 1300, A, LED_BLOCKED, LED_RUNNABLE, CPU0, B);
	assert_change(made, 5, 1350, B, LED_RUNNING, LED_RUNNABLE, CPU0, 0);
	assert_change(made, 6, 1350, A, LED_RUNNABLE, LED_RUNNING, CPU0, 0);
}

static void births_and_ends(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;
	const struct led_birth birth = { PROCESS, B, A };

	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, IDLE, LED_BLOCKS, A);
	assert_ok(led_born(l, 1200, &birth));
	by_tracepoint(l, 1300, CPU1, IDLE, LED_BLOCKS, B);
	led_exits(l, 1400, B);
	by_tracepoint(l, 1500, CPU1, B, LED_DIES, IDLE);
	led_moment(l, 2000);
	finish(made);
	assert_int_equal(made->n, 5);
	assert_change(made, 0, 1000, A, LED_GONE, LED_RUNNABLE, LED_NONE, 0);
	assert_change(made, 1, 1100, A, LED_RUNNABLE, LED_RUNNING, CPU0, 0);
	assert_change(made, 2, 1200, B, LED_UNSEEN, LED_RUNNABLE, LED_NONE, A);
	/* A thread runs on after it began to exit. */
	assert_change(made, 3, 1300, B, LED_RUNNABLE, LED_RUNNING, CPU1, 0);
	assert_change(made, 4, 1500, B, LED_RUNNING, LED_GONE, CPU1, 0);
}

/* A thread that ran is known to have had a CPU only when it leaves it, after its exit. */
static void the_cpu_of_a_run(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	assert_ok(led_known(l, PROCESS, A));
	led_exits(l, 1400, A);
	by_tracepoint(l, 1500, CPU1, A, LED_DIES, IDLE);
	led_moment(l, 2000);
	finish(made);
	assert_int_equal(made->n, 2);
	assert_change(made, 0, 1000, A, LED_GONE, LED_RUNNING, CPU1, 0);
	assert_change(made, 1, 1500, A, LED_RUNNING, LED_GONE, CPU1, 0);
}

/* Threads wait for disks and for other things. */
static void waits_for_a_disk(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;
	const struct led_switch at = { .time = 1100,
		.prev = A,
		.reason = LED_BLOCKS,
		.is_disk = true,
		.source = LED_BY_TRACEPOINT };

	led_moment(l, 1000);
	assert_ok(led_switches(l, &at));
	assert_ok(led_wakes(l, 1200, A, IRQ));
	by_tracepoint(l, 1300, CPU0, IDLE, LED_BLOCKS, A);
	by_tracepoint(l, 1400, CPU0, A, LED_BLOCKS, IDLE);
	led_moment(l, 2000);
	finish(made);
	assert_int_equal(made->n, 5);
	assert_change(made, 1, 1100, A, LED_RUNNING, LED_BLOCKED, CPU0, 0);
	assert_true(made->list[1].is_disk && !made->list[2].is_disk);
	assert_change(made, 4, 1400, A, LED_RUNNING, LED_BLOCKED, CPU0, 0);
	assert_false(made->list[4].is_disk);
}

/* Times before the first tracepoint, and those that are not counted, have no changes. */
static void parts_of_a_recording(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	assert_ok(led_timeline_count(&l->timeline, (struct led_range){ 1200, 1600 }));
	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1300, A, IRQ));
	by_tracepoint(l, 1400, CPU1, IDLE, LED_BLOCKS, A);
	by_tracepoint(l, 1700, CPU1, A, LED_BLOCKS, IDLE);
	led_moment(l, 2000);
	finish(made);
	assert_int_equal(made->n, 3);
	assert_change(made, 0, 1200, A, LED_GONE, LED_BLOCKED, CPU0, 0);
	assert_change(made, 1, 1300, A, LED_BLOCKED, LED_RUNNABLE, CPU0, 0);
	assert_change(made, 2, 1400, A, LED_RUNNABLE, LED_RUNNING, CPU1, 0);
}

static void nothing_without_events(void **state)
{
	struct made *made = *state;

	finish(made);
	assert_int_equal(made->n, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(switches_and_wakeups),
		TEST(births_and_ends),
		TEST(the_cpu_of_a_run),
		TEST(waits_for_a_disk),
		TEST(parts_of_a_recording),
		TEST(nothing_without_events),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
