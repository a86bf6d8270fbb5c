#include "symbolize/foreign/span.h"

#include <ctype.h>

bool sym_span_take_line(struct sym_span *rest, struct sym_span *ret)
{
	if (rest->at == rest->end)
		return false;
	const char *end = memchr(rest->at, '\n', sym_span_len(*rest));
	*ret = (struct sym_span){ rest->at, end ? end : rest->end };
	rest->at = end ? end + 1 : rest->end;
	return true;
}

bool sym_span_take_hex(struct sym_span *rest, uint64_t *ret)
{
	enum { DIGITS = 16 };
	const char *start = rest->at;

	*ret = 0;
	for (; rest->at < rest->end && isxdigit((unsigned char)*rest->at); rest->at++) {
		int c = tolower((unsigned char)*rest->at);

		*ret = *ret << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	size_t n = (size_t)(rest->at - start);
	bool is_word =
		rest->at < rest->end && (isalnum((unsigned char)*rest->at) || *rest->at == '_');
	return n && n <= DIGITS && !is_word;
}
