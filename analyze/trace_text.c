#include "analyze/trace_text.h"

#include <string.h>

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Return the length of the name in "name=" at @p text, or 0 if that is something else. */
static size_t name_len(const char *text)
{
	size_t n = 0;

	while (is_name_char(text[n]))
		n++;
	return text[n] == '=' ? n : 0;
}

/* Return the end of the value at @p text: the end of the text, or the space before a name. */
static const char *value_end(const char *text)
{
	while (*text && !(*text == ' ' && name_len(text + 1)))
		text++;
	return text;
}

bool ana_trace_next(const char **at, struct ana_trace_field *ret)
{
	size_t n = name_len(*at);

	if (!n)
		return false;
	ret->name = *at;
	ret->name_len = n;
	ret->value = *at + n + 1;
	const char *end = value_end(ret->value);
	ret->value_len = (size_t)(end - ret->value);
	*at = *end ? end + 1 : end;
	return true;
}

bool ana_trace_find(
	const char *text, const char *name, size_t name_len, struct ana_trace_field *ret)
{
	while (ana_trace_next(&text, ret)) {
		if (ret->name_len == name_len && memcmp(ret->name, name, name_len) == 0)
			return true;
	}
	return false;
}
