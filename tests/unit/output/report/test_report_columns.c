/* Several events in the tables of the report, of a profile that was made by hand. */
#include "tests/unit/test.h"

#include "output/formats.h"

static struct prof_frame_id add_function(struct profile *profile, const char *name)
{
	const struct prof_function function = {
		.name = prof_add_string(profile, name),
		.binary = { 0 },
	};
	const struct prof_line line = { prof_add_function(profile, &function), 0, 0 };
	const struct prof_frame frame = { .addr = profile->frames.n + 1, .binary = { 0 } };
	const struct prof_lines lines = { (uint32_t)profile->lines.n, 1 };
	struct prof_frame_id id = prof_add_frame(profile, &frame);

	assert_true(pd_vec_push(&profile->lines, line));
	assert_true(pd_vec_push(&profile->frame_lines, lines));
	return id;
}

static struct prof_event_id add_event(
	struct profile *profile, const char *name, enum prof_event_kind kind, bool has_stacks)
{
	const struct prof_event event = {
		.name = prof_add_string(profile, name),
		.unit = prof_add_string(profile, "count"),
		.kind = kind,
		.has_stacks = has_stacks,
		.is_wanted = true,
	};

	return prof_add_event(profile, &event);
}

static void add_samples(struct profile *profile, struct prof_event_id event,
	const struct prof_frame_id *stack, size_t n, uint64_t period)
{
	const struct prof_thread thread = { 1, 1, prof_add_string(profile, "program") };
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, stack, n),
		.thread = prof_add_thread(profile, &thread),
		.event = event,
		.end = PD_N_UNWIND_ENDS,
		.tags = prof_no_tags(),
	};
	const struct prof_value value = { 1, period };

	assert_ok(prof_add_samples(profile, &sample, PD_NO_TIME, &value, NULL));
	profile->stats.n_samples++;
}

/* main calls work. main misses branches, and work needs few cycles for its instructions. */
static struct profile *make(void)
{
	static const struct {
		const char *name;
		enum prof_event_kind kind;
		bool has_stacks;
		uint64_t of_main;
		uint64_t of_work;
	} events[] = {
		{ "cycles:u", PROF_EVENT_HARDWARE, true, 600, 400 },
		{ "cpu/instructions/u", PROF_EVENT_OTHER, true, 300, 1200 },
		{ "branches:u", PROF_EVENT_HARDWARE, true, 100, 0 },
		{ "branch-misses:u", PROF_EVENT_HARDWARE, true, 5, 0 },
		/* Neither of these goes along with the others. */
		{ "sched:sched_process_fork", PROF_EVENT_TRACEPOINT, true, 7, 0 },
		{ "page-faults", PROF_EVENT_SOFTWARE, false, 9, 0 },
	};
	struct profile *profile;
	struct prof_binary binary = { 0 };

	assert_ok(prof_create(&profile));
	binary.name = prof_add_string(profile, "/bin/program");
	assert_false(prof_is_none(prof_add_binary(profile, &binary)));
	struct prof_frame_id main_frame = add_function(profile, "main");
	const struct prof_frame_id stack[] = { add_function(profile, "work"), main_frame };
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct prof_event_id id =
			add_event(profile, events[i].name, events[i].kind, events[i].has_stacks);

		add_samples(profile, id, &stack[1], 1, events[i].of_main);
		if (events[i].of_work)
			add_samples(profile, id, stack, 2, events[i].of_work);
	}
	return profile;
}

static char *report(const struct profile *profile, const struct pd_report_opts *report_opts,
	enum pd_style style)
{
	const struct out_write_opts opts = {
		.event = prof_no_event(),
		.input = "x",
		.format.report = *report_opts,
		.format.text = { .style = style },
	};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_ok(out_format_report.write(profile, &opts, out));
	fclose(out);
	return text;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
}

static void test_functions(void **state)
{
	const struct pd_report_opts opts = { .limit = 20 };
	struct profile *profile = make();
	char *text = report(profile, &opts, PD_STYLE_TEXT);

	(void)state;
	expect(text, "cycles:u cpu/instructions/u branches:u branch-misses:u  IPC br-miss % "
		     "br-misses/1k  Top functions by self\n"
		     " 60.00 %            20.00 %   100.00 %        100.00 % 0.50      5.00        "
		     "16.67  main  (program)\n"
		     " 40.00 %            80.00 %                            3.00");
	/* Totals have ratios of totals. */
	expect(text, "100.00 %           100.00 %   100.00 %        100.00 % 1.50      5.00");
	free(text);
	prof_destroy(profile);
}

static void test_tables(void **state)
{
	static const char *const keys[] = { "sym" };
	static const char *const events[] = { "event" };
	const struct pd_report_opts opts = {
		.sort = keys,
		.n_sort = 1,
		.limit = 20,
		.percent_limit = 30,
		.total_period = true,
	};
	const struct pd_report_opts by_event = {
		.group_by = events,
		.n_group_by = 1,
		.sort = keys,
		.n_sort = 1,
		.limit = 20,
		.no_children = true,
	};
	struct profile *profile = make();
	char *json = report(profile, &opts, PD_STYLE_JSON);
	char *text = report(profile, &by_event, PD_STYLE_TEXT);

	(void)state;
	expect(json, "\"total[cpu/instructions/u]\": 1500");
	expect(json, "\"self_percent[cycles:u]\": 40");
	expect(json, "\"ipc\": 3");
	/* Rows of one event have shares of that, also if it does not go along with others. */
	expect(text, "100.00 %  sched:sched_process_fork\n"
		     "100.00 %                              main\n");
	expect(text, " 80.00 %                              work\n");
	free(json);
	free(text);
	prof_destroy(profile);
}

static void test_shown(void **state)
{
	const struct out_write_opts opts = { .event = prof_no_event() };
	const struct out_write_opts chosen = { .event = { 1 } };
	struct profile *profile = make();
	bool of_report[16], of_chosen[16], of_folded[16];

	(void)state;
	assert_true(profile->events.n <= 16);
	out_format_report.find_shown(profile, &opts, of_report);
	out_format_report.find_shown(profile, &chosen, of_chosen);
	out_format_folded.find_shown(profile, &opts, of_folded);
	for (size_t i = 0; i < profile->events.n; i++) {
		assert_int_equal(of_report[i], i < 4);
		assert_int_equal(of_chosen[i], i == 1);
		assert_int_equal(of_folded[i], i == 0);
	}
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
