/* The ledger in a page: lists are bounded, and their sums are those of all. */
#include "output/html/html_ledger.h"

#include <inttypes.h>

#include "base/memstream.h"
#include "output/html/html_lanes.h"
#include "tests/unit/made_profile.h"

enum { MANY = 503, BOUND = 500 };

/* Thread i ran for i + 1 ns, and was blocked for 10 ns; CPU i was idle for i ns, and busy for 1. */
static struct profile *make_profile(size_t n, const struct prof_ledger *ledger)
{
	struct profile *profile;

	assert_ok(prof_create(&profile));
	assert_true(pd_vec_push(&profile->ledgers, *ledger));
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_thread thread = made_thread(profile, 1, i + 1, "a\x1b\"b");
		const struct prof_ledger_thread row = {
			.thread = prof_add_thread(profile, &thread),
			.life_ns = i + 11,
			.ns = { i + 1, 0, 10, 0 },
			.n_runs = 2,
			.n_waits = 1,
		};
		const struct prof_ledger_cpu cpu = {
			.cpu = i,
			.wall_ns = i + 1,
			.ns = { 1, i, 0 },
			.n_switches = 3,
		};
		const struct prof_ledger_waker waker = {
			.waiter = row.thread,
			.waker = prof_no_thread(),
			.n = 1,
			.ns = 10,
		};

		assert_true(pd_vec_push(&profile->ledger_threads, row));
		assert_true(pd_vec_push(&profile->ledger_cpus, cpu));
		assert_true(pd_vec_push(&profile->ledger_wakers, waker));
	}
	return profile;
}

/* JSON of the ledger of a profile, allocated. */
static char *write_ledger(const struct profile *profile)
{
	struct html h = { .profile = profile };
	struct out_ledger_notes notes = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);
	struct base_json json = { .out = out, .is_compact = true };

	assert_non_null(out);
	assert_ok(out_ledger_notes_find(profile, &notes));
	base_json_object(&json, NULL);
	html_write_ledger(&h, &notes, &json);
	base_json_end(&json, '}');
	out_ledger_notes_deinit(&notes);
	assert_true(base_memstream_close(out, &text));
	return text;
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

static void expect_part(const char *text, const char *format, uint64_t a, uint64_t b, uint64_t c)
{
	char part[256];

	snprintf(part, sizeof(part), format, a, b, c);
	if (!strstr(text, part))
		fail_msg("there is no %s in %.4000s", part, text);
}

static void sum_up_what_has_no_row(void **state)
{
	const struct prof_ledger ledger = { .has_switches = 1, .is_of_cpus = 1 };
	struct profile *profile = make_profile(MANY, &ledger);
	char *text = write_ledger(profile);
	uint64_t sum = MANY * (MANY + 1) / 2;

	(void)state;
	assert_int_equal(count(text, "\"span\":"), BOUND);
	assert_int_equal(count(text, "\"cpu\":"), BOUND);
	assert_int_equal(count(text, "{\"name\":\"[interrupt]\"}"), BOUND);
	/* Threads are sorted: those that ran for 1, 2 and 3 ns are last. */
	expect_part(text,
		"\"more_threads\":{\"n\":%" PRIu64 ",\"ns\":[\"6\",\"0\",\"30\",\"0\"],\"whole\":"
		"\"%" PRIu64 "\",\"runs\":\"%" PRIu64 "\",\"waits\":\"3\"}",
		3, 36, 6);
	expect_part(text,
		"\"all_threads\":{\"n\":503,\"ns\":[\"%" PRIu64 "\",\"0\",\"%" PRIu64
		"\",\"0\"],\"whole\":\"%" PRIu64 "\",",
		sum, 5030, sum + 5030);
	expect_part(text,
		"\"more_cpus\":{\"n\":3,\"ns\":[\"3\",\"%" PRIu64 "\",\"0\"],\"whole\":\"%" PRIu64
		"\",\"switches\":\"%" PRIu64 "\"}",
		500 + 501 + 502, 503 + 500 + 501 + 502 - 500, 9);
	expect_part(text,
		"\"more_wakers\":{\"n\":3,\"ns\":[],\"whole\":\"%" PRIu64 "\",\"waits\":\"%" PRIu64
		"\"},\"all_wakers\":{\"n\":%" PRIu64 ",",
		30, 3, 503);
	/* Names as people see them, in quotes. */
	assert_int_equal(count(text, "\"name\":\"a\\\\x1b\\\"b\""), 2 * BOUND);
	free(text);
	prof_destroy(profile);
}

static void leave_out_no_row(void **state)
{
	const struct prof_ledger ledger = { .has_waits = 1 };
	struct profile *profile = make_profile(BOUND, &ledger);
	char *text = write_ledger(profile);

	(void)state;
	assert_int_equal(count(text, "\"span\":"), BOUND);
	assert_int_equal(count(text, "more_"), 0);
	assert_int_equal(count(text, "\"all_"), 3);
	free(text);
	prof_destroy(profile);
}

static void write_nothing_without_switches_and_waits(void **state)
{
	const struct prof_ledger ledger = { .has_wakes = 1 };
	struct profile *profile = make_profile(1, &ledger);
	char *text = write_ledger(profile);

	(void)state;
	assert_string_equal(text, "{}");
	free(text);
	prof_destroy(profile);
}

/* Phases of 100, 1 and 1 ns in turn, from a moment before the samples on, with a gap of 5 ns. */
static void add_phases(struct profile *profile, size_t n)
{
	uint64_t time = 500;

	for (size_t i = 0; i < n; i++) {
		const struct prof_ledger_phase phase = {
			.state = (uint16_t)(i % 3),
			.waker = prof_no_thread(),
			.is_woken = i % 3 == PROF_LEDGER_BLOCKED,
			.begin_ns = time,
			.ns = i % 3 ? 1 : 100,
		};

		assert_ok(base_spill_push(&profile->ledger_phases, phase));
		time += phase.ns + (i == 3 ? 5 : 0);
	}
}

static void put_lanes(struct html *h)
{
	assert_ok(html_put_lanes(h));
	assert_false(h->no_memory || h->columns.no_memory);
	assert_int_equal(h->columns.list[HTML_LANE_THREAD].n, 1);
	assert_int_equal(h->columns.list[HTML_PIECE_NS].n, h->columns.list[HTML_PIECE_STATE].n);
}

static void free_lanes(struct html *h, struct profile *profile)
{
	html_columns_deinit(&h->columns);
	base_map_deinit(&h->thread_ids);
	base_map_deinit(&h->process_ids);
	pd_vec_deinit(&h->threads);
	pd_vec_deinit(&h->processes);
	base_intern_deinit(&h->strings);
	prof_destroy(profile);
}

static void few_phases_are_exact(void **state)
{
	const struct prof_ledger ledger = { .has_switches = 1 };
	struct profile *profile = make_profile(1, &ledger);
	struct html h = { .profile = profile, .base_ns = 500, .unit_ns = 1000 };

	(void)state;
	add_phases(profile, 6);
	put_lanes(&h);
	assert_int_equal(h.least_phase_ns, 0);
	/* One of them is the gap. */
	assert_int_equal(h.columns.list[HTML_PIECE_NS].n, 7);
	assert_memory_equal(h.columns.list[HTML_PIECE_STATE].bytes.data,
		((uint8_t[]){ 0, 1, 2, 0, HTML_PIECE_LEFT_OUT, 1, 2 }), 7);
	assert_memory_equal(h.columns.list[HTML_PIECE_NS].bytes.data,
		((uint8_t[]){ 100, 1, 1, 100, 5, 1, 1 }), 7);
	assert_int_equal(h.columns.list[HTML_MIX_NS].n, 0);
	/* The blocked ones were ended by interrupts. */
	assert_memory_equal(
		h.columns.list[HTML_WAIT_WAKER].bytes.data, ((uint8_t[]){ 0, 1, 0, 1 }), 4);
	free_lanes(&h, profile);
}

/* Pairs of short phases become one piece, and the long ones remain. */
static void many_phases_are_summed_up(void **state)
{
	const struct prof_ledger ledger = { .has_switches = 1 };
	struct profile *profile = make_profile(1, &ledger);
	struct html h = { .profile = profile, .base_ns = 500, .unit_ns = 1000 };
	size_t n = HTML_MAX_PIECES + 1 - (HTML_MAX_PIECES + 1) % 3;

	(void)state;
	add_phases(profile, n);
	put_lanes(&h);
	assert_int_equal(h.least_phase_ns, 2);
	/* The gap is a piece, too. */
	assert_int_equal(h.columns.list[HTML_PIECE_NS].n, 2 * (n / 3) + 1);
	assert_int_equal(h.columns.list[HTML_MIX_NS].n, 4 * (n / 3));
	free_lanes(&h, profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sum_up_what_has_no_row),
		cmocka_unit_test(leave_out_no_row),
		cmocka_unit_test(few_phases_are_exact),
		cmocka_unit_test(many_phases_are_summed_up),
		cmocka_unit_test(write_nothing_without_switches_and_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
