#include "tests/unit/test.h"

#include <inttypes.h>

#include "base/array.h"
#include "base/names/nearest.h"
#include "base/printable.h"
#include "base/format.h"
#include "base/number.h"
#include "base/line.h"
#include "base/text.h"
#include "base/utf8.h"

static const char *nearest_of(const char *word)
{
	static const char *const names[] = { "report", "record", "info", "dump", "" };
	struct base_nearest nearest;

	base_nearest_init(&nearest, word, strlen(word));
	for (size_t i = 0; i < 5; i++)
		base_nearest_try(&nearest, names[i]);
	return nearest.name;
}

/* Write @p number to the end of lines with and without room for the longest number. */
static void assert_like_printf(uint64_t number, int width)
{
	char text[64], wanted[64];

	snprintf(wanted, sizeof(wanted), "%*" PRIu64 "%0*" PRIu64 "%*" PRIx64, width, number, width,
		number, width < 16 ? width : 16, number);
	for (size_t cap = strlen(wanted); cap <= sizeof(text); cap++) {
		struct base_line line = { .bytes = text, .cap = cap };

		base_line_put_decimal(&line, number, (size_t)width, ' ');
		base_line_put_decimal(&line, number, (size_t)width, '0');
		base_line_put_hex(&line, number, width < 16 ? (size_t)width : 16);
		assert_false(line.is_full);
		assert_int_equal(line.n, strlen(wanted));
		assert_memory_equal(text, wanted, line.n);
	}
}

static void numbers_are_written_like_printf(void **state)
{
	(void)state;
	for (int width = 0; width <= 20; width += 5) {
		assert_like_printf(0, width);
		assert_like_printf(UINT64_MAX, width);
		for (uint64_t power = 1, i = 0; i < 20; i++, power *= 10) {
			assert_like_printf(power - 1, width);
			assert_like_printf(power, width);
		}
		for (int bit = 0; bit < 64; bit++) {
			assert_like_printf(((uint64_t)1 << bit) - 1, width);
			assert_like_printf((uint64_t)1 << bit, width);
		}
	}
}

static void spaces_are_written_up_to_the_end(void **state)
{
	char text[40];

	(void)state;
	for (int n = -1; n <= (int)sizeof(text); n++) {
		struct base_line line = { .bytes = text, .cap = n < 0 ? 0 : (size_t)n };

		memset(text, 'x', sizeof(text));
		base_line_put_spaces(&line, n);
		assert_int_equal(line.n, line.cap);
		assert_false(line.is_full);
		for (size_t i = 0; i < sizeof(text); i++)
			assert_int_equal(text[i], i < line.n ? ' ' : 'x');
	}
}

/* Write pieces of all lengths around a buffer of 4096 bytes to @p line, and to @p expected. */
static void write_pieces(struct base_line *line, FILE *expected)
{
	static const size_t sizes[] = { 1, 100, 3000, 1000, 5000, 4095, 1, 1, 4096, 4097, 0, 7 };
	char piece[8192];

	for (size_t i = 0; i < PD_ARRAY_LEN(sizes); i++) {
		memset(piece, 'a' + (int)i, sizes[i]);
		piece[sizes[i]] = 0;
		base_line_put(line, piece, sizes[i]);
		fwrite(piece, 1, sizes[i], expected);
		base_line_put_char(line, '\n');
		fputc('\n', expected);
		if (i % 3 == 0) {
			base_line_printf(line, "%zu%s", i, piece);
			fprintf(expected, "%zu%s", i, piece);
		}
		base_line_put_text(line, "m\x1b[1mn");
		fputs("m\\x1b[1mn", expected);
	}
}

static void pieces_of_a_line_stay_in_order(void **state)
{
	char buffer[4096], *text, *wanted;
	size_t n, n_wanted;
	FILE *out = open_memstream(&text, &n), *expected = open_memstream(&wanted, &n_wanted);
	struct base_line line = { .out = out, .bytes = buffer, .cap = sizeof(buffer) };

	(void)state;
	write_pieces(&line, expected);
	base_line_flush(&line);
	fclose(out);
	fclose(expected);
	assert_string_equal(text, wanted);
	assert_false(line.is_full);
	free(text);
	free(wanted);
}

/* A line without a stream is as good as one with a stream until it is full, and says so then. */
static void line_without_a_stream_becomes_full(void **state)
{
	char *wanted;
	size_t n_wanted;
	FILE *expected = open_memstream(&wanted, &n_wanted);
	struct base_line measured = { .bytes = malloc(1 << 20), .cap = 1 << 20 };

	(void)state;
	write_pieces(&measured, expected);
	fclose(expected);
	assert_false(measured.is_full);
	assert_int_equal(measured.n, n_wanted);
	assert_memory_equal(measured.bytes, wanted, n_wanted);
	/* The last byte is one of base_line_put_text(). */
	for (size_t cap = n_wanted - 1; cap <= n_wanted; cap++) {
		struct base_line line = { .bytes = malloc(cap), .cap = cap };
		FILE *ignored = fopen("/dev/null", "w");

		write_pieces(&line, ignored);
		assert_int_equal(line.is_full, cap < n_wanted);
		assert_true(line.n <= cap);
		fclose(ignored);
		free(line.bytes);
	}
	/* Formatted text needs room for its NUL. */
	struct base_line line = { .bytes = measured.bytes, .cap = 3 };
	base_line_printf(&line, "%s", "ab");
	assert_false(line.is_full);
	base_line_printf(&line, "%s", "cd");
	assert_true(line.is_full);
	assert_int_equal(line.n, 2);
	free(measured.bytes);
	free(wanted);
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
	base_text_write(out, text);
	fclose(out);
	assert_string_equal(written, expected);
	assert_int_equal(base_columns(text), base_columns(expected));
	free(written);
}

static void what_is_not_printable_is_escaped(void **state)
{
	(void)state;
	expect_written("a\tb\x1b[31m\x7f", "a\\x09b\\x1b[31m\\x7f");
	/* U+009B introduces escape sequences, as ESC [ does. */
	expect_written("\xc2\x9b"
		       "31m\xc2\xa0",
		"\\u009b31m\xc2\xa0");
	/* RIGHT-TO-LEFT OVERRIDE, ZERO WIDTH SPACE, a tag, a noncharacter. */
	expect_written("\xe2\x80\xae"
		       "a"
		       "\xe2\x80\x8b",
		"\\u202ea\\u200b");
	expect_written("\xf3\xa0\x81\x81\xef\xbf\xbf", "\\U000e0041\\uffff");
	/* Bytes that are not UTF-8: no lead byte, cut, longer than needed, a surrogate. */
	expect_written("\xe6\xb8\xac\xff\x9b", "\xe6\xb8\xac\\xff\\x9b");
	expect_written("\xe6\xb8", "\\xe6\\xb8");
	expect_written("\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80");
	expect_written("\xf0\x9f\x98\x80 \\ \xc3\xa9", "\xf0\x9f\x98\x80 \\ \xc3\xa9");
}

/* Every byte of any text is written as printable ASCII or as part of a printable character. */
static void no_bytes_escape_the_decision(void **state)
{
	char text[3] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 0x10000; i++) {
		size_t len;

		text[0] = (char)(i >> 8);
		text[1] = (char)i;
		char *shown = base_text_dup(text, 2, &len);
		assert_non_null(shown);
		for (size_t at = 0, n; at < len; at += n) {
			uint32_t character = 0;

			n = base_utf8_decode(shown + at, len - at, &character);
			assert_true(n && base_is_printable(character));
		}
		free(shown);
	}
}

static void expect_message(const char *text, size_t most)
{
	char *written;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	assert_non_null(out);
	base_text_write_message(out, text);
	fclose(out);
	assert_true(base_columns(written) <= most);
	assert_memory_equal(written, text, 4);
	assert_string_equal(written + size - 4, text + strlen(text) - 4);
	assert_non_null(strstr(written, "..."));
	free(written);
}

static void long_messages_lose_their_middle(void **state)
{
	enum { LEN = 65536 };
	char *text = malloc(LEN + 1);

	(void)state;
	assert_non_null(text);
	memset(text, 'a', LEN);
	memcpy(text, "head", 4);
	strcpy(text + LEN - 4, "tail");
	expect_message(text, PD_MESSAGE_COLUMNS);
	memset(text + 4, '\x1b', LEN - 8);
	expect_message(text, PD_MESSAGE_COLUMNS);
	free(text);
	expect_written("short", "short");
}

static void texts_lose_their_middle(void **state)
{
	char *text = base_columns_cut("a long name of a thread", 12);

	(void)state;
	assert_string_equal(text, "a lon...read");
	free(text);
	text = base_columns_cut("short", 12);
	assert_string_equal(text, "short");
	free(text);
}

/* The bytes that a text in UTF-8 stands for. Returns their number. */
static size_t restore(const char *text, char *ret)
{
	size_t n = 0;

	for (size_t left = strlen(text), len; left; left -= len, text += len) {
		uint32_t character;

		len = base_utf8_decode(text, left, &character);
		assert_true(len);
		if (character >= PD_UTF8_BYTE + 0x80 && character <= PD_UTF8_BYTE + 0xff) {
			ret[n++] = (char)(character - PD_UTF8_BYTE);
			continue;
		}
		memcpy(ret + n, text, len);
		n += len;
	}
	return n;
}

static void bytes_are_restored_from_utf8(void **state)
{
	static const char *const texts[] = { "", "plain", "\xc3\xa9\xff", "\x80\xbf\xc0\xfe",
		"\xf4\x8f\xba\x9b", "\xf4\x8f\xba", "\xf4\x8f\xbc\x80", "a\xed\xa0\x80z" };
	char bytes[64];

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(texts); i++) {
		char *copy;
		const char *text = base_utf8_text(texts[i], &copy);

		assert_non_null(text);
		assert_int_equal(restore(text, bytes), strlen(texts[i]));
		assert_memory_equal(bytes, texts[i], strlen(texts[i]));
		free(copy);
	}
}

static void utf8_is_encoded_as_it_was_decoded(void **state)
{
	char bytes[PD_UTF8_MAX];

	(void)state;
	for (uint32_t i = 0; i < 0x110000; i++) {
		uint32_t character = UINT32_MAX;
		size_t n = base_utf8_encode(i, bytes);

		if (i >= 0xd800 && i < 0xe000) {
			assert_int_equal(base_utf8_decode(bytes, n, &character), 0);
			continue;
		}
		assert_int_equal(base_utf8_decode(bytes, n, &character), n);
		assert_int_equal(character, i);
		assert_true(n == 1 || !base_utf8_decode(bytes, n - 1, &character));
	}
}

static void columns_are_those_of_characters(void **state)
{
	(void)state;
	assert_int_equal(base_columns(""), 0);
	assert_int_equal(base_columns("plain"), 5);
	assert_int_equal(base_columns("\xe6\xb8\xac\xe5\xae\x9a"), 4);
	assert_int_equal(base_columns("e\xcc\x81"), 1);
	assert_int_equal(base_columns("\xff\xfe"), strlen("\\xff\\xfe"));
	assert_int_equal(base_columns_n("plain", 3), 3);
	assert_int_equal(base_columns_prefix("\xe6\xb8\xac\xe5\xae\x9a", 3), 3);
	assert_int_equal(base_columns_prefix("e\xcc\x81t", 1), 3);
	assert_int_equal(base_columns_prefix("\x1b[31m", 3), 0);
}

static void assert_number(const char *text, uint64_t max, uint64_t expected, const char *rest)
{
	const char *end = NULL;
	uint64_t value = 0;

	assert_true(base_number_parse(text, max, &end, &value));
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
	assert_false(base_number_parse("8", 7, &end, &value));
	assert_false(base_number_parse("0xg", 7, &end, &value));
	for (size_t i = 0; i < PD_ARRAY_LEN(wrong); i++)
		assert_false(base_number_parse(wrong[i], UINT64_MAX, &end, &value));
}

static void decimals_are_finite_and_positive(void **state)
{
	static const char *const wrong[] = { "", ".", "inf", "nan", "-1", " 1", "0x10", "1e999" };
	const char *end;
	double value;

	(void)state;
	assert_true(base_decimal_parse("12.5s", &end, &value));
	assert_true(value == 12.5);
	assert_string_equal(end, "s");
	assert_true(base_decimal_parse(".5", &end, &value));
	assert_true(value == 0.5);
	for (size_t i = 0; i < PD_ARRAY_LEN(wrong); i++)
		assert_false(base_decimal_parse(wrong[i], &end, &value));
}

static void texts_are_formatted_or_null(void **state)
{
	char *text = base_format("%s is %d", "one", 1);

	(void)state;
	assert_string_equal(text, "one is 1");
	free(text);
	/* The locale of the tests cannot represent it, which fails like a lack of memory. */
	assert_null(base_format("%ls", L"\u20ac"));
}

/* Runs are found 8 bytes at a time. */
static void runs_end_at_the_first_byte_that_is_not_printable(void **state)
{
	enum { LEN = 19 };

	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		for (size_t at = 0; at < LEN; at++) {
			char text[LEN];
			bool is_printable = byte >= 0x20 && byte < 0x7f;

			memset(text, at % 2 ? ' ' : '~', LEN);
			text[at] = (char)byte;
			assert_int_equal(base_printable_run(text, LEN), is_printable ? LEN : at);
			assert_int_equal(base_printable_run(text, at), at);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_printable_is_escaped),
		cmocka_unit_test(no_bytes_escape_the_decision),
		cmocka_unit_test(runs_end_at_the_first_byte_that_is_not_printable),
		cmocka_unit_test(long_messages_lose_their_middle),
		cmocka_unit_test(texts_lose_their_middle),
		cmocka_unit_test(texts_are_formatted_or_null),
		cmocka_unit_test(bytes_are_restored_from_utf8),
		cmocka_unit_test(utf8_is_encoded_as_it_was_decoded),
		cmocka_unit_test(columns_are_those_of_characters),
		cmocka_unit_test(nearest_name_of_a_mistyped_word),
		cmocka_unit_test(no_name_is_near_another_word),
		cmocka_unit_test(numbers_are_parsed_whole_or_not),
		cmocka_unit_test(numbers_are_written_like_printf),
		cmocka_unit_test(spaces_are_written_up_to_the_end),
		cmocka_unit_test(pieces_of_a_line_stay_in_order),
		cmocka_unit_test(line_without_a_stream_becomes_full),
		cmocka_unit_test(decimals_are_finite_and_positive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
