/* The bounds: their constants, the tables of doc/limits.md, and the help. */
#include "tests/unit/test.h"

#include <inttypes.h>

#include "base/limit.h"
#include "cmd/options/option_defs.h"

/* Size of the file that holds all rows, and of a row. */
enum { MOST_TEXT = 1 << 16, MOST_ROW = 512 };

static const char *read_document(void)
{
	static char text[MOST_TEXT];
	FILE *in = fopen("doc/limits.md", "r");

	assert_non_null(in);
	size_t n = fread(text, 1, sizeof(text) - 1, in);
	assert_true(n > 0 && n < sizeof(text) - 1);
	text[n] = '\0';
	fclose(in);
	return text;
}

/* Write a value as people read it: 64 MiB, 1100 times. */
static void write_value(uint64_t value, const char *unit, char to[static MOST_ROW])
{
	static const char *const prefixes[] = { "", "Ki", "Mi", "Gi" };
	bool is_bytes = strcmp(unit, "bytes") == 0;
	size_t prefix = 0;

	while (is_bytes && value >= 1024 && value % 1024 == 0 && prefix < 3) {
		value /= 1024;
		prefix++;
	}
	snprintf(to, MOST_ROW, "%" PRIu64 " %s%s", value, prefixes[prefix], prefix ? "B" : unit);
}

static const struct {
	const char *name;
	uint64_t value;
	const char *unit;
	const char *what;
	const char *effect;
} rows[] = {
#define ROW(name, value, unit, what, effect) { #name, value, unit, what, effect },
	PD_LIMITS(ROW, ROW)
#undef ROW
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

static void the_document_has_every_bound(void **state)
{
	const char *text = read_document();
	char value[MOST_ROW], row[2 * MOST_ROW];
	size_t n_lines = 0;

	(void)state;
	for (size_t i = 0; i < N_ROWS; i++) {
		write_value(rows[i].value, rows[i].unit, value);
		snprintf(row, sizeof(row), "\n| %s | %s | %s | %s |\n", rows[i].name, value,
			rows[i].what, rows[i].effect);
		if (!strstr(text, row)) {
			print_error("doc/limits.md needs this row:%s", row);
			fail();
		}
	}
	/* Nothing else is in the tables: three of them have two lines of heading. */
	for (const char *at = text; (at = strstr(at, "\n|")); at++)
		n_lines++;
	assert_int_equal(n_lines, N_ROWS + 3 * 2);
}

static void names_and_values_are_constants(void **state)
{
	(void)state;
	assert_int_equal(PD_LIMIT_FRAMES, 1024);
	assert_true(PD_LIMIT_DEBUG_BYTES == (uint64_t)16 << 30);
	for (size_t i = 0; i < N_ROWS; i++) {
		assert_true(rows[i].value > 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(rows[i].name, rows[k].name);
	}
}

/* The variables of the client library replace two bounds, whose values the help has as defaults. */
static void the_help_has_the_defaults(void **state)
{
	static const char *const texts[] = {
#define TEXT(commands, name, text) text,
		CMD_ENVIRONMENT(TEXT)
#undef TEXT
	};
	char value[MOST_ROW], defaults[2 * MOST_ROW];
	size_t n_found = 0;

	(void)state;
	write_value(PD_LIMIT_DEBUGINFOD_BYTES, "bytes", value);
	snprintf(defaults, sizeof(defaults), "in seconds (default: %s, %d)", value,
		PD_LIMIT_DEBUGINFOD_SECONDS);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		n_found += strstr(texts[i], defaults) != NULL;
	assert_int_equal(n_found, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_help_has_the_defaults),
		cmocka_unit_test(the_document_has_every_bound),
		cmocka_unit_test(names_and_values_are_constants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
