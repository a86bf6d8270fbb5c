#include "base/line.h"

#include <stdarg.h>

#include "base/number.h"
#include "base/printable.h"

void base_line_put_more(struct base_line *line, const char *bytes, size_t len)
{
	if (!line->out) {
		line->is_full = true;
		return;
	}
	base_line_flush(line);
	if (len > line->cap) {
		fwrite_unlocked(bytes, 1, len, line->out);
		return;
	}
	memcpy(line->bytes, bytes, len);
	line->n = len;
}

void base_line_put_text_n(struct base_line *line, const char *text, size_t len)
{
	char escape[PD_ESCAPE_SIZE];

	while (len) {
		size_t n = base_printable_run(text, len);

		base_line_put(line, text, n);
		text += n;
		len -= n;
		if (!len)
			return;
		n = base_printable_next(text, len, escape);
		if (*escape)
			base_line_put_str(line, escape);
		else
			base_line_put(line, text, n);
		text += n;
		len -= n;
	}
}

void base_line_put_text(struct base_line *line, const char *text)
{
	base_line_put_text_n(line, text, strlen(text));
}

/* Return the number of decimal digits of @p number. */
static size_t count_digits(uint64_t number)
{
	static const uint64_t powers[] = { 0, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
		100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, 10000000000000000000u };
	/* 1233 / 4096 is slightly less than the decimal logarithm of 2. */
	size_t least = (size_t)(64 - __builtin_clzll(number | 1)) * 1233 >> 12;

	return least + (number >= powers[least]);
}

/*
 * Write the digits to their final position, because a copy of a few bytes takes longer than finding
 * them. Pad all positions, because compilers fill a fixed number of bytes without a call.
 */
void base_line_put_decimal(struct base_line *line, uint64_t number, size_t width, char pad)
{
	char buf[PD_DECIMAL_DIGITS] = { 0 };
	bool fits = line->cap - line->n >= sizeof(buf);
	char *to = fits ? line->bytes + line->n : buf;
	size_t n = count_digits(number), len = n > width ? n : width;

	memset(to, pad, sizeof(buf));
	for (char *at = to + len; n; n--, number /= 10)
		*--at = (char)('0' + number % 10);
	if (fits)
		line->n += len;
	else
		base_line_put(line, buf, len);
}

void base_line_put_hex(struct base_line *line, uint64_t number, size_t width)
{
	static const char digits[] = "0123456789abcdef";
	char buf[16] = { 0 };
	bool fits = line->cap - line->n >= sizeof(buf);
	char *to = fits ? line->bytes + line->n : buf;
	size_t n = (size_t)(64 - __builtin_clzll(number | 1) + 3) / 4, len = n > width ? n : width;

	memset(to, ' ', sizeof(buf));
	for (char *at = to + len; n; n--, number >>= 4)
		*--at = digits[number & 15];
	if (fits)
		line->n += len;
	else
		base_line_put(line, buf, len);
}

/* Format into the room that is left. Returns whether the text and a NUL fit. */
static bool format(struct base_line *line, const char *fmt, va_list args)
{
	size_t room = line->cap - line->n;
	int n = vsnprintf(line->bytes + line->n, room, fmt, args);

	if (n < 0 || (size_t)n >= room)
		return false;
	line->n += (size_t)n;
	return true;
}

void base_line_printf(struct base_line *line, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	if (!format(line, fmt, args)) {
		if (line->out) {
			base_line_flush(line);
			vfprintf(line->out, fmt, again);
		} else {
			line->is_full = true;
		}
	}
	va_end(again);
	va_end(args);
}
