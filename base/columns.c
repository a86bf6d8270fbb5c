#include "base/columns.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/printable.h"
#include "base/utf8.h"
#include "base/format.h"

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

	*len_ret = pd_printable_next(text, len, escape);
	if (*escape)
		return strlen(escape);
	pd_utf8_decode(text, len, &character);
	int columns = wcwidth((wchar_t)character);
	return columns < 0 ? 1 : (size_t)columns;
}

/*
 * Bytes of @p text, of which there are @p len, that fit @p columns; *columns_ret: columns that they
 * take.
 */
static size_t fit(const char *text, size_t len, size_t columns, size_t *columns_ret)
{
	size_t at = pd_printable_run(text, len < columns ? len : columns);
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

size_t pd_columns_n(const char *text, size_t len)
{
	size_t columns;

	fit(text, len, SIZE_MAX, &columns);
	return columns;
}

size_t pd_columns(const char *text)
{
	return pd_columns_n(text, strlen(text));
}

size_t pd_columns_prefix(const char *text, size_t columns)
{
	return fit(text, strlen(text), columns, &(size_t){ 0 });
}

char *pd_columns_cut(const char *text, size_t width)
{
	static const char dots[] = "...";
	size_t columns = pd_columns(text);

	if (columns <= width)
		return strdup(text);
	size_t kept = width > strlen(dots) ? width - strlen(dots) : 0;
	size_t head = pd_columns_prefix(text, kept - kept / 2);
	size_t tail = pd_columns_prefix(text, columns - kept / 2);
	return pd_format("%.*s%s%s", (int)head, text, dots, text + tail);
}
