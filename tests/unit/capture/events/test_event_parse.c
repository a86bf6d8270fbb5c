/* Tests of pdconv/event_parse.h: lists of events as attrs. */
#include "tests/unit/test.h"

#include <string.h>

#include <pdconv/pdconv.h>

#include "base/array.h"

/* No PMUs and tracepoints, so that results do not depend on the machine. */
static const struct pd_event_parse_opts nowhere = {
	.devices_dir = "/nonexistent",
	.tracing_dir = "/nonexistent",
};

static void a_list_becomes_attrs(void **state)
{
	struct pd_parsed_events events = { 0 };

	(void)state;
	assert_ok(pd_event_parse(
		"cycles:u,mine{instructions,LLC-load-misses}:S,page-faults/period=7/", &nowhere,
		&events));
	assert_int_equal(events.n, 4);
	assert_string_equal(events.list[0].name, "cycles:u");
	assert_int_equal(events.list[0].attr.type, PD_TYPE_HARDWARE);
	assert_int_equal(events.list[0].attr.config, 0);
	assert_true(pd_attr_has(&events.list[0].attr, PD_ATTR_exclude_kernel));
	assert_false(pd_attr_has(&events.list[0].attr, PD_ATTR_exclude_user));
	assert_int_equal(events.list[0].leader, 0);
	assert_int_equal(events.list[1].leader, 1);
	assert_int_equal(events.list[2].leader, 1);
	assert_string_equal(events.list[1].group_name, "mine");
	assert_true(events.list[1].reads_group);
	assert_int_equal(events.list[2].attr.type, PD_TYPE_HW_CACHE);
	assert_int_equal(events.list[2].attr.config, 0x10002);
	assert_int_equal(events.list[3].attr.type, PD_TYPE_SOFTWARE);
	assert_int_equal(events.list[3].attr.sample_period, 7);
	assert_true(events.list[3].has_period);
	/* A second list replaces the first one. */
	assert_ok(pd_event_parse("mem:0x1000/4:rw", &nowhere, &events));
	assert_int_equal(events.n, 1);
	assert_int_equal(events.list[0].attr.type, PD_TYPE_BREAKPOINT);
	assert_int_equal(events.list[0].attr.config1, 0x1000);
	assert_int_equal(events.list[0].attr.bp_type, 3);
	pd_parsed_events_deinit(&events);
	pd_parsed_events_deinit(&events);
}

/* Attrs can be written as they are, and read again. */
static void attrs_can_be_encoded(void **state)
{
	struct pd_parsed_events events = { 0 };
	struct pd_bytes bytes = { 0 };
	struct pd_attr read;

	(void)state;
	assert_ok(pd_event_parse("branch-misses:pp", NULL, &events));
	pd_attr_encode(&events.list[0].attr, &bytes);
	assert_false(bytes.failed);
	struct pd_view view = { bytes.buf.data, 1, false, bytes.buf.n };
	assert_int_equal(pd_attr_decode(&view, &read), bytes.buf.n);
	assert_int_equal(pd_attr_precise_ip(&read), 2);
	assert_memory_equal(&read, &events.list[0].attr, sizeof(read));
	pd_bytes_deinit(&bytes);
	pd_parsed_events_deinit(&events);
}

static void errors_name_word_and_position(void **state)
{
	static const struct {
		const char *words;
		const char *word;
		const char *position;
	} cases[] = {
		{ "cycles,cylces", "event 'cylces'", "(at character 8)" },
		{ "cycles, {instructions,none}", "event 'none'", "(at character 23)" },
		{ "cycles:y", "event 'cycles:y'", "(at character 1)" },
		{ "{cycles,faults}:y", "event '{cycles,faults}:y'", "(at character 1)" },
		{ "{cycles,faults", "expected a '}' at the end", "(at character 15)" },
		{ "cycles,", "expected an event at the end", "(at character 8)" },
		{ "cycles}", "unexpected '}'", "(at character 7)" },
		{ "", "expected an event at the end", "(at character 1)" },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct pd_parsed_events events = { 0 };
		struct pd_error *err = pd_event_parse(cases[i].words, &nowhere, &events);

		assert_non_null(err);
		assert_int_equal(err->code, PD_ERROR_USAGE);
		if (!strstr(err->message, cases[i].word) ||
			!strstr(err->message, cases[i].position))
			fail_msg("%s: %s", cases[i].words, err->message);
		assert_int_equal(events.n, 0);
		pd_error_destroy(err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_becomes_attrs),
		cmocka_unit_test(attrs_can_be_encoded),
		cmocka_unit_test(errors_name_word_and_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
