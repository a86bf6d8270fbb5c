/**
 * @file A buffer for many short pieces of text: a call of stdio for each takes longer than the
 * piece.
 *
 * A line in front of a stream writes to it when it is full. A line without a stream keeps the text,
 * and drops what does not fit.
 */
#ifndef PD_BASE_LINE_H
#define PD_BASE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct base_line {
	/** Stream that receives the text; NULL: none. Borrowed. */
	FILE *out;
	/** Text that was not written yet. Borrowed. */
	char *bytes;
	size_t n;
	/** Size of @ref bytes. */
	size_t cap;
	/** Text was dropped because the line is full and has no stream. */
	bool is_full;
};

/** Write the text to the stream, whose errors are left to its owner. Requires a stream. */
static inline void base_line_flush(struct base_line *line)
{
	fwrite_unlocked(line->bytes, 1, line->n, line->out);
	line->n = 0;
}

/** Append @p len bytes for which the line has no room. */
void base_line_put_more(struct base_line *line, const char *bytes, size_t len);

static inline void base_line_put(struct base_line *line, const char *bytes, size_t len)
{
	if (len > line->cap - line->n) {
		base_line_put_more(line, bytes, len);
		return;
	}
	memcpy(line->bytes + line->n, bytes, len);
	line->n += len;
}

static inline void base_line_put_char(struct base_line *line, char c)
{
	if (line->n == line->cap)
		base_line_put_more(line, &c, 1);
	else
		line->bytes[line->n++] = c;
}

/** Append a string as it is. */
static inline void base_line_put_str(struct base_line *line, const char *text)
{
	base_line_put(line, text, strlen(text));
}

/** Append @p n spaces; none if it is negative. */
static inline void base_line_put_spaces(struct base_line *line, int n)
{
	enum { MOST = 16 };

	if (n > 0 && n <= MOST && line->cap - line->n >= MOST) {
		memset(line->bytes + line->n, ' ', MOST);
		line->n += (size_t)n;
		return;
	}
	for (; n > 0; n--)
		base_line_put_char(line, ' ');
}

/** Append a string from a recording, like base_text_write(). */
void base_line_put_text(struct base_line *line, const char *text);
/** Like base_line_put_text(), for @p len bytes. */
void base_line_put_text_n(struct base_line *line, const char *text, size_t len);
/** Append @p number in decimal digits, with @p pad before it up to @p width bytes, at most 20. */
void base_line_put_decimal(struct base_line *line, uint64_t number, size_t width, char pad);
/** Append @p number in hexadecimal digits, with spaces before it up to @p width, at most 16. */
void base_line_put_hex(struct base_line *line, uint64_t number, size_t width);
/** Append formatted text. This is slow: use the other functions for common texts. */
void base_line_printf(struct base_line *line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
