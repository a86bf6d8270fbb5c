#include "base/json.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/utf8.h"

/* Whether a byte is part of a string as it is. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Write the character as one or two UTF-16 units, as JSON escapes are. */
static void write_escape(FILE *out, uint32_t character)
{
	if (character < 0x10000) {
		fprintf(out, "\\u%04" PRIx32, character);
		return;
	}
	character -= 0x10000;
	fprintf(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 | character >> 10,
		0xdc00 | (character & 0x3ff));
}

/* Write one character. Returns the number of bytes consumed. */
static size_t write_char(FILE *out, const char *text, size_t left)
{
	uint32_t character;
	size_t n = base_utf8_decode_any(text, left, &character);

	if (character == '"' || character == '\\') {
		putc_unlocked('\\', out);
		putc_unlocked((int)character, out);
	} else if (base_is_printable(character) && character < PD_UTF8_BYTE) {
		fwrite_unlocked(text, 1, n, out);
	} else {
		write_escape(out, character);
	}
	return n;
}

static void write_string(FILE *out, const char *text, size_t len)
{
	putc_unlocked('"', out);
	for (size_t at = 0; at < len;) {
		size_t n = 0;

		while (at + n < len && is_plain(text[at + n]))
			n++;
		fwrite_unlocked(text + at, 1, n, out);
		at += n;
		if (at < len)
			at += write_char(out, text + at, len - at);
	}
	putc_unlocked('"', out);
}

static void begin(struct base_json *json, const char *key)
{
	if (json->needs_comma)
		putc_unlocked(',', json->out);
	if (json->indent && json->depth)
		fprintf(json->out, "\n%*s", json->indent * json->depth, "");
	else if (json->needs_comma && !json->is_compact)
		putc_unlocked(' ', json->out);
	json->needs_comma = true;
	if (!key)
		return;
	write_string(json->out, key, strlen(key));
	putc_unlocked(':', json->out);
	if (!json->is_compact)
		putc_unlocked(' ', json->out);
}

static void open_bracket(struct base_json *json, const char *key, char bracket)
{
	begin(json, key);
	putc_unlocked(bracket, json->out);
	json->needs_comma = false;
	json->depth++;
}

void base_json_object(struct base_json *json, const char *key)
{
	open_bracket(json, key, '{');
}

void base_json_array(struct base_json *json, const char *key)
{
	open_bracket(json, key, '[');
}

void base_json_end(struct base_json *json, char bracket)
{
	json->depth--;
	if (json->indent && json->needs_comma)
		fprintf(json->out, "\n%*s", json->indent * json->depth, "");
	putc_unlocked(bracket, json->out);
	json->needs_comma = true;
}

static void write_uint(FILE *out, uint64_t value)
{
	char digits[PD_DECIMAL_DIGITS];
	size_t at = base_decimal_digits(value, digits);

	fwrite_unlocked(digits + at, 1, sizeof(digits) - at, out);
}

void base_json_uint(struct base_json *json, const char *key, uint64_t value)
{
	begin(json, key);
	write_uint(json->out, value);
}

void base_json_int(struct base_json *json, const char *key, int64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void base_json_double(struct base_json *json, const char *key, double value)
{
	char text[32];

	begin(json, key);
	if (!isfinite(value)) {
		fputs("null", json->out);
		return;
	}
	/* 17 digits are enough for any number, and 15 look better where they are, as in 0.1. */
	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, sizeof(text), "%.17g", value);
	fputs(text, json->out);
}

void base_json_decimal(struct base_json *json, const char *key, uint64_t value, unsigned digits)
{
	char text[20];
	uint64_t whole = value;
	unsigned n = digits;

	for (unsigned i = digits; i-- > 0; whole /= 10)
		text[i] = (char)('0' + whole % 10);
	while (n && text[n - 1] == '0')
		n--;
	base_json_uint(json, key, whole);
	if (!n)
		return;
	putc_unlocked('.', json->out);
	fwrite_unlocked(text, 1, n, json->out);
}

void base_json_bool(struct base_json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void base_json_text(struct base_json *json, const char *key, const char *text, size_t len)
{
	begin(json, key);
	write_string(json->out, text, len);
}

void base_json_str(struct base_json *json, const char *key, const char *text)
{
	if (text) {
		base_json_text(json, key, text, strlen(text));
		return;
	}
	begin(json, key);
	fputs("null", json->out);
}

void base_json_hex(struct base_json *json, const char *key, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	begin(json, key);
	putc_unlocked('"', json->out);
	for (size_t i = 0; i < len; i++) {
		putc_unlocked(digits[bytes[i] >> 4], json->out);
		putc_unlocked(digits[bytes[i] & 15], json->out);
	}
	putc_unlocked('"', json->out);
}
