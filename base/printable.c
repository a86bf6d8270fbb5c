#include "base/printable.h"

#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/array.h"
#include "base/format.h"
#include "base/lower_bound.h"
#include "base/utf8.h"

/*
 * Characters beyond ASCII that are not shown as they are, in order:
 * - controls (Cc) and separators of lines and paragraphs (Zl, Zp),
 * - Default_Ignorable_Code_Point of Unicode: what has no visible form, among it everything that
 *   changes the direction of text (Bidi_Control), joiners, fillers, variation selectors and tags,
 * - annotation marks (U+FFF9 to U+FFFB), between which text is hidden.
 */
static const struct range {
	uint32_t first, last;
} ranges[] = {
	{ 0x80, 0x9f },
	{ 0xad, 0xad },
	{ 0x34f, 0x34f },
	{ 0x61c, 0x61c },
	{ 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },
	{ 0x200b, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2060, 0x206f },
	{ 0x3164, 0x3164 },
	{ 0xfe00, 0xfe0f },
	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

/* XML, and so the SVG of flame graphs, does not allow U+FFFE and U+FFFF. */
static bool is_noncharacter(uint32_t character)
{
	return (character & 0xfffe) == 0xfffe || (character >= 0xfdd0 && character <= 0xfdef);
}

bool base_is_printable(uint32_t character)
{
	if (character < 0x80)
		return character >= 0x20 && character != 0x7f;
	size_t i = base_lower_bound(PD_ARRAY_LEN(ranges), k, ranges[k].last < character);
	return (i == PD_ARRAY_LEN(ranges) || character < ranges[i].first) &&
	       !is_noncharacter(character);
}

/*
 * Whether all of 8 bytes are from 0x20 to 0x7e. A byte below sets its bit 7 when 0x20 is taken off
 * it, and 0x7f when 1 is added; if there is neither, nothing is carried from byte to byte.
 */
static bool are_printable(const char *text)
{
	const uint64_t ones = UINT64_MAX / 0xff, high = ones << 7;
	uint64_t bytes;

	memcpy(&bytes, text, sizeof(bytes));
	return !((bytes | (bytes - ones * 0x20) | (bytes + ones)) & high);
}

size_t base_printable_run(const char *text, size_t len)
{
	size_t n = 0;

	while (len - n >= sizeof(uint64_t) && are_printable(text + n))
		n += sizeof(uint64_t);
	while (n < len && text[n] >= 0x20 && text[n] < 0x7f)
		n++;
	return n;
}

size_t base_printable_next(const char *text, size_t len, char escape[static PD_ESCAPE_SIZE])
{
	uint32_t character;
	size_t n = base_utf8_decode(text, len, &character);

	*escape = '\0';
	if (!n)
		character = (unsigned char)*text;
	else if (base_is_printable(character))
		return n;
	if (!n || character < 0x80)
		snprintf(escape, PD_ESCAPE_SIZE, "\\x%02" PRIx32, character);
	else
		snprintf(escape, PD_ESCAPE_SIZE,
			character > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32, character);
	return n ? n : 1;
}

static locale_t utf8;

static void create_locale(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/*
 * The locale of the widths, whatever that of the program is. Where it does not exist, characters
 * count as one column.
 */
static locale_t use_utf8(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, create_locale);
	return utf8 ? uselocale(utf8) : (locale_t)0;
}

static void restore(locale_t before)
{
	if (before)
		uselocale(before);
}

/* Columns and length in bytes of the character at @p text, of which @p len bytes are left. */
static size_t measure(const char *text, size_t len, size_t *len_ret)
{
	char escape[PD_ESCAPE_SIZE];
	uint32_t character;

	*len_ret = base_printable_next(text, len, escape);
	if (*escape)
		return strlen(escape);
	base_utf8_decode(text, len, &character);
	int columns = wcwidth((wchar_t)character);
	return columns < 0 ? 1 : (size_t)columns;
}

/*
 * Bytes of @p text, of which there are @p len, that fit @p columns; *columns_ret: columns that they
 * take.
 */
static size_t fit(const char *text, size_t len, size_t columns, size_t *columns_ret)
{
	size_t at = base_printable_run(text, len < columns ? len : columns);
	size_t used = at;
	locale_t before = at == len ? (locale_t)0 : use_utf8();

	while (at < len) {
		size_t n;
		size_t wanted = measure(text + at, len - at, &n);

		if (wanted > columns - used)
			break;
		used += wanted;
		at += n;
	}
	restore(before);
	*columns_ret = used;
	return at;
}

size_t base_columns_n(const char *text, size_t len)
{
	size_t columns;

	fit(text, len, SIZE_MAX, &columns);
	return columns;
}

size_t base_columns(const char *text)
{
	return base_columns_n(text, strlen(text));
}

size_t base_columns_prefix(const char *text, size_t columns)
{
	return fit(text, strlen(text), columns, &(size_t){ 0 });
}

char *base_columns_cut(const char *text, size_t width)
{
	static const char dots[] = "...";
	size_t columns = base_columns(text);

	if (columns <= width)
		return strdup(text);
	size_t kept = width > strlen(dots) ? width - strlen(dots) : 0;
	size_t head = base_columns_prefix(text, kept - kept / 2);
	size_t tail = base_columns_prefix(text, columns - kept / 2);
	return base_format("%.*s%s%s", (int)head, text, dots, text + tail);
}
