#include "base/line.h"

#include <stdarg.h>

#include "base/number.h"
#include "base/printable.h"

void pd_line_put_more(struct pd_line *line, const char *bytes, size_t len)
{
	if (!line->out) {
		line->is_full = true;
		return;
	}
	pd_line_flush(line);
	if (len > line->cap) {
		fwrite_unlocked(bytes, 1, len, line->out);
		return;
	}
	memcpy(line->bytes, bytes, len);
	line->n = len;
}

void pd_line_put_text_n(struct pd_line *line, const char *text, size_t len)
{
	char escape[PD_ESCAPE_SIZE];

	while (len) {
		size_t n = pd_printable_run(text, len);

		pd_line_put(line, text, n);
		text += n;
		len -= n;
		if (!len)
			return;
		n = pd_printable_next(text, len, escape);
		if (*escape)
			pd_line_put_str(line, escape);
		else
			pd_line_put(line, text, n);
		text += n;
		len -= n;
	}
}

void pd_line_put_text(struct pd_line *line, const char *text)
{
	pd_line_put_text_n(line, text, strlen(text));
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

/* Format into the room that is left. Returns whether the text and a NUL fit. */
static bool format(struct pd_line *line, const char *fmt, va_list args)
{
	size_t room = line->cap - line->n;
	int n = vsnprintf(line->bytes + line->n, room, fmt, args);

	if (n < 0 || (size_t)n >= room)
		return false;
	line->n += (size_t)n;
	return true;
}

void pd_line_printf(struct pd_line *line, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	if (!format(line, fmt, args)) {
		if (line->out) {
			pd_line_flush(line);
			vfprintf(line->out, fmt, again);
		} else {
			line->is_full = true;
		}
	}
	va_end(again);
	va_end(args);
}
