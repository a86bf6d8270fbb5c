/* Counter values in samples. */
#include "tests/unit/test_recording.h"

#include <pdconv/group_read.h>

#include "base/array.h"
#include "parse/event_index.h"

enum { TIMES = PD_READ_TIME_ENABLED | PD_READ_TIME_RUNNING };

static struct pd_view view(const struct bytes *b)
{
	return (struct pd_view){ .data = b->data, .elem_size = 1, .n = b->n };
}

/* Every combination of the format's bits, two values with GROUP, and none of them cut. */
static void every_format_is_decoded(void **state)
{
	(void)state;
	for (uint64_t format = 0; format < 32; format++) {
		struct bytes b = { 0 };
		bool is_group = format & PD_READ_GROUP;
		uint64_t n = is_group ? 2 : 1;
		struct pd_read_values read;

		u64(&b, is_group ? 2 : 100);
		if (format & PD_READ_TIME_ENABLED)
			u64(&b, 70);
		if (format & PD_READ_TIME_RUNNING)
			u64(&b, 60);
		for (uint64_t i = 0; i < n; i++) {
			if (is_group)
				u64(&b, 100 + i);
			if (format & PD_READ_ID)
				u64(&b, 5 + i);
			if (format & PD_READ_LOST)
				u64(&b, 1 + i);
		}
		struct pd_view whole = view(&b);
		assert_true(pd_read_decode(&whole, format, &read));
		assert_int_equal(read.values.n, n);
		assert_int_equal(read.time_enabled, format & PD_READ_TIME_ENABLED ? 70 : 0);
		assert_int_equal(read.time_running, format & PD_READ_TIME_RUNNING ? 60 : 0);
		for (uint64_t i = 0; i < n; i++) {
			struct pd_read_value value = pd_read_value(&read, i);

			assert_int_equal(value.value, 100 + i);
			assert_int_equal(value.id, format & PD_READ_ID ? 5 + i : 0);
			assert_int_equal(value.lost, format & PD_READ_LOST ? 1 + i : 0);
		}
		for (whole.n = 0; whole.n < b.n; whole.n++)
			assert_false(pd_read_decode(&whole, format, &read));
		bytes_free(&b);
	}
}

static void excessive_value_counts_are_rejected(void **state)
{
	struct bytes b = { 0 };
	struct pd_read_values read;

	(void)state;
	u64(&b, UINT64_MAX / 8);
	u64(&b, 1);
	struct pd_view whole = view(&b);
	assert_false(pd_read_decode(&whole, PD_READ_GROUP, &read));
	bytes_free(&b);
}

/* Two events with the ids 11 and 12. */
static void add_events(struct pd_events *events, uint64_t read_format, uint64_t flags)
{
	for (uint64_t id = 11; id <= 12; id++) {
		struct pd_attr attr = {
			.sample_type = 1 << PD_SAMPLE_READ | 1 << PD_SAMPLE_TID,
			.read_format = read_format,
			.flags = flags,
		};

		assert_ok(parse_events_add(events, &attr));
		assert_ok(parse_events_add_id(events, id, (uint32_t)id - 11));
	}
}

struct step {
	uint32_t tid;
	/** Pairs of an id and a value, up to id 0. */
	uint64_t pairs[6];
	/** Pairs of an event's index and a period; -1 for no event. */
	size_t n_shares;
	int64_t shares[6];
};

static void follow(struct pd_events *events, const struct step *steps, size_t n)
{
	struct pd_counters counters = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct bytes b = { 0 };
		uint64_t n_values = 0;

		while (n_values < 3 && steps[i].pairs[2 * n_values])
			n_values++;
		u64(&b, n_values);
		for (uint64_t k = 0; k < n_values; k++) {
			u64(&b, steps[i].pairs[2 * k + 1]);
			u64(&b, steps[i].pairs[2 * k]);
		}
		struct pd_sample sample = { .tid = steps[i].tid, .read = view(&b), .period = 77 };
		assert_ok(pd_counters_apply(&counters, events, events->list.data, &sample));
		assert_int_equal(counters.shares.n, steps[i].n_shares);
		for (size_t k = 0; k < steps[i].n_shares; k++) {
			const struct pd_share *share = &counters.shares.data[k];

			assert_int_equal(share->event ? (int64_t)share->event->index : -1,
				steps[i].shares[2 * k]);
			assert_int_equal(share->period, steps[i].shares[2 * k + 1]);
		}
		bytes_free(&b);
	}
	pd_counters_deinit(&counters);
}

static void periods_follow_from_counters(void **state)
{
	struct pd_events events = { 0 };
	const struct step steps[] = {
		{ 1, { 11, 100, 12, 5 }, 2, { 0, 100, 1, 5 } },
		{ 1, { 11, 250, 12, 5 }, 1, { 0, 150 } },
		{ 2, { 11, 260, 12, 9 }, 2, { 0, 10, 1, 4 } },
		{ 1, { 11, 260, 12, 9 }, 0, { 0 } },
		{ 1, { 11, 300, 99, 7 }, 2, { 0, 40, -1, 7 } },
		/* The counter went backwards, so it was reset and counts from zero. */
		{ 1, { 11, 30 }, 1, { 0, 30 } },
		{ 1, { 11, 31 }, 1, { 0, 1 } },
		{ 1, { 0 }, 0, { 0 } },
	};

	(void)state;
	add_events(&events, PD_READ_GROUP | PD_READ_ID, 0);
	follow(&events, steps, PD_ARRAY_LEN(steps));
	parse_events_deinit(&events);
}

static void inherited_counters_are_separate_by_thread(void **state)
{
	struct pd_events events = { 0 };
	const struct step steps[] = {
		{ 1, { 11, 100 }, 1, { 0, 100 } },
		{ 2, { 11, 40 }, 1, { 0, 40 } },
		{ 1, { 11, 110 }, 1, { 0, 10 } },
		{ 2, { 11, 140 }, 1, { 0, 100 } },
	};

	(void)state;
	add_events(&events, PD_READ_GROUP | PD_READ_ID, (uint64_t)1 << PD_ATTR_inherit);
	follow(&events, steps, PD_ARRAY_LEN(steps));
	parse_events_deinit(&events);
}

static void values_without_ids_leave_the_period(void **state)
{
	const uint64_t formats[] = { 0, PD_READ_GROUP, TIMES };
	struct bytes b = { 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		u64(&b, 1);
	for (size_t i = 0; i < PD_ARRAY_LEN(formats); i++) {
		struct pd_events events = { 0 };
		struct pd_counters counters = { 0 };
		struct pd_sample sample = { .period = 77, .read = view(&b) };

		add_events(&events, formats[i], 0);
		assert_ok(pd_counters_apply(&counters, &events, &events.list.data[1], &sample));
		assert_int_equal(counters.shares.n, 1);
		assert_int_equal(counters.shares.data[0].event->index, 1);
		assert_int_equal(counters.shares.data[0].period, 77);
		pd_counters_deinit(&counters);
		parse_events_deinit(&events);
	}
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_is_decoded),
		cmocka_unit_test(excessive_value_counts_are_rejected),
		cmocka_unit_test(periods_follow_from_counters),
		cmocka_unit_test(inherited_counters_are_separate_by_thread),
		cmocka_unit_test(values_without_ids_leave_the_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
