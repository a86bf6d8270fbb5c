/* Marks of the beginning and the end, and the clocks that they are read from. */
#include "tests/unit/test.h"

#include "capture/run/time_marks.h"

#include <time.h>

#include <pdconv/record.h>
#include <pdconv/sample.h>

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	assert_int_equal(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void test_chosen_clock(void **state)
{
	struct cap_time_marks marks;
	uint64_t before = read_clock(CLOCK_BOOTTIME), now = 0;

	(void)state;
	cap_time_marks_init(&marks, CLOCK_BOOTTIME);
	assert_true(cap_time_marks_now(&marks, &now));
	assert_in_range(now, before, read_clock(CLOCK_BOOTTIME));
	cap_time_marks_deinit(&marks);
	cap_time_marks_init(&marks, 4711);
	assert_false(cap_time_marks_now(&marks, &now));
	cap_time_marks_deinit(&marks);
}

/* The default clock goes on like others, whatever it begins with. More records than fit the ring. */
static void test_default_clock(void **state)
{
	enum { N = 1000 };
	struct cap_time_marks marks;
	uint64_t first = 0, last = 0, next;

	(void)state;
	cap_time_marks_init(&marks, -1);
	if (!cap_time_marks_now(&marks, &first))
		skip();
	uint64_t begin = read_clock(CLOCK_MONOTONIC_RAW);
	last = first;
	for (int i = 0; i < N; i++) {
		assert_true(cap_time_marks_now(&marks, &next));
		assert_true(next > last);
		last = next;
	}
	/* Both count nanoseconds; they are not read at the same moment. */
	uint64_t passed = read_clock(CLOCK_MONOTONIC_RAW) - begin;
	assert_true((last - first) / 2 < passed + 1000000000);
	cap_time_marks_deinit(&marks);
}

static void test_record(void **state)
{
	const struct pd_attr attr = {
		.sample_type = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME | 1 << PD_SAMPLE_CPU,
		.flags = (uint64_t)1 << PD_ATTR_sample_id_all,
	};
	struct pd_bytes bytes = { 0 };
	struct pd_record rec;
	struct pd_plan plan;
	union pd_body body;
	const char *wrong;

	(void)state;
	assert_ok(cap_time_marks_encode(&attr, 123456789, &bytes));
	assert_true(cap_record_read(bytes.buf.data, bytes.buf.n, &rec));
	assert_int_equal(rec.type, PD_RECORD_LOST_SAMPLES);
	assert_int_equal(rec.size, bytes.buf.n);
	pd_plan_compile(&attr, &plan);
	assert_true(pd_record_decode(&rec, plan.sid_bytes, &body, &wrong));
	assert_int_equal(body.lost_samples.lost, 0);
	const struct pd_sid sid = pd_sid_decode(&plan, &rec);
	assert_int_equal(sid.time, 123456789);
	assert_int_equal(sid.pid, 0);
	assert_int_equal(sid.tid, 0);
	pd_bytes_deinit(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen_clock),
		cmocka_unit_test(test_default_clock),
		cmocka_unit_test(test_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
