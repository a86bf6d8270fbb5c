/* Ids of functions and threads. */
#include "tests/unit/made_profile.h"

#include "query/numbering.h"

struct numbered {
	struct profile *profile;
	struct ana_symbols symbols;
	struct qry_numbering numbering;
};

/* Samples of one function in each binary, in this order. */
static void fill(struct profile *profile, const char *const *binaries, size_t n)
{
	struct prof_event_id event = made_event(profile, "cycles", "count");
	const struct prof_thread threads[] = {
		made_thread(profile, 10, 12, "late"),
		made_thread(profile, 10, 11, "early"),
	};

	for (size_t i = 0; i < n; i++)
		made_sample(profile, event, &threads[i % 2], binaries[i], 10);
}

static void make(struct numbered *ret, const char *const *binaries, size_t n)
{
	*ret = (struct numbered){ 0 };
	assert_ok(prof_create(&ret->profile));
	fill(ret->profile, binaries, n);
	assert_ok(ana_symbols_create(ret->profile, &ret->symbols));
	assert_ok(qry_numbering_create(ret->profile, &ret->symbols, &ret->numbering));
}

static void drop(struct numbered *n)
{
	qry_numbering_deinit(&n->numbering);
	ana_symbols_deinit(&n->symbols);
	prof_destroy(n->profile);
}

/* The binary of the function with a number, by the symbols of @p of. */
static const char *binary_at(const struct numbered *n, const struct numbered *of, uint32_t number)
{
	uint32_t symbol = qry_function_at(&n->numbering, &of->symbols, number);

	return symbol == PROF_NONE ? NULL : ana_symbol_binary(&of->symbols, symbol);
}

/* The function with most samples is f-1; equals are in the order of their names and binaries. */
static void functions_are_ranked(void **state)
{
	static const char *const binaries[] = { "/b", "/hot", "/a", "/hot" };
	struct numbered n;

	(void)state;
	make(&n, binaries, 4);
	assert_string_equal(binary_at(&n, &n, 1), "hot");
	assert_string_equal(binary_at(&n, &n, 2), "a");
	assert_string_equal(binary_at(&n, &n, 3), "b");
	assert_null(binary_at(&n, &n, 4));
	assert_null(binary_at(&n, &n, 0));
	for (uint32_t i = 1; i <= 3; i++)
		assert_int_equal(qry_function_number(&n.numbering, &n.symbols,
					 qry_function_at(&n.numbering, &n.symbols, i)),
			i);
	assert_int_equal(qry_function_number(&n.numbering, &n.symbols, PROF_NONE), 0);
	drop(&n);
}

/* Other samples of the recording have the same ids, whatever the order of their symbols is. */
static void ids_stay(void **state)
{
	static const char *const all[] = { "/b", "/hot", "/a", "/hot" };
	static const char *const some[] = { "/b", "/a" };
	struct numbered n, filtered;

	(void)state;
	make(&n, all, 4);
	make(&filtered, some, 2);
	assert_string_equal(binary_at(&n, &filtered, 3), "b");
	assert_string_equal(binary_at(&n, &filtered, 2), "a");
	assert_null(binary_at(&n, &filtered, 1));
	for (uint32_t i = 0; i < filtered.symbols.list.n; i++) {
		uint32_t number = qry_function_number(&n.numbering, &filtered.symbols, i);

		assert_int_equal(qry_function_at(&n.numbering, &filtered.symbols, number), i);
	}
	drop(&filtered);
	drop(&n);
}

/* Threads with as many samples are in the order of their numbers. */
static void threads_are_ranked(void **state)
{
	static const char *const binaries[] = { "/a", "/a", "/a", "/a" };
	const struct prof_thread early = { 10, 11, { 0 } }, late = { 10, 12, { 0 } };
	const struct prof_thread other = { 10, 13, { 0 } };
	struct numbered n;

	(void)state;
	make(&n, binaries, 4);
	assert_int_equal(qry_task_number(&n.numbering, &early), 1);
	assert_int_equal(qry_task_number(&n.numbering, &late), 2);
	assert_int_equal(qry_task_number(&n.numbering, &other), 0);
	drop(&n);
	make(&n, binaries, 3);
	assert_int_equal(qry_task_number(&n.numbering, &late), 1);
	drop(&n);
}

/* A clock says more about functions than waits and tracepoints. */
static void main_event(void **state)
{
	struct profile *profile;

	(void)state;
	assert_ok(prof_create(&profile));
	assert_true(prof_is_none(qry_main_event(profile)));
	const struct prof_thread thread = made_thread(profile, 1, 1, "a");
	struct prof_event_id waits = made_event(profile, "offcpu-time", "nanoseconds");
	struct prof_event_id traced = made_event(profile, "sched:sched_waking", "count");
	struct prof_event_id clock = made_event(profile, "cpu-clock", "nanoseconds");
	profile->events.data[traced.i].kind = PROF_EVENT_TRACEPOINT;
	profile->events.data[clock.i].kind = PROF_EVENT_SOFTWARE;
	assert_true(prof_is_none(qry_main_event(profile)));
	made_sample(profile, waits, &thread, "/a", 1);
	assert_int_equal(qry_main_event(profile).i, waits.i);
	made_sample(profile, traced, &thread, "/a", 1);
	assert_int_equal(qry_main_event(profile).i, traced.i);
	made_sample(profile, clock, &thread, "/a", 1);
	assert_int_equal(qry_main_event(profile).i, clock.i);
	prof_destroy(profile);
}

static void ids_are_parsed(void **state)
{
	(void)state;
	assert_int_equal(qry_id_parse("f-12", 'f'), 12);
	assert_int_equal(qry_id_parse("f-12", 't'), 0);
	assert_int_equal(qry_id_parse("f-", 'f'), 0);
	assert_int_equal(qry_id_parse("f-0", 'f'), 0);
	assert_int_equal(qry_id_parse("f-1x", 'f'), 0);
	assert_int_equal(qry_id_parse("f--1", 'f'), 0);
	assert_int_equal(qry_id_parse("f-99999999999", 'f'), 0);
	assert_int_equal(qry_id_parse("", 'f'), 0);
	assert_int_equal(qry_id_parse("f", 'f'), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_ranked),
		cmocka_unit_test(ids_stay),
		cmocka_unit_test(threads_are_ranked),
		cmocka_unit_test(main_event),
		cmocka_unit_test(ids_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
