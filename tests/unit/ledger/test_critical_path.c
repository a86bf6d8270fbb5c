/* Critical paths through events whose times are known. */
#include "tests/unit/test.h"

#include "ledger/critical_path.h"
#include "tests/unit/ledger/made_switches.h"

enum { A = 11, B = 12, C = 13, PROCESS = 10, CPU0 = 0, CPU1 = 1, IDLE = 0, IRQ = 0 };

struct made {
	struct ledger ledger;
	struct led_path path;
};

static int set_up(void **state)
{
	static struct made made;

	led_init(&made.ledger);
	made.ledger.timeline.is_kept = true;
	made.ledger.has_wakes = made.ledger.is_of_cpus = true;
	made.path = (struct led_path){ 0 };
	*state = &made;
	return 0;
}

static int tear_down(void **state)
{
	struct made *made = *state;

	led_path_deinit(&made->path);
	led_deinit(&made->ledger);
	return 0;
}

static void born(struct ledger *l, uint64_t time, uint32_t tid, uint32_t parent)
{
	const struct led_birth birth = { PROCESS, tid, parent };

	assert_ok(led_born(l, time, &birth));
}

static uint32_t index_of(const struct ledger *l, uint32_t tid)
{
	const uint64_t *at = base_map_find(&l->by_tid, tid);

	assert_non_null(at);
	return (uint32_t)*at - 1;
}

/* Find the path of @p tid. Its steps follow each other, and are as long as the life. */
static void find(struct made *made, uint32_t tid)
{
	struct ledger *l = &made->ledger;
	uint64_t time;

	led_finish(l);
	uint32_t index = index_of(l, tid);
	struct led_range life = led_path_range(l, &l->tasks.data[index]);
	assert_ok(led_path_find(l, index, &made->path));
	time = life.from;
	for (size_t i = 0; i < made->path.steps.n; i++) {
		const struct led_step *step = &made->path.steps.data[i];

		assert_int_equal(step->range.from, time);
		assert_true(step->range.to > time);
		assert_true(step->since <= step->range.from && step->until >= step->range.to);
		time = step->range.to;
	}
	assert_int_equal(time, life.to);
}

static void assert_step(const struct made *made, size_t i, uint32_t tid, enum led_state state,
	uint64_t from, uint64_t to)
{
	assert_true(i < made->path.steps.n);
	const struct led_step *step = &made->path.steps.data[i];

	assert_int_equal(made->ledger.tasks.data[step->task].tid, tid);
	assert_int_equal(step->state, state);
	assert_int_equal(step->range.from, from);
	assert_int_equal(step->range.to, to);
}

/* A creates B and waits for it. B sleeps, and is woken by a timer. */
static void fork_and_join(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	by_tracepoint(l, 1010, CPU0, IDLE, LED_BLOCKS, A);
	born(l, 1100, B, A);
	by_tracepoint(l, 1200, CPU0, A, LED_BLOCKS, B);
	by_tracepoint(l, 1300, CPU0, B, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1500, B, IRQ));
	by_tracepoint(l, 1510, CPU0, IDLE, LED_BLOCKS, B);
	assert_ok(led_wakes(l, 1600, A, B));
	by_tracepoint(l, 1620, CPU0, B, LED_DIES, A);
	led_moment(l, 2000);
	find(made, A);
	assert_int_equal(made->path.steps.n, 9);
	assert_step(made, 0, A, LED_RUNNABLE, 1000, 1010);
	assert_step(made, 1, A, LED_RUNNING, 1010, 1100);
	assert_step(made, 2, B, LED_RUNNABLE, 1100, 1200);
	assert_int_equal(made->path.steps.data[2].instead, index_of(l, A));
	assert_step(made, 3, B, LED_RUNNING, 1200, 1300);
	assert_step(made, 4, B, LED_BLOCKED, 1300, 1500);
	assert_step(made, 5, B, LED_RUNNABLE, 1500, 1510);
	assert_int_equal(made->path.steps.data[5].instead, LED_IDLE_TASK);
	assert_step(made, 6, B, LED_RUNNING, 1510, 1600);
	assert_step(made, 7, A, LED_RUNNABLE, 1600, 1620);
	assert_step(made, 8, A, LED_RUNNING, 1620, 2000);
}

/* The CPU had several threads meanwhile, and a wait without a waker lasts to the end. */
static void shared_cpu(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_PREEMPTED, B);
	by_tracepoint(l, 1200, CPU0, B, LED_PREEMPTED, C);
	by_tracepoint(l, 1350, CPU0, C, LED_PREEMPTED, A);
	by_tracepoint(l, 1400, CPU0, A, LED_BLOCKS, B);
	assert_ok(led_wakes(l, 1900, B, C));
	led_moment(l, 2000);
	find(made, A);
	assert_int_equal(made->path.steps.n, 5);
	assert_step(made, 0, A, LED_RUNNING, 1000, 1100);
	assert_step(made, 1, A, LED_RUNNABLE, 1100, 1200);
	assert_int_equal(made->path.steps.data[1].instead, index_of(l, B));
	assert_step(made, 2, A, LED_RUNNABLE, 1200, 1350);
	assert_int_equal(made->path.steps.data[2].instead, index_of(l, C));
	assert_step(made, 3, A, LED_RUNNING, 1350, 1400);
	assert_step(made, 4, A, LED_BLOCKED, 1400, 2000);
}

/* Two threads that wake each other in turn. */
static void turns(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	for (uint64_t time = 1000; time < 2000; time += 200) {
		assert_ok(led_wakes(l, time + 90, B, A));
		by_tracepoint(l, time + 100, CPU0, A, LED_BLOCKS, B);
		assert_ok(led_wakes(l, time + 190, A, B));
		by_tracepoint(l, time + 200, CPU0, B, LED_BLOCKS, A);
	}
	led_moment(l, 2100);
	find(made, A);
	for (size_t i = 0; i < made->path.steps.n; i++)
		assert_int_not_equal(made->path.steps.data[i].state, LED_BLOCKED);
}

/* A switch is missing, so that the waker seems to be blocked. It did wake the thread. */
static void waker_without_a_switch(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1200, CPU1, B, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1500, A, B));
	by_tracepoint(l, 1510, CPU0, IDLE, LED_BLOCKS, A);
	by_tracepoint(l, 1600, CPU1, B, LED_BLOCKS, IDLE);
	led_moment(l, 2000);
	find(made, A);
	assert_int_equal(made->path.steps.n, 4);
	assert_step(made, 0, B, LED_RUNNING, 1000, 1200);
	assert_step(made, 1, B, LED_UNKNOWN, 1200, 1500);
	assert_step(made, 2, A, LED_RUNNABLE, 1500, 1510);
	assert_step(made, 3, A, LED_RUNNING, 1510, 2000);
}

/* A kernel thread that slept is woken by a disk, and then wakes a thread that waits for that. */
static void kernel_threads_serve(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	assert_ok(led_known(l, PROCESS, A));
	assert_ok(led_known(l, C, C));
	assert_ok(led_is_program(l, PROCESS));
	by_tracepoint(l, 1050, CPU1, C, LED_BLOCKS, IDLE);
	by_tracepoint(l, 1200, CPU0, A, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1500, C, IRQ));
	by_tracepoint(l, 1510, CPU1, IDLE, LED_BLOCKS, C);
	assert_ok(led_wakes(l, 1520, A, C));
	by_tracepoint(l, 1530, CPU0, IDLE, LED_BLOCKS, A);
	by_tracepoint(l, 1600, CPU0, A, LED_BLOCKS, IDLE);
	/* It was already running when the second wait began. */
	assert_ok(led_wakes(l, 1700, A, C));
	by_tracepoint(l, 1710, CPU0, IDLE, LED_BLOCKS, A);
	led_moment(l, 2000);
	find(made, A);
	assert_int_equal(made->path.steps.n, 9);
	assert_step(made, 0, A, LED_RUNNING, 1000, 1200);
	assert_step(made, 1, A, LED_BLOCKED, 1200, 1500);
	assert_int_equal(made->path.steps.data[1].until, 1520);
	assert_step(made, 2, C, LED_RUNNABLE, 1500, 1510);
	assert_step(made, 3, C, LED_RUNNING, 1510, 1520);
	assert_step(made, 4, A, LED_RUNNABLE, 1520, 1530);
	assert_step(made, 5, A, LED_RUNNING, 1530, 1600);
	assert_step(made, 6, C, LED_RUNNING, 1600, 1700);
	assert_step(made, 7, A, LED_RUNNABLE, 1700, 1710);
	assert_step(made, 8, A, LED_RUNNING, 1710, 2000);
}

static void lost_records(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;

	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, B);
	assert_ok(led_lost(l, CPU0, 1200, 1500));
	assert_ok(led_wakes(l, 1600, A, B));
	by_tracepoint(l, 1610, CPU0, B, LED_BLOCKS, A);
	led_moment(l, 2000);
	find(made, A);
	assert_step(made, made->path.steps.n - 1, A, LED_RUNNING, 1610, 2000);
}

/* The sums of phases are those of the ledger. */
static void intervals_add_up(void **state)
{
	struct made *made = *state;
	struct ledger *l = &made->ledger;
	uint64_t sums[LED_N_STATES] = { 0 };

	led_moment(l, 1000);
	by_tracepoint(l, 1100, CPU0, A, LED_BLOCKS, B);
	assert_ok(led_wakes(l, 1300, A, B));
	by_tracepoint(l, 1350, CPU0, B, LED_PREEMPTED, A);
	assert_ok(led_lost(l, LED_NONE, 1400, 1450));
	by_tracepoint(l, 1500, CPU0, A, LED_BLOCKS, IDLE);
	assert_ok(led_wakes(l, 1600, A, IRQ));
	led_moment(l, 2000);
	led_finish(l);
	const struct led_task *task = &l->tasks.data[index_of(l, A)];
	uint64_t end = task->since;
	for (uint32_t i = task->last_phase; i; i = l->timeline.phases.data[i - 1].previous) {
		const struct led_phase *phase = &l->timeline.phases.data[i - 1];

		sums[phase->state] += led_range_ns((struct led_range){
			phase->begin > l->first ? phase->begin : l->first, end });
		end = phase->begin;
	}
	for (size_t i = 0; i < LED_N_STATES; i++)
		assert_int_equal(sums[i], task->ns[i]);
}

static void counted_ranges(void **state)
{
	struct made *made = *state;
	struct led_timeline *t = &made->ledger.timeline;

	assert_int_equal(led_timeline_ns(t, 10, 30), 20);
	assert_int_equal(led_timeline_ns(t, 30, 10), 0);
	assert_ok(led_timeline_count(t, (struct led_range){ 100, 200 }));
	assert_ok(led_timeline_count(t, (struct led_range){ 150, 250 }));
	assert_ok(led_timeline_count(t, (struct led_range){ 160, 170 }));
	assert_ok(led_timeline_count(t, (struct led_range){ 400, 500 }));
	assert_int_equal(t->ranges.n, 2);
	assert_int_equal(led_timeline_ns(t, 0, 1000), 250);
	assert_int_equal(led_timeline_ns(t, 120, 130), 10);
	assert_int_equal(led_timeline_ns(t, 240, 410), 20);
	assert_int_equal(led_timeline_ns(t, 250, 400), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(fork_and_join),
		TEST(shared_cpu),
		TEST(turns),
		TEST(waker_without_a_switch),
		TEST(kernel_threads_serve),
		TEST(lost_records),
		TEST(intervals_add_up),
		TEST(counted_ranges),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
