/* Waits between switches of the scheduler. */
#include "parse/open_file.h"
#include "tests/unit/test_recording.h"

#include "resolve/batch/switches.h"

enum {
	SWITCH = 1,
	WAKEUP = 2,
	EXEC = 3,
	SLEEPING = 1,
	DISK = 2,
	DEAD = 16,
	IDLE = 128,
	MORE = 256
};

static const char formats[][512] = {
	"name: sched_switch\nID: 1\nformat:\n"
	"\tfield:pid_t prev_pid;\toffset:0;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
	"name: sched_wakeup\nID: 2\nformat:\n"
	"\tfield:pid_t pid;\toffset:0;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
	/* Another tracepoint with a field of that name. */
	"name: sched_process_exec\nID: 3\nformat:\n"
	"\tfield:pid_t pid;\toffset:0;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n",
};

static void text(struct bytes *b, unsigned size_bytes, const char *text)
{
	put(b, strlen(text), size_bytes);
	bytes_add(b, text, strlen(text));
}

static struct pd_tracing *make_tracing(void)
{
	struct bytes b = { 0 };
	struct pd_tracing *tracing;
	const char *wrong;

	bytes_add(&b, "\27\10\104tracing", 10);
	bytes_add(&b, "0.6", 4);
	put(&b, 0, 1);
	put(&b, 8, 1);
	u32(&b, 4096);
	bytes_add(&b, "header_page", 12);
	text(&b, 8, "");
	bytes_add(&b, "header_event", 13);
	text(&b, 8, "");
	u32(&b, 0);
	u32(&b, 1);
	bytes_add(&b, "sched", 6);
	u32(&b, 3);
	for (size_t i = 0; i < 3; i++)
		text(&b, 8, formats[i]);
	text(&b, 4, "");
	text(&b, 4, "");
	text(&b, 8, "");
	assert_ok(pd_tracing_create(b.data, b.n, &tracing, &wrong));
	assert_null(wrong);
	bytes_free(&b);
	return tracing;
}

struct fixture {
	struct pd_file file;
	struct led_sched_events sched;
	struct led_interrupts interrupts;
	struct resolve_switches switches;
	struct profile *profile;
	/** Number of samples so far. No two waits begin at the same sample. */
	uint32_t n;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->file.tracing = make_tracing();
	for (uint32_t id = SWITCH; id <= EXEC; id++) {
		const struct pd_event event = {
			.attr = { .type = PD_TYPE_TRACEPOINT, .config = id, .sample_period = 1 },
		};

		assert_true(pd_vec_push(&f->file.events.list, event));
	}
	led_sched_events_init(&f->sched, &f->file);
	assert_ok(led_sched_events_learn(&f->sched));
	led_interrupts_init(&f->interrupts, &f->sched);
	f->switches.interrupts = &f->interrupts;
	assert_ok(prof_create(&f->profile));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	pd_tracing_destroy(f->file.tracing);
	pd_vec_deinit(&f->file.events.list);
	resolve_switches_deinit(&f->switches);
	led_sched_events_deinit(&f->sched);
	prof_destroy(f->profile);
	free(f);
	return 0;
}

static void follow(struct fixture *f, uint32_t id, struct bytes *raw, uint64_t time)
{
	const struct pd_view view = { .data = raw->data, .elem_size = 1, .n = raw->n };
	const struct led_event *event = &f->sched.list.data[id - 1];
	struct resolve_wait_ends waits;

	f->sched.present = (struct led_present){
		.time = time,
		.known = event,
		.is_decoded = true,
		.values = pd_trace_values(f->file.tracing, event->tracepoint, &view),
	};
	assert_ok(resolve_switches_follow(&f->switches, &waits));
	resolve_switches_link(&f->switches, waits, (struct prof_sample_id){ f->n++ });
	bytes_free(raw);
}

static void switch_to(
	struct fixture *f, uint64_t time, uint32_t prev, uint64_t prev_state, uint32_t next)
{
	struct bytes raw = { 0 };

	u64(&raw, prev);
	u64(&raw, prev_state);
	u64(&raw, next);
	follow(f, SWITCH, &raw, time);
}

static void wake(struct fixture *f, uint64_t time, uint32_t id, uint32_t tid)
{
	struct bytes raw = { 0 };

	u64(&raw, tid);
	follow(f, id, &raw, time);
}

static void expect(const struct fixture *f, size_t i, uint32_t sample, uint32_t state,
	uint64_t total, uint64_t delay)
{
	const struct prof_wait *wait = &f->profile->waits.data[i];

	assert_true(i < f->profile->waits.n);
	assert_int_equal(wait->sample.i, sample);
	assert_int_equal(wait->state, state);
	assert_int_equal(wait->n, 1);
	assert_int_equal(wait->total_ns, total);
	assert_int_equal(wait->delay_ns, delay);
}

/* The first wakeup counts, and none before the thread left the CPU. */
static void waits_end_when_threads_run(void **state)
{
	struct fixture *f = *state;

	wake(f, 50, WAKEUP, 7);
	switch_to(f, 100, 7, SLEEPING, 8);
	wake(f, 150, EXEC, 7);
	wake(f, 160, WAKEUP, 7);
	wake(f, 170, WAKEUP, 7);
	switch_to(f, 200, 8, DISK, 7);
	switch_to(f, 230, 7, MORE, 8);
	switch_to(f, 300, 8, 0, 7);
	switch_to(f, 360, 7, IDLE, 8);
	assert_ok(resolve_switches_finish(&f->switches, NULL, f->profile));
	assert_int_equal(f->profile->waits.n, 4);
	expect(f, 0, 1, PROF_WAIT_SLEEPING, 100, 40);
	expect(f, 1, 5, PROF_WAIT_DISK, 30, 0);
	expect(f, 2, 6, PROF_WAIT_RUNNABLE, 70, 70);
	expect(f, 3, 7, PROF_WAIT_RUNNABLE, 60, 60);
}

/* The idle task does not wait, a thread that ended does not come back, and its number may. */
static void idle_and_dead_threads_wait_for_nothing(void **state)
{
	struct fixture *f = *state;

	switch_to(f, 100, 0, 0, 7);
	switch_to(f, 200, 7, DEAD, 0);
	switch_to(f, 300, 0, 0, 7);
	switch_to(f, 400, 7, SLEEPING, 0);
	assert_ok(resolve_switches_finish(&f->switches, NULL, f->profile));
	assert_int_equal(f->profile->waits.n, 0);
	assert_int_equal(f->switches.n_missed, 0);
}

/* Without -a there are only switches off the CPU, which say nothing about times. */
static void waits_without_ends_are_left_out(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 10; i++)
		switch_to(f, 100 * i + 1, 7, SLEEPING, 0);
	switch_to(f, 1000, 7, SLEEPING, 8);
	switch_to(f, 1100, 8, SLEEPING, 7);
	assert_ok(resolve_switches_finish(&f->switches, NULL, f->profile));
	assert_int_equal(f->switches.n_missed, 10);
	assert_int_equal(f->profile->waits.n, 0);
}

static void equal_samples_are_summed_up(void **state)
{
	struct fixture *f = *state;

	switch_to(f, 100, 7, SLEEPING, 8);
	switch_to(f, 150, 8, SLEEPING, 7);
	f->n = 0;
	switch_to(f, 200, 7, SLEEPING, 8);
	switch_to(f, 270, 8, SLEEPING, 7);
	f->n = 0;
	switch_to(f, 300, 7, DISK, 8);
	switch_to(f, 390, 8, SLEEPING, 7);
	/* The filter leaves this one out. */
	switch_to(f, 400, 7, SLEEPING, 8);
	const struct resolve_wait_ends last = { (uint32_t)f->switches.waits.n - 1,
		RESOLVE_NO_WAIT };
	resolve_switches_link(&f->switches, last, (struct prof_sample_id){ PROF_NONE });
	switch_to(f, 500, 8, SLEEPING, 7);
	assert_ok(resolve_switches_finish(&f->switches, NULL, f->profile));
	assert_int_equal(f->profile->waits.data[0].n, 2);
	assert_int_equal(f->profile->waits.data[0].total_ns, 50 + 70);
	assert_int_equal(f->profile->waits.data[0].sample.i, 0);
	uint64_t of_disk = 0;
	for (size_t i = 0; i < f->profile->waits.n; i++) {
		const struct prof_wait *wait = &f->profile->waits.data[i];

		of_disk += wait->state == PROF_WAIT_DISK ? wait->total_ns : 0;
		assert_int_not_equal(wait->total_ns, 100);
	}
	assert_int_equal(of_disk, 90);
}

/* Waits of one sample that different samples ended are apart, and those that none ended. */
static void waits_have_the_samples_that_ended_them(void **state)
{
	struct fixture *f = *state;

	for (uint32_t waker = 10; waker < 12; waker++) {
		f->n = 0;
		switch_to(f, 100 * waker, 7, SLEEPING, 8);
		f->n = waker;
		wake(f, 100 * waker + 10, WAKEUP, 7);
		switch_to(f, 100 * waker + 20, 8, IDLE, 7);
	}
	f->n = 0;
	switch_to(f, 2000, 7, SLEEPING, 8);
	switch_to(f, 2050, 8, IDLE, 7);
	assert_ok(resolve_switches_finish(&f->switches, NULL, f->profile));
	for (uint32_t waker = 10; waker < 12; waker++) {
		size_t n = 0;

		for (size_t i = 0; i < f->profile->waits.n; i++)
			n += f->profile->waits.data[i].waker.i == waker &&
			     f->profile->waits.data[i].woken_by == PROF_WOKEN_BY_SAMPLE &&
			     f->profile->waits.data[i].total_ns == 20;
		assert_int_equal(n, 1);
	}
	size_t n_unknown = 0;
	for (size_t i = 0; i < f->profile->waits.n; i++) {
		const struct prof_wait *wait = &f->profile->waits.data[i];

		n_unknown += wait->sample.i == 0 && wait->woken_by == PROF_WOKEN_UNKNOWN &&
			     prof_is_none(wait->waker) && wait->total_ns == 50;
	}
	assert_int_equal(n_unknown, 1);
}

#define switch_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		switch_test(waits_end_when_threads_run),
		switch_test(idle_and_dead_threads_wait_for_nothing),
		switch_test(waits_without_ends_are_left_out),
		switch_test(equal_samples_are_summed_up),
		switch_test(waits_have_the_samples_that_ended_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
