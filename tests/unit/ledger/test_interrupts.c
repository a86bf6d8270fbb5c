/* Interrupts in which wakeups were recorded. */
#include <pdconv/reader.h>

#include "parse/open_file.h"
#include "tests/unit/test_recording.h"

#include "ledger/interrupts.h"

/* Wakeups of a recording by the kind of interrupt, and those of them that an event names. */
struct wakeups {
	size_t n[LED_N_INTERRUPT_KINDS];
	size_t n_named[LED_N_INTERRUPT_KINDS];
};

static bool is_end(const struct pd_file *file, const struct pd_record *rec)
{
	const struct pd_event *event =
		rec->type == PD_RECORD_SAMPLE ? pd_events_find(&file->events, rec) : NULL;

	return event && event->name && strstr(event->name, "_exit");
}

/* Count the wakeups in testdata/interrupts/events.data, with or without the ends of interrupts. */
static struct wakeups count(bool has_ends)
{
	struct bytes b = testdata_read("interrupts", "events.data");
	struct led_sched_events sched;
	struct led_interrupts in;
	struct wakeups ret = { 0 };
	struct pd_file *file;
	struct pd_reader *reader;
	struct pd_record rec;

	assert_ok(pd_file_open_memory("events.data", b.data, b.n, NULL, &file));
	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	led_sched_events_init(&sched, file);
	led_interrupts_init(&in, &sched);
	for (assert_ok(pd_reader_next(reader, &rec)); rec.bytes;
		assert_ok(pd_reader_next(reader, &rec))) {
		if (!has_ends && is_end(file, &rec))
			continue;
		assert_ok(led_sched_events_take(&sched, &rec));
		assert_ok(led_interrupts_take(&in));
		if (in.present == LED_NO_INTERRUPT)
			continue;
		const struct led_interrupt *interrupt = led_interrupt(&in, in.present);
		ret.n[interrupt->kind]++;
		ret.n_named[interrupt->kind] += interrupt->text != PD_INTERN_NONE;
	}
	led_interrupts_deinit(&in);
	led_sched_events_deinit(&sched);
	pd_reader_destroy(reader);
	pd_file_close(file);
	bytes_free(&b);
	return ret;
}

/* Each wakeup is in an interrupt of the kind that its flags say, whatever seems to be open. */
static void lost_ends_do_not_change_kinds(void **state)
{
	const struct wakeups whole = count(true), cut = count(false);

	(void)state;
	assert_true(whole.n[LED_INTERRUPT_HARD] > 5);
	assert_true(whole.n[LED_INTERRUPT_SOFT] > 5);
	assert_int_equal(whole.n_named[LED_INTERRUPT_HARD], whole.n[LED_INTERRUPT_HARD]);
	assert_memory_equal(whole.n, cut.n, sizeof(whole.n));
}

static void functions_say_what_an_interrupt_was(void **state)
{
	struct led_interrupt_reason reason;

	(void)state;
	assert_true(led_interrupt_reason("hrtimer_wakeup", &reason));
	assert_string_equal(reason.name, "timer");
	assert_true(reason.has_function);
	assert_true(led_interrupt_reason("blk_update_request", &reason));
	assert_string_equal(reason.name, "block");
	assert_false(reason.has_function);
	assert_true(led_interrupt_reason("asm_sysvec_apic_timer_interrupt", &reason));
	assert_null(reason.name);
	assert_false(led_interrupt_reason("hrtimer_wakeup_slowly", &reason));
	assert_false(led_interrupt_reason("", &reason));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_ends_do_not_change_kinds),
		cmocka_unit_test(functions_say_what_an_interrupt_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
