#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * Number of bytes that follow each lead byte, and range of the first of them. The ranges exclude
 * longer encodings than needed, surrogates, and what is beyond U+10FFFF.
 */
static const struct lead {
	unsigned char from, to, n, low, high;
} leads[] = {
	{ 0x00, 0x7f, 0, 0x00, 0x00 },
	{ 0xc2, 0xdf, 1, 0x80, 0xbf },
	{ 0xe0, 0xe0, 2, 0xa0, 0xbf },
	{ 0xe1, 0xec, 2, 0x80, 0xbf },
	{ 0xed, 0xed, 2, 0x80, 0x9f },
	{ 0xee, 0xef, 2, 0x80, 0xbf },
	{ 0xf0, 0xf0, 3, 0x90, 0xbf },
	{ 0xf1, 0xf3, 3, 0x80, 0xbf },
	{ 0xf4, 0xf4, 3, 0x80, 0x8f },
};

static const struct lead *find_lead(unsigned char byte)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(leads); i++) {
		if (byte >= leads[i].from && byte <= leads[i].to)
			return &leads[i];
	}
	return NULL;
}

size_t base_utf8_decode(const char *text, size_t len, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)text;
	const struct lead *lead = find_lead(*p);

	if (!lead || len <= lead->n || (lead->n && (p[1] < lead->low || p[1] > lead->high)))
		return 0;
	/* A lead byte with n bytes after it has 6 - n bits of the character. */
	uint32_t character = lead->n ? *p & (0x3fU >> lead->n) : *p;
	for (size_t i = 1; i <= lead->n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (p[i] & 0x3f);
	}
	*ret = character;
	return lead->n + 1U;
}

bool base_utf8_is_valid(const char *text, size_t len)
{
	uint32_t character;

	for (size_t n; len; text += n, len -= n) {
		n = (unsigned char)*text < 0x80 ? 1 : base_utf8_decode(text, len, &character);
		if (!n)
			return false;
	}
	return true;
}

size_t base_utf8_decode_any(const char *text, size_t len, uint32_t *ret)
{
	uint32_t character;
	size_t n = base_utf8_decode(text, len, &character);

	if (!n || (character >= PD_UTF8_BYTE + 0x80 && character <= PD_UTF8_BYTE + 0xff)) {
		*ret = PD_UTF8_BYTE + (unsigned char)*text;
		return 1;
	}
	*ret = character;
	return n;
}

size_t base_utf8_encode(uint32_t character, char ret[static PD_UTF8_MAX])
{
	size_t n = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
	static const unsigned char marks[] = { 0x00, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i > 0; i--, character >>= 6)
		ret[i] = (char)(0x80 | (character & 0x3f));
	ret[0] = (char)(marks[n] | character);
	return n + 1;
}

/* Whether base_utf8_decode_any() leaves all characters as they are. */
static bool is_unchanged(const char *text)
{
	uint32_t character;

	for (size_t n;; text += n) {
		while (*text && (unsigned char)*text < 0x80)
			text++;
		if (!*text)
			return true;
		n = base_utf8_decode_any(text, strnlen(text, PD_UTF8_MAX), &character);
		if (n == 1)
			return false;
	}
}

const char *base_utf8_text(const char *text, char **copy_ret)
{
	size_t left = strlen(text);

	*copy_ret = NULL;
	if (is_unchanged(text))
		return text;
	char *copy = malloc(left * PD_UTF8_MAX + 1);
	char *to = copy;
	uint32_t character;
	for (size_t n; copy && left; left -= n, text += n) {
		n = base_utf8_decode_any(text, left, &character);
		to += base_utf8_encode(character, to);
	}
	if (copy)
		*to = '\0';
	*copy_ret = copy;
	return copy;
}
