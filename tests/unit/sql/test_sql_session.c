/* Sessions: what queries need, what they may not do, and what they find. */
#include "tests/unit/made_profile.h"

#include <stdlib.h>
#include <string.h>

#include "sql/sql_session.h"

static struct profile *make(void)
{
	struct profile *profile;

	assert_ok(prof_create(&profile));
	const struct prof_event_id event = made_event(profile, "cycles", "count");
	for (uint32_t i = 0; i < 9; i++) {
		const struct prof_thread thread = made_thread(profile, 1, i / 3, "comm");

		made_sample(profile, event, &thread, i % 3 ? "a" : "b", i);
	}
	return profile;
}

static unsigned needs_of(struct sql_session *session, const char *query)
{
	unsigned needs;

	assert_ok(sql_session_plan(session, query, &needs));
	return needs;
}

static void needs_are_those_of_what_is_read(void **state)
{
	struct sql_session *session;

	(void)state;
	assert_ok(sql_session_create(&session));
	assert_int_equal(needs_of(session, "SELECT 1"), 0);
	assert_int_equal(needs_of(session, "SELECT sum(samples) FROM sample_groups"), 0);
	assert_int_equal(needs_of(session, "SELECT * FROM thread_totals"), 0);
	assert_int_equal(needs_of(session, "SELECT count(*) FROM samples"), TAB_NEEDS_ROWS);
	assert_int_equal(needs_of(session, "SELECT 1; SELECT state FROM states"), TAB_NEEDS_PHASES);
	assert_int_equal(needs_of(session, "SELECT name FROM functions"),
		TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES);
	assert_int_equal(needs_of(session, "SELECT offset FROM frames"),
		TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES | TAB_NEEDS_OFFSETS);
	/* A view needs what its tables do. */
	assert_int_equal(needs_of(session, "SELECT * FROM top_functions LIMIT 1"),
		TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES | TAB_NEEDS_FUNCTION_TOTALS);
	sql_session_destroy(session);
}

static void only_reading_is_allowed(void **state)
{
	static const char *const refused[] = { "DELETE FROM help", "DROP TABLE help",
		"CREATE TABLE t(a)", "ATTACH ':memory:' AS m", "PRAGMA user_version = 1",
		"SELECT load_extension('x')", "VACUUM", "BEGIN", "SELECT 1; DROP VIEW tree",
		"ANALYZE", "CREATE TEMP VIEW v AS SELECT 1" };
	struct sql_session *session;
	unsigned needs;

	(void)state;
	assert_ok(sql_session_create(&session));
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_error(sql_session_plan(session, refused[i], &needs), PD_ERROR_FORMAT);
	assert_ok(sql_session_plan(session, "SELECT count(*) FROM help", &needs));
	sql_session_destroy(session);
}

static void assert_answer(struct sql_session *session, struct tab_source *source, const char *query,
	const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_ok(sql_session_answer(session, source, query, SQL_CSV, out));
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void rows_are_found_by_values(void **state)
{
	struct profile *profile = make();
	struct tab_source *source;
	struct sql_session *session;

	(void)state;
	assert_ok(sql_session_create(&session));
	assert_ok(tab_source_create(profile, tab_all_needs(), &source));
	assert_answer(session, source,
		"SELECT count(*) AS n, sum(period) AS p FROM sample_groups "
		"WHERE thread = 1",
		"n,p\r\n2,12\r\n");
	assert_answer(session, source,
		"SELECT t.tid, sum(g.samples) AS n FROM threads t JOIN sample_groups g "
		"ON g.thread = t.id WHERE t.tid IN (0, 2) GROUP BY 1",
		"tid,n\r\n0,3\r\n2,3\r\n");
	assert_answer(session, source,
		"SELECT count(*) AS n FROM threads WHERE id = -1 OR id = 3 OR id = 9223372036854775807 "
		"OR id IS NULL",
		"n\r\n0\r\n");
	assert_answer(session, source, "SELECT tid FROM threads WHERE id = 1.0", "tid\r\n1\r\n");
	assert_answer(session, source, "SELECT tid FROM threads WHERE tid = '2'", "tid\r\n2\r\n");
	/* Another source has other rows: indexes are made again. */
	struct profile *empty;
	struct tab_source *other;
	assert_ok(prof_create(&empty));
	assert_ok(tab_source_create(empty, tab_all_needs(), &other));
	assert_answer(
		session, other, "SELECT count(*) AS n FROM threads WHERE tid = 2", "n\r\n0\r\n");
	tab_source_destroy(other);
	prof_destroy(empty);
	sql_session_destroy(session);
	tab_source_destroy(source);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_are_those_of_what_is_read),
		cmocka_unit_test(only_reading_is_allowed),
		cmocka_unit_test(rows_are_found_by_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
