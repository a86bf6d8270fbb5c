/* While the stack level changes, a thread is sampled by events of both levels. */
#include "tests/unit/test.h"

#include <string.h>

#include "base/array.h"
#include "capture/run/overlap.h"
#include "capture/stack_level.h"
#include "parse/event_index.h"

enum { ASKED_BYTES = 1024, SAMPLE_BYTES = 48 + ASKED_BYTES };

struct ctx {
	struct pd_events events;
	struct cap_overlap overlap;
};

struct sample {
	uint32_t tid;
	uint64_t time;
	size_t level;
};

static void create(struct ctx *c, uint64_t flags, uint64_t period)
{
	struct pd_attr attr = {
		.type = PD_TYPE_TRACEPOINT,
		.sample_type = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME | 1 << PD_SAMPLE_STACK_USER,
		.sample_period = period,
		.sample_stack_user = ASKED_BYTES,
		.flags = flags,
	};

	*c = (struct ctx){ 0 };
	assert_ok(parse_events_add(&c->events, &attr));
	assert_ok(parse_events_finish(&c->events, 0));
}

static void destroy(struct ctx *c)
{
	cap_overlap_deinit(&c->overlap);
	parse_events_deinit(&c->events);
}

/* Encode header, pid and tid, time, size of the stack, the stack, and how much of it is valid. */
static struct pd_record encode(const struct sample *sample, uint64_t words[static SAMPLE_BYTES / 8])
{
	uint64_t bytes = cap_stack_level_bytes(ASKED_BYTES, sample->level);
	const struct pd_record rec = {
		.type = PD_RECORD_SAMPLE,
		.size = (uint32_t)(40 + bytes),
		.bytes = (const uint8_t *)words,
	};

	memset(words, 0, SAMPLE_BYTES);
	words[0] = (uint64_t)rec.size << 48 | PD_RECORD_SAMPLE;
	words[1] = (uint64_t)sample->tid << 32 | sample->tid;
	words[2] = sample->time;
	words[3] = bytes;
	words[4 + bytes / 8] = bytes;
	return rec;
}

/* Report what is left of @p samples: the times of those that have no other. */
static void left(struct ctx *c, const struct sample *samples, size_t n, char text[static 100])
{
	uint64_t words[SAMPLE_BYTES / 8];
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pd_record rec = encode(&samples[i], words);

		assert_true(cap_overlap_note(&c->overlap, &c->events, &rec));
	}
	for (size_t i = 0; i < n; i++) {
		const struct pd_record rec = encode(&samples[i], words);

		if (!cap_overlap_has_other(&c->overlap, &c->events, &rec))
			at += (size_t)sprintf(
				text + at, "%d:%d ", (int)samples[i].tid, (int)samples[i].time);
	}
	text[at] = 0;
}

/* Events of a higher level are asked first, so of two samples of one thing theirs is earlier. */
static void test_capturing_less_keeps_the_first_of_each_two(void **ctx)
{
	const struct sample samples[] = { { 7, 10, 0 }, { 7, 20, 1 }, { 7, 21, 0 }, { 7, 30, 1 },
		{ 7, 31, 0 }, { 7, 40, 1 }, { 8, 25, 0 }, { 8, 35, 1 }, { 9, 5, 1 }, { 9, 6, 0 },
		{ 10, 50, 0 }, { 11, 50, 1 } };
	struct ctx c;
	char text[100];

	(void)ctx;
	create(&c, 0, 1);
	cap_overlap_begin(&c.overlap, 0, 1);
	left(&c, samples, PD_ARRAY_LEN(samples), text);
	assert_string_equal(text, "7:10 7:20 7:30 7:40 8:25 8:35 9:5 10:50 11:50 ");
	destroy(&c);
}

static void test_capturing_more_keeps_one_of_each_two(void **ctx)
{
	const struct sample samples[] = { { 7, 10, 1 }, { 7, 20, 1 }, { 7, 21, 0 }, { 7, 30, 1 },
		{ 7, 31, 0 }, { 7, 40, 0 }, { 8, 25, 1 }, { 8, 35, 0 } };
	struct ctx c;
	char text[100];

	(void)ctx;
	create(&c, 0, 1);
	cap_overlap_begin(&c.overlap, 1, 0);
	left(&c, samples, PD_ARRAY_LEN(samples), text);
	assert_string_equal(text, "7:10 7:20 7:31 7:40 8:25 8:35 ");
	destroy(&c);
}

/* Clocks of two levels do not tick together: a sample of one is not there twice. */
static void test_clocks_change_over_at_the_first_new_sample(void **ctx)
{
	const struct sample samples[] = { { 7, 10, 1 }, { 7, 20, 1 }, { 7, 25, 0 }, { 7, 30, 1 },
		{ 7, 35, 0 } };
	struct ctx c;
	char text[100];

	(void)ctx;
	create(&c, (uint64_t)1 << PD_ATTR_freq, 1);
	cap_overlap_begin(&c.overlap, 1, 0);
	left(&c, samples, PD_ARRAY_LEN(samples), text);
	assert_string_equal(text, "7:10 7:20 7:25 7:35 ");
	destroy(&c);
}

static void test_an_overlap_ends_after_the_rings_were_drained_twice(void **ctx)
{
	const struct sample samples[] = { { 7, 20, 1 }, { 7, 21, 0 } };
	struct ctx c;
	char text[100];

	(void)ctx;
	create(&c, 0, 1);
	cap_overlap_begin(&c.overlap, 0, 1);
	cap_overlap_drained(&c.overlap);
	assert_true(cap_overlap_is_on(&c.overlap));
	left(&c, samples, PD_ARRAY_LEN(samples), text);
	assert_string_equal(text, "7:20 ");
	cap_overlap_drained(&c.overlap);
	assert_false(cap_overlap_is_on(&c.overlap));
	left(&c, samples, PD_ARRAY_LEN(samples), text);
	assert_string_equal(text, "7:20 7:21 ");
	destroy(&c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capturing_less_keeps_the_first_of_each_two),
		cmocka_unit_test(test_capturing_more_keeps_one_of_each_two),
		cmocka_unit_test(test_clocks_change_over_at_the_first_new_sample),
		cmocka_unit_test(test_an_overlap_ends_after_the_rings_were_drained_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
