/* Off-CPU time from samples of context switches and SWITCH records. */
#include "tests/unit/test_recording.h"

#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "capture/ring.h"
#include "capture/run/offcpu.h"

enum { ID = 77, OTHER_ID = 78, MAX_WAITS = 16 };

static const uint64_t TYPE = (uint64_t)1 << PD_SAMPLE_IDENTIFIER | (uint64_t)1 << PD_SAMPLE_IP |
			     (uint64_t)1 << PD_SAMPLE_TID | (uint64_t)1 << PD_SAMPLE_TIME |
			     (uint64_t)1 << PD_SAMPLE_CPU | (uint64_t)1 << PD_SAMPLE_PERIOD;

/** Emitted samples: thread, time and length of the wait. */
struct waits {
	size_t n;
	struct {
		uint32_t tid;
		uint64_t time;
		uint64_t period;
	} list[MAX_WAITS];
};

static struct pd_attr attr(void)
{
	return (struct pd_attr){
		.type = PD_TYPE_SOFTWARE,
		.size = 128,
		.sample_type = TYPE,
		.flags = (uint64_t)1 << PD_ATTR_sample_id_all,
	};
}

static struct cap_offcpu *begin(bool keep_switches)
{
	const struct pd_attr event = attr();
	const uint64_t ids[] = { ID };
	struct cap_offcpu *offcpu;

	assert_ok(cap_offcpu_create(&event, keep_switches, &offcpu));
	assert_ok(cap_offcpu_add_ids(offcpu, ids, 1));
	return offcpu;
}

static struct pd_error *take_wait(void *ctx, const uint8_t *bytes, size_t size)
{
	const struct pd_record rec = {
		.type = PD_RECORD_SAMPLE, .size = (uint32_t)size, .bytes = bytes
	};
	const struct pd_attr event = attr();
	struct waits *waits = ctx;
	struct pd_sample sample;
	struct pd_plan plan;
	const char *field;

	pd_plan_compile(&event, &plan);
	assert_int_equal(pd_sample_decode(&plan, &rec, &sample, &field), PD_SAMPLE_OK);
	assert_true(waits->n < MAX_WAITS);
	waits->list[waits->n].tid = sample.tid;
	waits->list[waits->n].time = sample.time;
	waits->list[waits->n++].period = sample.period;
	return NULL;
}

static bool take(struct cap_offcpu *offcpu, const struct pd_bytes *bytes)
{
	struct pd_record rec;
	bool is_held;

	assert_false(bytes->failed);
	assert_true(cap_record_read(bytes->buf.data, bytes->buf.n, &rec));
	assert_ok(cap_offcpu_take(offcpu, &rec, &is_held));
	return is_held;
}

static bool sample_with_period(
	struct cap_offcpu *offcpu, uint64_t id, uint32_t tid, uint64_t time, uint64_t period)
{
	const struct pd_sample sample = {
		.id = id,
		.ip = 0x1000,
		.pid = 1,
		.tid = tid,
		.time = time,
		.cpu = 1,
		.period = period,
	};
	const struct pd_attr event = attr();
	struct pd_bytes bytes = { 0 };
	struct pd_plan plan;

	pd_plan_compile(&event, &plan);
	assert_true(pd_sample_encode(&plan, PD_MISC_KERNEL, &sample, &bytes));
	bool is_held = take(offcpu, &bytes);
	pd_bytes_deinit(&bytes);
	return is_held;
}

/* Thread @p tid leaves the CPU. With another @p id it is a sample of some other event. */
static bool sample_at(struct cap_offcpu *offcpu, uint64_t id, uint32_t tid, uint64_t time)
{
	return sample_with_period(offcpu, id, tid, time, 1);
}

static bool leaves(struct cap_offcpu *offcpu, uint32_t tid, uint64_t time)
{
	return sample_at(offcpu, ID, tid, time);
}

static bool tells(
	struct cap_offcpu *offcpu, uint32_t type, uint16_t misc, uint32_t tid, uint64_t time)
{
	const struct pd_sid sid = { .pid = 1, .tid = tid, .time = time, .cpu = 0, .id = OTHER_ID };
	const union pd_body task = { .fork = { .pid = 1, .ppid = 1, .tid = tid, .ptid = 1 } };
	const union pd_body none = { 0 };
	const struct pd_attr event = attr();
	struct pd_bytes trailer = { 0 }, bytes = { 0 };
	struct pd_plan plan;

	pd_plan_compile(&event, &plan);
	pd_sid_encode(&plan, &sid, &trailer);
	assert_true(pd_record_encode(pd_layout_find(type, misc), misc,
		type == PD_RECORD_SWITCH ? &none : &task, trailer.buf.data, trailer.buf.n, &bytes));
	bool is_held = take(offcpu, &bytes);
	pd_bytes_deinit(&trailer);
	pd_bytes_deinit(&bytes);
	return is_held;
}

static bool returns(struct cap_offcpu *offcpu, uint32_t tid, uint64_t time)
{
	return tells(offcpu, PD_RECORD_SWITCH, 0, tid, time);
}

static void expect_wait(
	const struct waits *waits, size_t i, uint32_t tid, uint64_t time, uint64_t period)
{
	assert_true(i < waits->n);
	assert_int_equal(waits->list[i].tid, tid);
	assert_int_equal(waits->list[i].time, time);
	assert_int_equal(waits->list[i].period, period);
}

static void waits_are_reported_when_a_thread_returns(void **state)
{
	struct cap_offcpu *offcpu = begin(false);
	struct waits waits = { 0 };

	(void)state;
	assert_true(leaves(offcpu, 5, 100));
	assert_true(returns(offcpu, 5, 150));
	assert_false(sample_at(offcpu, OTHER_ID, 5, 160));
	assert_ok(cap_offcpu_round(offcpu, false, take_wait, &waits));
	/* Another ring may still hold an older record. */
	assert_int_equal(waits.n, 0);
	assert_ok(cap_offcpu_round(offcpu, false, take_wait, &waits));
	assert_int_equal(waits.n, 1);
	expect_wait(&waits, 0, 5, 150, 50);
	assert_ok(cap_offcpu_round(offcpu, true, take_wait, &waits));
	assert_int_equal(waits.n, 1);
	cap_offcpu_destroy(offcpu);
}

/* Readers take the time of any record for how far the recording is. */
static void records_other_than_samples_have_times(void **state)
{
	struct cap_offcpu *offcpu = begin(false);
	struct waits waits = { 0 };

	(void)state;
	assert_true(leaves(offcpu, 5, 100));
	assert_true(returns(offcpu, 5, 150));
	assert_false(tells(offcpu, PD_RECORD_EXIT, 0, 6, 200));
	assert_ok(cap_offcpu_round(offcpu, false, take_wait, &waits));
	assert_ok(cap_offcpu_round(offcpu, false, take_wait, &waits));
	assert_int_equal(waits.n, 1);
	expect_wait(&waits, 0, 5, 150, 50);
	cap_offcpu_destroy(offcpu);
}

/* Records of one ring may be newer than those of the ring that is read after it. */
static void transitions_of_several_cpus_are_sorted(void **state)
{
	struct cap_offcpu *offcpu = begin(false);
	struct waits waits = { 0 };

	(void)state;
	/* CPU 0 saw it leave at 100 and return at 400, CPU 1 what happened in between. */
	assert_true(leaves(offcpu, 5, 100));
	assert_true(returns(offcpu, 5, 400));
	assert_true(returns(offcpu, 5, 130));
	assert_true(leaves(offcpu, 5, 300));
	assert_ok(cap_offcpu_round(offcpu, false, take_wait, &waits));
	assert_ok(cap_offcpu_round(offcpu, true, take_wait, &waits));
	assert_int_equal(waits.n, 2);
	expect_wait(&waits, 0, 5, 130, 30);
	expect_wait(&waits, 1, 5, 400, 100);
	cap_offcpu_destroy(offcpu);
}

static void preempted_threads_did_not_wait(void **state)
{
	struct cap_offcpu *offcpu = begin(true);
	struct waits waits = { 0 };

	(void)state;
	assert_true(leaves(offcpu, 5, 100));
	/* Switch records are kept if they were requested. */
	assert_false(tells(
		offcpu, PD_RECORD_SWITCH, PD_MISC_SWITCH_OUT | PD_MISC_SWITCH_OUT_PREEMPT, 5, 101));
	assert_false(returns(offcpu, 5, 150));
	assert_true(leaves(offcpu, 6, 160));
	assert_false(tells(offcpu, PD_RECORD_SWITCH, PD_MISC_SWITCH_OUT, 6, 161));
	assert_false(returns(offcpu, 6, 165));
	assert_ok(cap_offcpu_round(offcpu, true, take_wait, &waits));
	assert_int_equal(waits.n, 1);
	expect_wait(&waits, 0, 6, 165, 5);
	cap_offcpu_destroy(offcpu);
}

static void exited_threads_do_not_wait(void **state)
{
	struct cap_offcpu *offcpu = begin(false);
	struct waits waits = { 0 };

	(void)state;
	assert_false(tells(offcpu, PD_RECORD_EXIT, 0, 5, 100));
	assert_true(leaves(offcpu, 5, 101));
	/* A new thread reuses the thread id. */
	assert_false(tells(offcpu, PD_RECORD_FORK, 0, 5, 200));
	assert_true(leaves(offcpu, 5, 210));
	assert_true(returns(offcpu, 5, 240));
	/* A thread that still waits at the end of the recording waits until then. */
	assert_true(leaves(offcpu, 6, 220));
	assert_false(sample_at(offcpu, OTHER_ID, 7, 300));
	assert_ok(cap_offcpu_round(offcpu, true, take_wait, &waits));
	assert_int_equal(waits.n, 2);
	expect_wait(&waits, 0, 5, 240, 30);
	expect_wait(&waits, 1, 6, 300, 80);
	cap_offcpu_destroy(offcpu);
}

/* Thread 5 is found blocked and returns, 6 is found and never runs, 7 has run before it was found. */
static void blocked_threads_have_waited_since_the_beginning(void **state)
{
	struct cap_offcpu *offcpu = begin(false);
	struct waits waits = { 0 };

	(void)state;
	assert_true(leaves(offcpu, 7, 105));
	assert_true(sample_with_period(offcpu, ID, 5, 110, 10));
	assert_true(sample_with_period(offcpu, ID, 6, 111, 11));
	assert_true(sample_with_period(offcpu, ID, 7, 112, 12));
	assert_true(returns(offcpu, 5, 150));
	assert_true(leaves(offcpu, 5, 160));
	assert_true(returns(offcpu, 5, 165));
	assert_false(sample_at(offcpu, OTHER_ID, 5, 300));
	assert_ok(cap_offcpu_round(offcpu, true, take_wait, &waits));
	assert_int_equal(waits.n, 4);
	expect_wait(&waits, 0, 5, 150, 50);
	expect_wait(&waits, 1, 5, 165, 5);
	expect_wait(&waits, 2, 7, 300, 195);
	expect_wait(&waits, 3, 6, 300, 200);
	cap_offcpu_destroy(offcpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_reported_when_a_thread_returns),
		cmocka_unit_test(records_other_than_samples_have_times),
		cmocka_unit_test(transitions_of_several_cpus_are_sorted),
		cmocka_unit_test(preempted_threads_did_not_wait),
		cmocka_unit_test(exited_threads_do_not_wait),
		cmocka_unit_test(blocked_threads_have_waited_since_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
