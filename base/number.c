#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool base_number_parse(const char *text, uint64_t max, const char **end_ret, uint64_t *ret)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	/* strtoull() also takes spaces and signs, and "0x" for the number 0. */
	if (!isdigit((unsigned char)text[0]) || (is_hex && !isxdigit((unsigned char)text[2])))
		return false;
	errno = 0;
	unsigned long long value = strtoull(text, &end, is_hex ? 16 : 10);
	if (errno || value > max)
		return false;
	*end_ret = end;
	*ret = value;
	return true;
}

bool base_decimal_parse(const char *text, const char **end_ret, double *ret)
{
	char *end;

	/* strtod() also takes "inf", "nan" and hexadecimal numbers. */
	if (!isdigit((unsigned char)text[text[0] == '.']) || text[1] == 'x' || text[1] == 'X')
		return false;
	double value = strtod(text, &end);
	if (isinf(value))
		return false;
	*end_ret = end;
	*ret = value;
	return true;
}
