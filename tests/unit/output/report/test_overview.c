/* The tables of who used the processors, of profiles made by hand. */
#include "tests/unit/made_profile.h"

#include "output/report/overview.h"

static char *overview(
	const struct profile *profile, struct prof_event_id event, enum pd_style style)
{
	const struct pd_text_opts doc_opts = { .style = style };
	const struct out_write_opts opts = {
		.event = prof_no_event(),
	};
	struct out_doc *doc = out_doc_create("report");
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(doc);
	assert_ok(out_report_add_overview(doc, profile, &opts, event));
	assert_ok(out_doc_write(doc, &doc_opts, out));
	fclose(out);
	out_doc_destroy(doc);
	return text;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
}

static void expect_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in\n%s", part, text);
}

static void add(struct profile *profile, struct prof_event_id event, uint32_t tid, const char *comm,
	const char *binary, uint64_t period)
{
	struct prof_thread thread = made_thread(profile, tid ? 7 : 0, tid, comm);

	made_sample(profile, event, &thread, binary, period);
}

/* Four rows are shown, and what follows is summed up. The bars have the lengths of the shares. */
static void test_rows(void **state)
{
	static const struct {
		const char *comm;
		const char *binary;
		uint64_t period;
	} samples[] = {
		{ "a", "/bin/a", 50000000 },
		{ "b", "/lib/libc.so.6", 20000000 },
		{ "swapper", "[kernel]", 12000000 },
		{ "d", "/bin/a", 8000000 },
		{ "e", "/bin/a", 6000000 },
		{ "f", "/bin/a", 4000000 },
	};
	struct profile *profile;

	(void)state;
	assert_ok(prof_create(&profile));
	struct prof_event_id event = made_event(profile, "cpu-clock", "nanoseconds");
	struct prof_event_id other = made_event(profile, "page-faults", "count");
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		add(profile, event, (uint32_t)i + 7, samples[i].comm, samples[i].binary,
			samples[i].period);
	add(profile, other, 99, "unseen", "/bin/unseen", 1000000000);
	char *text = overview(profile, event, PD_STYLE_TEXT);
	expect(text, "   share     time  Commands\n"
		     " 50.00 %    50 ms  a                     ##########\n"
		     " 20.00 %    20 ms  b                     ####\n"
		     " 12.00 %    12 ms  swapper (idle)        ##\n"
		     "  8.00 %     8 ms  d                     ##\n"
		     " 10.00 %    10 ms  2 more                ##\n");
	expect(text, "   share     time  Binaries\n"
		     " 68.00 %    68 ms  a                     ##############\n"
		     " 20.00 %    20 ms  libc.so.6             ####\n"
		     " 12.00 %    12 ms  [kernel]              ##\n");
	expect_not(text, "unseen");
	expect_not(text, "Threads");
	free(text);
	text = overview(profile, event, PD_STYLE_JSON);
	expect(text, "\"left_out\": 2");
	free(text);
	prof_destroy(profile);
}

/* The threads of a single command are listed, because a table with one row would say nothing. */
static void test_threads(void **state)
{
	struct profile *profile;

	(void)state;
	assert_ok(prof_create(&profile));
	struct prof_event_id event = made_event(profile, "cycles", "count");
	add(profile, event, 7, "a", "/bin/a", 30);
	char *text = overview(profile, event, PD_STYLE_TEXT);
	assert_string_equal(text, "");
	free(text);
	add(profile, event, 8, "a", "/bin/a", 10);
	text = overview(profile, event, PD_STYLE_TEXT);
	expect(text, "   share  samples  Threads\n"
		     " 75.00 %        1  7:a                   ###############\n"
		     " 25.00 %        1  8:a                   #####\n");
	expect_not(text, "Commands");
	expect_not(text, "Binaries");
	free(text);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
