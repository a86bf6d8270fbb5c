/* Labels of recordings: rules, folders, and when they depend on the path. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "batch/labels.h"

static const struct bat_facts facts = {
	.path = "/data//api/./host 1/perf.data",
	.values = { [BAT_HOST] = "h1",
		[BAT_KERNEL] = "6.1",
		[BAT_ARCH] = "x86_64",
		[BAT_DATE] = "2026-11-26",
		[BAT_FILE] = "perf.data" },
};

static char *path_of(const char *rule, const struct bat_facts *known)
{
	struct bat_labels labels = { 0 };
	char *ret;

	assert_ok(bat_labels_add(&labels, rule));
	assert_ok(bat_labels_path(&labels, known, &ret));
	bat_labels_deinit(&labels);
	return ret;
}

static void assert_path(const char *rule, const char *expected)
{
	char *path = path_of(rule, &facts);

	assert_string_equal(path, expected);
	free(path);
}

static void values_are_made_of_path_and_recording(void **state)
{
	(void)state;
	assert_path("service={dir2}", "service=api");
	assert_path("node={dir1}", "node=host%201");
	assert_path("a={dir3}", "a=data");
	assert_path("a={file}", "a=perf.data");
	assert_path("a={host}-{arch}", "a=h1-x86_64");
	assert_path("a={date}", "a=2026-11-26");
	assert_path("a=x", "a=x");
	assert_path("a={kernel}{host}", "a=6.1h1");
}

static void what_is_missing_is_null(void **state)
{
	(void)state;
	assert_path("a={dir4}", "a=__HIVE_DEFAULT_PARTITION__");
	assert_path("a={dir99}", "a=__HIVE_DEFAULT_PARTITION__");
	assert_path("a=", "a=__HIVE_DEFAULT_PARTITION__");
}

static void values_stay_within_their_folder(void **state)
{
	const struct bat_facts hostile = { .path = "a/../x.data",
		.values = { [BAT_HOST] = "../../etc/=%\n\xff" } };
	char *path = path_of("a={host}", &hostile);

	(void)state;
	assert_string_equal(path, "a=..%2F..%2Fetc%2F%3D%25%0A%FF");
	free(path);
	path = path_of("a={dir1}", &hostile);
	assert_string_equal(path, "a=..");
	free(path);
}

static void long_values_are_an_error(void **state)
{
	char name[BAT_MAX_VALUE + 2];
	struct bat_facts known = { .path = "x", .values = { [BAT_HOST] = name } };
	struct bat_labels labels = { 0 };
	char *ret;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[BAT_MAX_VALUE] = '\0';
	assert_ok(bat_labels_add(&labels, "a={host}"));
	assert_ok(bat_labels_path(&labels, &known, &ret));
	assert_int_equal(strlen(ret), strlen("a=") + BAT_MAX_VALUE);
	free(ret);
	name[BAT_MAX_VALUE] = 'n';
	name[BAT_MAX_VALUE + 1] = '\0';
	assert_error(bat_labels_path(&labels, &known, &ret), PD_ERROR_FORMAT);
	bat_labels_deinit(&labels);
}

static void unknown_variables_stay(void **state)
{
	const struct bat_facts known = { .path = "a/b/x.data" };
	char *path = path_of("a={host}-{dir1}", &known);

	(void)state;
	assert_string_equal(path, "a=%7Bhost%7D-b");
	free(path);
}

static void invalid_rules_are_refused(void **state)
{
	static const char *const wrong[] = { "", "a", "=x", "A=x", "1a=x", "a b=x", "a={", "a=}",
		"a={}", "a={hosts}", "a={dir}", "a={dir0}", "a={dir100}", "a={dir1x}", "a={host",
		"a={{host}}", "a-b=x" };
	struct bat_labels labels = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_error(bat_labels_add(&labels, wrong[i]), PD_ERROR_USAGE);
	assert_int_equal(labels.items.n, 0);
	bat_labels_deinit(&labels);
}

static void later_rules_replace_earlier_ones(void **state)
{
	struct bat_labels labels = { 0 };
	char *path;

	(void)state;
	assert_ok(bat_labels_add(&labels, "date={date}"));
	assert_ok(bat_labels_add(&labels, "service={arch}"));
	assert_false(bat_labels_use_path(&labels));
	assert_ok(bat_labels_add(&labels, "date={dir1}"));
	assert_true(bat_labels_use_path(&labels));
	assert_ok(bat_labels_path(&labels, &facts, &path));
	assert_string_equal(path, "date=host%201/service=x86_64");
	free(path);
	bat_labels_deinit(&labels);
}

static void only_parts_of_the_path_depend_on_it(void **state)
{
	static const struct {
		const char *rule;
		bool uses_path;
	} rules[] = { { "a=x", false }, { "a={host}{kernel}{arch}{date}", false },
		{ "a={file}", true }, { "a={host}{dir2}", true } };

	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct bat_labels labels = { 0 };

		assert_ok(bat_labels_add(&labels, rules[i].rule));
		assert_int_equal(bat_labels_use_path(&labels), rules[i].uses_path);
		bat_labels_deinit(&labels);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_made_of_path_and_recording),
		cmocka_unit_test(what_is_missing_is_null),
		cmocka_unit_test(values_stay_within_their_folder),
		cmocka_unit_test(long_values_are_an_error),
		cmocka_unit_test(unknown_variables_stay),
		cmocka_unit_test(invalid_rules_are_refused),
		cmocka_unit_test(later_rules_replace_earlier_ones),
		cmocka_unit_test(only_parts_of_the_path_depend_on_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
