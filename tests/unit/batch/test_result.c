/* Results: what another process sends is taken with care, and becomes a line of JSON. */
#include "tests/unit/test.h"

#include "base/memstream.h"
#include "batch/result.h"

static const char ID[] = "0123456789abcdef0123456789abcdef";

static char *line_of(const struct bat_result *result, const char *output)
{
	struct bat_labels labels = { 0 };
	char *text;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	assert_ok(bat_labels_add(&labels, "service={dir1}-{host}"));
	bat_result_write(result, "api/x.data", output, &labels, out);
	assert_true(base_memstream_close(out, &text));
	bat_labels_deinit(&labels);
	return text;
}

static void a_line_has_what_is_known(void **state)
{
	struct bat_result result = {
		.outcome = BAT_CONVERTED,
		.facts = { [BAT_HOST] = "h\"1" },
		.n_samples = 7,
		.seconds = 1.25,
	};

	(void)state;
	memcpy(result.id, ID, sizeof(ID));
	char *line = line_of(&result, "*/a.parquet");
	assert_non_null(strstr(line, "\"recording\": \"0123456789abcdef0123456789abcdef\""));
	assert_non_null(strstr(line, "\"host\": \"h\\\"1\""));
	assert_non_null(strstr(line, "\"labels\": {\"service\": \"api-h\\\"1\"}"));
	assert_non_null(strstr(line, "\"samples\": 7,"));
	assert_non_null(strstr(line, "\"seconds\": 1.25,"));
	assert_non_null(strstr(line, "\"error\": null}\n"));
	free(line);
}

static void a_failure_has_no_output(void **state)
{
	const struct bat_result result = { .outcome = BAT_FAILED, .error = "broken\n" };
	char *line = line_of(&result, NULL);

	(void)state;
	assert_non_null(strstr(line, "\"recording\": null"));
	assert_non_null(strstr(line, "\"output\": null"));
	assert_null(strstr(line, "\"samples\""));
	assert_non_null(strstr(line, "\"error\": \"broken"));
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	free(line);
}

static void a_result_of_any_bytes_is_taken(void **state)
{
	struct bat_result result;

	(void)state;
	memset(&result, 0xff, sizeof(result));
	result.outcome = BAT_CONVERTED;
	bat_result_secure(&result);
	assert_int_equal(result.outcome, BAT_CRASHED);
	assert_true(result.seconds == 0);
	assert_string_equal(result.id, "");
	assert_int_equal(strlen(result.error), BAT_ERROR_SIZE - 1);
	for (size_t i = 0; i < BAT_N_VARIABLES; i++)
		assert_int_equal(strlen(result.facts[i]), BAT_FACT_SIZE - 1);
}

static void ids_are_digests(void **state)
{
	static const char *const wrong[] = { "", "0123", "../../../../../../etc/passwd....",
		"0123456789ABCDEF0123456789abcdef" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct bat_result result = { .outcome = BAT_CONVERTED };

		snprintf(result.id, sizeof(result.id), "%s", wrong[i]);
		bat_result_secure(&result);
		assert_int_equal(result.outcome, BAT_CRASHED);
	}
	struct bat_result result = { .outcome = BAT_CONVERTED };
	memcpy(result.id, ID, sizeof(ID));
	bat_result_secure(&result);
	assert_int_equal(result.outcome, BAT_CONVERTED);
	assert_string_equal(result.id, ID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_what_is_known),
		cmocka_unit_test(a_failure_has_no_output),
		cmocka_unit_test(a_result_of_any_bytes_is_taken),
		cmocka_unit_test(ids_are_digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
