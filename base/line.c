#include "base/line.h"

#include "base/number.h"
#include "base/printable.h"
#include "base/text.h"

void pd_line_put_text(struct pd_line *line, const char *text)
{
	size_t len = strlen(text);

	if (pd_printable_run(text, len) == len)
		pd_line_put(line, text, len);
	else
		pd_text_write_n(pd_line_stream(line), text, len);
}

void pd_line_put_decimal(struct pd_line *line, uint64_t number, size_t width, char pad)
{
	char buf[PD_DECIMAL_DIGITS];
	size_t at = pd_decimal_digits(number, buf);

	while (sizeof(buf) - at < width)
		buf[--at] = pad;
	pd_line_put(line, buf + at, sizeof(buf) - at);
}

void pd_line_put_hex(struct pd_line *line, uint64_t number, size_t width)
{
	static const char digits[] = "0123456789abcdef";
	char buf[16];
	size_t at = sizeof(buf);

	do {
		buf[--at] = digits[number & 15];
		number >>= 4;
	} while (number);
	while (sizeof(buf) - at < width)
		buf[--at] = ' ';
	pd_line_put(line, buf + at, sizeof(buf) - at);
}
