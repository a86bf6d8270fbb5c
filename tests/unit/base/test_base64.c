#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

static void check(const char *bytes, size_t n, size_t step, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	FILE *base64 = base_base64_open(out);

	assert_non_null(base64);
	/* Without a buffer each write reaches the encoder. */
	setvbuf(base64, NULL, _IONBF, 0);
	for (size_t at = 0; at < n; at += step)
		fwrite(bytes + at, 1, n - at < step ? n - at : step, base64);
	assert_int_equal(fclose(base64), 0);
	fputc('.', out);
	fclose(out);
	assert_int_equal(len, strlen(expected) + 1);
	assert_memory_equal(text, expected, len - 1);
	assert_int_equal(text[len - 1], '.');
	free(text);
}

/* Test vectors of RFC 4648. */
static void vectors_of_the_rfc(void **state)
{
	static const char *const vectors[][2] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
		{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" } };

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		for (size_t step = 1; step <= 4; step++)
			check(vectors[i][0], strlen(vectors[i][0]), step, vectors[i][1]);
	}
}

static void all_bits_are_kept(void **state)
{
	(void)state;
	check("\x00\xff\xfb\xef\xbe\x80", 6, 2, "AP/7776A");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_the_rfc),
		cmocka_unit_test(all_bits_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
