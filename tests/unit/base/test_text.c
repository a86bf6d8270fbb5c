#include "tests/unit/test.h"

#include "base/array.h"
#include "base/nearest.h"
#include "base/columns.h"
#include "base/number.h"
#include "base/text.h"

static const char *nearest_of(const char *word)
{
	static const char *const names[] = { "report", "record", "info", "dump", "" };
	struct pd_nearest nearest;

	pd_nearest_init(&nearest, word, strlen(word));
	for (size_t i = 0; i < 5; i++)
		pd_nearest_try(&nearest, names[i]);
	return nearest.name;
}

static void nearest_name_of_a_mistyped_word(void **state)
{
	(void)state;
	assert_string_equal(nearest_of("reprot"), "report");
	assert_string_equal(nearest_of("recrod"), "record");
	assert_string_equal(nearest_of("inf"), "info");
	assert_string_equal(nearest_of("dumpp"), "dump");
	assert_string_equal(nearest_of("report"), "report");
}

static void no_name_is_near_another_word(void **state)
{
	char word[200];

	(void)state;
	assert_null(nearest_of(""));
	assert_null(nearest_of("x"));
	assert_null(nearest_of("perf.data"));
	assert_null(nearest_of("repo"));
	memset(word, 'r', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	assert_null(nearest_of(word));
}

static void expect_written(const char *text, const char *expected)
{
	char *written;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	assert_non_null(out);
	pd_text_write(out, text);
	fclose(out);
	assert_string_equal(written, expected);
	assert_int_equal(pd_columns(text), pd_columns(expected));
	free(written);
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	expect_written("a\tb\x1b[31m\x7f", "a\\x09b\\x1b[31m\\x7f");
	/* U+009B introduces escape sequences, as ESC [ does. */
	expect_written("\xc2\x9b"
		       "31m\xc2\xa0\xc2",
		"\\xc2\\x9b31m\xc2\xa0\xc2");
	expect_written("\xe6\xb8\xac\xff", "\xe6\xb8\xac\xff");
}

static void columns_are_those_of_characters(void **state)
{
	(void)state;
	assert_int_equal(pd_columns(""), 0);
	assert_int_equal(pd_columns("plain"), 5);
	assert_int_equal(pd_columns("\xe6\xb8\xac\xe5\xae\x9a"), 4);
	assert_int_equal(pd_columns("e\xcc\x81"), 1);
	assert_int_equal(pd_columns("\xff\xfe"), 2);
	assert_int_equal(pd_columns_n("plain", 3), 3);
	assert_int_equal(pd_columns_prefix("\xe6\xb8\xac\xe5\xae\x9a", 3), 3);
	assert_int_equal(pd_columns_prefix("e\xcc\x81t", 1), 3);
	assert_int_equal(pd_columns_prefix("\x1b[31m", 3), 0);
}

static void assert_number(const char *text, uint64_t max, uint64_t expected, const char *rest)
{
	const char *end = NULL;
	uint64_t value = 0;

	assert_true(pd_number_parse(text, max, &end, &value));
	assert_true(value == expected);
	assert_string_equal(end, rest);
}

static void numbers_are_parsed_whole_or_not(void **state)
{
	static const char *const wrong[] = { "", "x", "-1", "+1", " 1", "18446744073709551616" };
	const char *end;
	uint64_t value;

	(void)state;
	assert_number("0", UINT64_MAX, 0, "");
	assert_number("010", UINT64_MAX, 10, "");
	assert_number("0x1Fg", UINT64_MAX, 31, "g");
	assert_number("18446744073709551615", UINT64_MAX, UINT64_MAX, "");
	assert_number("7-9", 7, 7, "-9");
	assert_false(pd_number_parse("8", 7, &end, &value));
	assert_false(pd_number_parse("0xg", 7, &end, &value));
	for (size_t i = 0; i < PD_ARRAY_LEN(wrong); i++)
		assert_false(pd_number_parse(wrong[i], UINT64_MAX, &end, &value));
}

static void decimals_are_finite_and_positive(void **state)
{
	static const char *const wrong[] = { "", ".", "inf", "nan", "-1", " 1", "0x10", "1e999" };
	const char *end;
	double value;

	(void)state;
	assert_true(pd_decimal_parse("12.5s", &end, &value));
	assert_true(value == 12.5);
	assert_string_equal(end, "s");
	assert_true(pd_decimal_parse(".5", &end, &value));
	assert_true(value == 0.5);
	for (size_t i = 0; i < PD_ARRAY_LEN(wrong); i++)
		assert_false(pd_decimal_parse(wrong[i], &end, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(columns_are_those_of_characters),
		cmocka_unit_test(nearest_name_of_a_mistyped_word),
		cmocka_unit_test(no_name_is_near_another_word),
		cmocka_unit_test(numbers_are_parsed_whole_or_not),
		cmocka_unit_test(decimals_are_finite_and_positive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
