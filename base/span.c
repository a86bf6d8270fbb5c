#include "base/span.h"

bool base_span_take_hex(struct base_span *rest, uint64_t *ret)
{
	enum { DIGITS = 16 };
	const char *start = rest->at;

	*ret = 0;
	for (; isxdigit((unsigned char)base_span_first(*rest)); rest->at++)
		*ret = *ret << 4 | base_hex_digit(*rest->at);
	size_t n = (size_t)(rest->at - start);
	return n && n <= DIGITS && !base_is_identifier(base_span_first(*rest));
}
