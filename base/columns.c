#include "base/columns.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"

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
	mbstate_t state = { 0 };
	wchar_t character;
	size_t escaped = pd_text_control(text, len);

	*len_ret = escaped;
	if (escaped)
		return escaped * strlen("\\x00");
	size_t n = (unsigned char)*text < 0x80 ? 1 : mbrtowc(&character, text, len, &state);
	*len_ret = n && n <= len ? n : 1;
	if (*len_ret == 1)
		return 1;
	int columns = wcwidth(character);
	return columns < 0 ? 1 : (size_t)columns;
}

/*
 * Bytes of @p text, of which there are @p len, that fit @p columns; *columns_ret: columns that they
 * take.
 */
static size_t fit(const char *text, size_t len, size_t columns, size_t *columns_ret)
{
	locale_t before = use_utf8();
	size_t used = 0, at = 0;

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
