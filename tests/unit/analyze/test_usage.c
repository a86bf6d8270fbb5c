/* Programs that used the processors, of profiles made by hand. */
#include "tests/unit/made_profile.h"

#include "analyze/usage.h"

struct run {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	uint64_t period;
};

static void add(
	struct profile *profile, struct prof_event_id event, const struct run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct prof_thread thread =
			made_thread(profile, runs[i].pid, runs[i].tid, runs[i].comm);

		made_sample(profile, event, &thread, "/bin/a", runs[i].period);
	}
}

static void expect(const struct profile *profile, const struct ana_program *program,
	const char *name, uint32_t n_processes, uint64_t period)
{
	assert_string_equal(prof_string(profile, program->name), name);
	assert_int_equal(program->n_processes, n_processes);
	assert_int_equal(program->period, period);
}

static void test_programs(void **state)
{
	static const struct run runs[] = {
		{ 10, 10, "server", 5 },
		{ 10, 11, "worker", 70 },
		{ 30, 30, "server", 3 },
		/* Its main thread, which is added below, has no samples of this event. */
		{ 20, 21, "helper", 20 },
		/* A shell that executed another program. */
		{ 40, 40, "sh", 1 },
		{ 40, 40, "make", 8 },
		/* No sample is of the main thread: the thread with most samples gives the name. */
		{ 50, 51, "little", 1 },
		{ 50, 52, "most", 4 },
		/* Not the idle task, which has process id 0. */
		{ 60, 60, "swapper", 2 },
	};
	static const struct run others[] = { { 20, 20, "tool", 1000 }, { 70, 70, "other", 1000 } };
	struct profile *profile;
	struct ana_usage usage;

	(void)state;
	assert_ok(prof_create(&profile));
	struct prof_event_id event = made_event(profile, "cpu-clock", "nanoseconds");
	struct prof_event_id other = made_event(profile, "page-faults", "count");
	add(profile, event, runs, sizeof(runs) / sizeof(*runs));
	add(profile, other, others, sizeof(others) / sizeof(*others));
	const struct prof_process process = { 20, prof_add_string(profile, "tool") };
	assert_true(pd_vec_push(&profile->processes, process));
	assert_ok(ana_usage_count(profile, event, &usage));
	assert_int_equal(usage.n_processes, 6);
	assert_int_equal(usage.n_threads, 8);
	assert_int_equal(usage.busy, 114);
	assert_int_equal(usage.idle, 0);
	assert_false(usage.has_idle);
	assert_int_equal(usage.programs.n, 5);
	expect(profile, &usage.programs.data[0], "server", 2, 78);
	expect(profile, &usage.programs.data[1], "tool", 1, 20);
	expect(profile, &usage.programs.data[2], "make", 1, 9);
	expect(profile, &usage.programs.data[3], "most", 1, 5);
	expect(profile, &usage.programs.data[4], "swapper", 1, 2);
	ana_usage_deinit(&usage);
	prof_destroy(profile);
}

/* The idle task runs on each CPU, and is not a program. */
static void test_idle(void **state)
{
	static const struct run runs[] = {
		{ 0, 0, "swapper", 900 },
		{ 0, 0, "swapper", 100 },
		{ 7, 7, "a", 50 },
	};
	struct profile *profile;
	struct ana_usage usage;

	(void)state;
	assert_ok(prof_create(&profile));
	struct prof_event_id event = made_event(profile, "cpu-clock", "nanoseconds");
	add(profile, event, runs, sizeof(runs) / sizeof(*runs));
	assert_ok(ana_usage_count(profile, event, &usage));
	assert_true(usage.has_idle);
	assert_int_equal(usage.idle, 1000);
	assert_int_equal(usage.busy, 50);
	assert_int_equal(usage.n_threads, 1);
	assert_int_equal(usage.programs.n, 1);
	ana_usage_deinit(&usage);
	prof_destroy(profile);
}

/* Events that count on CPUs are about the machine, whether it was idle or not. */
static void test_machine(void **state)
{
	static const struct run runs[] = { { 10, 10, "server", 5 }, { 20, 20, "client", 5 } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		bool is_of_cpus = i & 1;
		size_t n = 1 + i / 2;
		struct profile *profile;
		struct ana_usage usage;

		assert_ok(prof_create(&profile));
		struct prof_event_id event = made_event(profile, "cycles", "count");
		profile->events.data[event.i].is_of_cpus = is_of_cpus;
		add(profile, event, runs, n);
		assert_ok(ana_usage_count(profile, event, &usage));
		assert_false(usage.has_idle);
		assert_int_equal(usage.is_of_machine, is_of_cpus && n > 1);
		ana_usage_deinit(&usage);
		prof_destroy(profile);
	}
}

static void test_nothing(void **state)
{
	struct profile *profile;
	struct ana_usage usage;

	(void)state;
	assert_ok(prof_create(&profile));
	struct prof_event_id event = made_event(profile, "cpu-clock", "nanoseconds");
	assert_ok(ana_usage_count(profile, event, &usage));
	assert_int_equal(usage.programs.n, 0);
	assert_int_equal(usage.n_processes, 0);
	assert_int_equal(usage.busy, 0);
	ana_usage_deinit(&usage);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
