#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void begin(struct pd_json *json, const char *key)
{
	if (json->needs_comma)
		putc_unlocked(',', json->out);
	if (json->indent && json->depth)
		fprintf(json->out, "\n%*s", json->indent * json->depth, "");
	else if (json->needs_comma && !json->is_compact)
		putc_unlocked(' ', json->out);
	json->needs_comma = true;
	if (key)
		fprintf(json->out, json->is_compact ? "\"%s\":" : "\"%s\": ", key);
}

static void open_bracket(struct pd_json *json, const char *key, char bracket)
{
	begin(json, key);
	putc_unlocked(bracket, json->out);
	json->needs_comma = false;
	json->depth++;
}

void pd_json_object(struct pd_json *json, const char *key)
{
	open_bracket(json, key, '{');
}

void pd_json_array(struct pd_json *json, const char *key)
{
	open_bracket(json, key, '[');
}

void pd_json_end(struct pd_json *json, char bracket)
{
	json->depth--;
	if (json->indent && json->needs_comma)
		fprintf(json->out, "\n%*s", json->indent * json->depth, "");
	putc_unlocked(bracket, json->out);
	json->needs_comma = true;
}

/* Profiles have millions of numbers, and fprintf() parses its format for each. */
static void write_uint(FILE *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	fwrite_unlocked(digits + at, 1, sizeof(digits) - at, out);
}

void pd_json_uint(struct pd_json *json, const char *key, uint64_t value)
{
	begin(json, key);
	write_uint(json->out, value);
}

void pd_json_int(struct pd_json *json, const char *key, int64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void pd_json_double(struct pd_json *json, const char *key, double value)
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

void pd_json_decimal(struct pd_json *json, const char *key, uint64_t value, unsigned digits)
{
	char text[20];
	uint64_t whole = value;
	unsigned n = digits;

	for (unsigned i = digits; i-- > 0; whole /= 10)
		text[i] = (char)('0' + whole % 10);
	while (n && text[n - 1] == '0')
		n--;
	pd_json_uint(json, key, whole);
	if (!n)
		return;
	putc_unlocked('.', json->out);
	fwrite_unlocked(text, 1, n, json->out);
}

void pd_json_bool(struct pd_json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

/* Length of the well-formed UTF-8 sequence at p (RFC 3629), or 0 if it is invalid. */
static size_t utf8_len(const unsigned char *p, size_t left)
{
	/* For each lead byte, how many bytes follow, and the range of the first of them. */
	static const struct {
		unsigned char from, to, n, low, high;
	} leads[] = {
		{ 0xc2, 0xdf, 1, 0x80, 0xbf },
		{ 0xe0, 0xe0, 2, 0xa0, 0xbf },
		{ 0xe1, 0xec, 2, 0x80, 0xbf },
		{ 0xed, 0xed, 2, 0x80, 0x9f },
		{ 0xee, 0xef, 2, 0x80, 0xbf },
		{ 0xf0, 0xf0, 3, 0x90, 0xbf },
		{ 0xf1, 0xf3, 3, 0x80, 0xbf },
		{ 0xf4, 0xf4, 3, 0x80, 0x8f },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(leads); i++) {
		if (*p < leads[i].from || *p > leads[i].to)
			continue;
		if (left <= leads[i].n || p[1] < leads[i].low || p[1] > leads[i].high)
			return 0;
		for (size_t k = 2; k <= leads[i].n; k++) {
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		}
		return leads[i].n + 1U;
	}
	return 0;
}

/* Write one character or one invalid byte. Returns the number of bytes consumed. */
static size_t write_char(FILE *out, const unsigned char *p, size_t left)
{
	if (*p == '"' || *p == '\\') {
		fprintf(out, "\\%c", *p);
		return 1;
	}
	if (*p < 0x20 || *p == 0x7f) {
		fprintf(out, "\\u%04x", *p);
		return 1;
	}
	if (*p < 0x80) {
		putc_unlocked(*p, out);
		return 1;
	}
	size_t len = utf8_len(p, left);
	/*
	 * Names in recordings are arbitrary bytes, but JSON must be UTF-8 (RFC 8259): U+FFFD stands
	 * for an invalid byte.
	 */
	if (!len) {
		fputs("\\ufffd", out);
		return 1;
	}
	fwrite(p, 1, len, out);
	return len;
}

void pd_json_text(struct pd_json *json, const char *key, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;

	begin(json, key);
	putc_unlocked('"', json->out);
	for (size_t at = 0; at < len;)
		at += write_char(json->out, p + at, len - at);
	putc_unlocked('"', json->out);
}

void pd_json_str(struct pd_json *json, const char *key, const char *text)
{
	if (text) {
		pd_json_text(json, key, text, strlen(text));
		return;
	}
	begin(json, key);
	fputs("null", json->out);
}

void pd_json_hex(struct pd_json *json, const char *key, const uint8_t *bytes, size_t len)
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
