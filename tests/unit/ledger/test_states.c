/* Bits of prev_state, as the print formats of several kernels name them. */
#include "tests/unit/test_recording.h"

#include <pdconv/tracing_data.h>

#include "ledger/states.h"

/* 4.14 and later: the bit after those of the states is of threads that were preempted. */
static const char since_4_14[] =
	"\"prev_state=%s%s\", (REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | "
	"0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x0000 | "
	"0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1), \"|\", "
	"{ 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, "
	"{ 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\", "
	"REC->prev_state & 0x100 ? \"+\" : \"\"";

/* 4.4: Z and X have changed places, and preempted threads have the bit 1024 or 2048. */
static const char of_4_4[] =
	"\"prev_state=%s%s\", REC->prev_state & (2048-1) ? __print_flags(REC->prev_state & (2048-1), "
	"\"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, "
	"{ 64, \"x\" }, { 128, \"K\"}, { 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" }) : \"R\", "
	"REC->prev_state & 2048 ? \"+\" : \"\"";

static void text(struct bytes *b, unsigned size_bytes, const char *text)
{
	put(b, strlen(text), size_bytes);
	bytes_add(b, text, strlen(text));
}

/* Tracing data with sched_switch, which has @p print. */
static struct pd_tracing *make_tracing(const char *print)
{
	char format[2048];
	struct bytes b = { 0 };
	struct pd_tracing *tracing;
	const char *wrong;

	snprintf(format, sizeof(format),
		"name: sched_switch\nID: 1\nformat:\n"
		"\tfield:long prev_state;\toffset:0;\tsize:8;\tsigned:1;\n\nprint fmt: %s\n",
		print);
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
	u32(&b, 1);
	text(&b, 8, format);
	text(&b, 4, "");
	text(&b, 4, "");
	text(&b, 8, "");
	assert_ok(pd_tracing_create(b.data, b.n, &tracing, &wrong));
	assert_null(wrong);
	bytes_free(&b);
	return tracing;
}

static struct led_states states_of(const char *print)
{
	struct pd_tracing *tracing = make_tracing(print);
	struct led_states states =
		led_states_of(parse_tracing_print_format(tracing, pd_tracing_find(tracing, 1)));

	pd_tracing_destroy(tracing);
	return states;
}

static void present_kernels(void **state)
{
	struct led_states states = states_of(since_4_14);

	(void)state;
	assert_int_equal(states.off, 0xff);
	assert_int_equal(states.dead, 0x30);
	assert_int_equal(states.disk, 2);
	assert_int_equal(led_states_reason(&states, 0), LED_PREEMPTED);
	assert_int_equal(led_states_reason(&states, 0x100), LED_PREEMPTED);
	assert_int_equal(led_states_reason(&states, 1), LED_BLOCKS);
	assert_int_equal(led_states_reason(&states, 0x80), LED_BLOCKS);
	assert_int_equal(led_states_reason(&states, 0x10), LED_DIES);
}

static void older_kernels(void **state)
{
	struct led_states states = states_of(of_4_4);

	(void)state;
	assert_int_equal(states.off, 2047);
	assert_int_equal(states.dead, 64 | 32 | 16);
	assert_int_equal(led_states_reason(&states, 2048), LED_PREEMPTED);
	assert_int_equal(led_states_reason(&states, 130), LED_BLOCKS);
	assert_int_equal(led_states_reason(&states, 64), LED_DIES);
}

static void formats_without_letters(void **state)
{
	struct led_states states = states_of("\"prev_state=%d\", REC->prev_state");

	(void)state;
	assert_int_equal(states.off, 0xff);
	states = led_states_of(NULL);
	assert_int_equal(states.off, 0xff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(present_kernels),
		cmocka_unit_test(older_kernels),
		cmocka_unit_test(formats_without_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
