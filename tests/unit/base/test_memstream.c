/* Streams that write to memory. */
#include "tests/unit/test.h"

#include "base/memstream.h"

static void text_grows_and_ends_with_nul(void **state)
{
	char *text;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	for (int i = 0; i < 10000; i++)
		fprintf(out, "%d,", i % 10);
	assert_int_equal(ftell(out), 20000);
	assert_true(base_memstream_close(out, &text));
	assert_int_equal(len, 20000);
	assert_int_equal(strlen(text), 20000);
	assert_memory_equal(text + 19996, "8,9,", 5);
	free(text);
}

static void nothing_written_is_an_empty_text(void **state)
{
	char *text;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	assert_true(base_memstream_close(out, &text));
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
	free(text);
}

static void a_failed_stream_has_no_text(void **state)
{
	char *text;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	fputs("the beginning", out);
	assert_false(ferror(out));
	base_stream_fail(out);
	assert_true(ferror(out));
	fputs("the end", out);
	assert_false(base_memstream_close(out, &text));
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_grows_and_ends_with_nul),
		cmocka_unit_test(nothing_written_is_an_empty_text),
		cmocka_unit_test(a_failed_stream_has_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
