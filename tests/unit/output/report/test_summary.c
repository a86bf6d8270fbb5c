/* The head of the report, of profiles made by hand. */
#include "tests/unit/made_profile.h"

#include "output/report/summary.h"

static char *summary(const struct profile *profile, enum pd_style style)
{
	const struct out_write_opts opts = { .event = prof_no_event(), .input = "x.data" };
	const struct pd_text_opts doc_opts = { .style = style };
	struct out_doc *doc = out_doc_create("report");
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(doc);
	assert_ok(out_report_add_summary(doc, profile, &opts));
	assert_ok(out_doc_write(doc, &doc_opts, out));
	fclose(out);
	out_doc_destroy(doc);
	return text;
}

static void expect(const struct profile *profile, enum pd_style style, const char *part)
{
	char *text = summary(profile, style);

	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
	free(text);
}

static struct profile *make(const char *event, const char *unit, struct prof_event_id *ret)
{
	struct profile *profile;

	assert_ok(prof_create(&profile));
	*ret = made_event(profile, event, unit);
	return profile;
}

/* Each thread @p tid of process @p pid takes a sample of 1 ms in each of @p n_ms milliseconds. */
static void run(struct profile *profile, struct prof_event_id event, uint32_t pid, uint32_t tid,
	const char *comm, uint64_t n_ms)
{
	struct prof_thread thread = made_thread(profile, pid, tid, comm);
	uint64_t last = 1000000000 + (n_ms - 1) * 1000000;

	for (uint64_t i = 0; i < n_ms; i++)
		made_sample(profile, event, &thread, "/bin/a", 1000000);
	profile->stats.first_ns = 1000000000;
	if (profile->stats.last_ns < last)
		profile->stats.last_ns = last;
}

/* The first sample is taken at the end of the first period. */
static void test_one_busy_thread(void **state)
{
	struct prof_event_id event;
	struct profile *profile = make("cpu-clock:u", "nanoseconds", &event);

	(void)state;
	run(profile, event, 7, 7, "a", 20);
	expect(profile, PD_STYLE_TEXT, "x.data: a, 20 ms on CPUs in 20 ms: 1.00 CPUs busy\n");
	expect(profile, PD_STYLE_TEXT, "event    cpu-clock:u: 20 samples, 20 ms\n");
	expect(profile, PD_STYLE_JSON, "\"cpus_busy\": 1,");
	prof_destroy(profile);
}

/* The thread waits before its first sample and after its last one. */
static void test_waits_at_both_ends(void **state)
{
	struct prof_event_id event;
	struct profile *profile = make("cpu-clock:u", "nanoseconds", &event);

	(void)state;
	run(profile, event, 7, 7, "a", 20);
	profile->stats.end_ns = 1100000000;
	expect(profile, PD_STYLE_TEXT, "x.data: a, 20 ms on CPUs in 101 ms: 0.20 CPUs busy\n");
	profile->stats.begin_ns = 900000000;
	expect(profile, PD_STYLE_TEXT, "x.data: a, 20 ms on CPUs in 200 ms: 0.10 CPUs busy\n");
	prof_destroy(profile);
}

/* The recording has a beginning and an end, and nothing in between. */
static void test_nothing_happens(void **state)
{
	struct prof_event_id event;
	struct profile *profile = make("cpu-clock:u", "nanoseconds", &event);

	(void)state;
	profile->stats.end_ns = 1100000000;
	expect(profile, PD_STYLE_TEXT, "x.data: nothing, 0 samples\n");
	profile->stats.begin_ns = 900000000;
	expect(profile, PD_STYLE_TEXT, "x.data: nothing, 0 samples in 200 ms\n");
	prof_destroy(profile);
}

static void test_tasks(void **state)
{
	struct prof_event_id event;
	struct profile *profile = make("task-clock", "nanoseconds", &event);

	(void)state;
	run(profile, event, 7, 7, "a", 40);
	run(profile, event, 7, 8, "a", 20);
	expect(profile, PD_STYLE_TEXT,
		"x.data: a (2 threads), 60 ms on CPUs in 40 ms: 1.50 CPUs busy\n");
	run(profile, event, 9, 9, "a", 40);
	expect(profile, PD_STYLE_TEXT,
		"x.data: a (2 processes, 3 threads), 100 ms on CPUs in 40 ms: 2.50");
	run(profile, event, 10, 10, "b", 1);
	expect(profile, PD_STYLE_TEXT, "x.data: a and b, 101 ms");
	run(profile, event, 11, 11, "c", 2);
	expect(profile, PD_STYLE_TEXT, "x.data: a, c and b, 103 ms");
	run(profile, event, 12, 12, "d", 3);
	expect(profile, PD_STYLE_TEXT, "x.data: a, d and 2 more programs, 106 ms");
	prof_destroy(profile);
}

/* If the idle task was recorded, so were all CPUs, and their number is a limit. */
static void test_whole_machine(void **state)
{
	struct prof_event_id event;
	struct profile *profile = make("cpu-clock", "nanoseconds", &event);

	(void)state;
	profile->about.n_cpus = 2;
	profile->about.host = prof_add_string(profile, "box");
	profile->about.kernel_release = prof_add_string(profile, "6.1");
	profile->about.command = prof_add_string(profile, "perf record -a");
	run(profile, event, 0, 0, "swapper", 50);
	run(profile, event, 7, 7, "a", 25);
	expect(profile, PD_STYLE_TEXT,
		"x.data: whole machine, 25 ms on CPUs in 50 ms: 0.50 of 2 CPUs busy\n");
	expect(profile, PD_STYLE_TEXT, "machine  box, 2 CPUs, Linux 6.1\n");
	expect(profile, PD_STYLE_TEXT, "command  perf record -a\n");
	profile->about.n_cpus = 1;
	expect(profile, PD_STYLE_TEXT, "machine  box, 1 CPU, Linux 6.1\n");
	prof_destroy(profile);
}

/* Periods that are not times, recordings without times, and those without samples. */
static void test_other_events(void **state)
{
	struct prof_event_id event;
	struct profile *profile = make("cycles", "count", &event);

	(void)state;
	expect(profile, PD_STYLE_TEXT, "x.data: nothing, 0 samples\n");
	run(profile, event, 7, 7, "a", 21);
	expect(profile, PD_STYLE_TEXT, "x.data: a, 21 samples in 20 ms\n");
	profile->stats.first_ns = profile->stats.last_ns = 0;
	expect(profile, PD_STYLE_TEXT, "x.data: a, 21 samples\n");
	prof_destroy(profile);
	profile = make("cycles", "count", &event);
	run(profile, event, 7, 7, "a", 1);
	expect(profile, PD_STYLE_TEXT, "x.data: a, 1 sample\n");
	expect(profile, PD_STYLE_TEXT, "cycles: 1 sample, ");
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_busy_thread),
		cmocka_unit_test(test_waits_at_both_ends),
		cmocka_unit_test(test_nothing_happens),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_whole_machine),
		cmocka_unit_test(test_other_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
