#include "base/format.h"

#include <stdio.h>

char *base_vformat(const char *fmt, va_list args)
{
	char *text;

	/* On failure, the text is undefined. */
	return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

char *base_format(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *text = base_vformat(fmt, args);
	va_end(args);
	return text;
}
