/**
 * @file A buffer in front of a stream, for many short pieces of text: a call of stdio for each
 * takes longer than the piece.
 */
#ifndef PD_BASE_LINE_H
#define PD_BASE_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pd_line {
	/** Borrowed. */
	FILE *out;
	/** Number of bytes that wait. */
	size_t n;
	char bytes[4096];
};

/** Empty @p line, whose bytes need no value, in front of @p out. */
static inline void pd_line_init(struct pd_line *line, FILE *out)
{
	line->out = out;
	line->n = 0;
}

/** Write what waits to the stream, whose errors are left to its owner. */
static inline void pd_line_flush(struct pd_line *line)
{
	fwrite_unlocked(line->bytes, 1, line->n, line->out);
	line->n = 0;
}

/** The stream, to write to after what waits. */
static inline FILE *pd_line_stream(struct pd_line *line)
{
	if (line->n)
		pd_line_flush(line);
	return line->out;
}

static inline void pd_line_put(struct pd_line *line, const char *bytes, size_t len)
{
	if (len > sizeof(line->bytes) - line->n)
		pd_line_flush(line);
	if (len > sizeof(line->bytes)) {
		fwrite_unlocked(bytes, 1, len, line->out);
		return;
	}
	memcpy(line->bytes + line->n, bytes, len);
	line->n += len;
}

static inline void pd_line_put_char(struct pd_line *line, char c)
{
	if (line->n == sizeof(line->bytes))
		pd_line_flush(line);
	line->bytes[line->n++] = c;
}

/** Write a string as it is. */
static inline void pd_line_put_str(struct pd_line *line, const char *text)
{
	pd_line_put(line, text, strlen(text));
}

/** Write @p n spaces; none if it is negative. */
static inline void pd_line_put_spaces(struct pd_line *line, int n)
{
	for (; n > 0; n--)
		pd_line_put_char(line, ' ');
}

/** Write a string from a recording, like pd_text_write(). */
void pd_line_put_text(struct pd_line *line, const char *text);
/** Write @p number in decimal digits, with @p pad before it up to @p width bytes, at most 20. */
void pd_line_put_decimal(struct pd_line *line, uint64_t number, size_t width, char pad);
/** Write @p number in hexadecimal digits, with spaces before it up to @p width, at most 16. */
void pd_line_put_hex(struct pd_line *line, uint64_t number, size_t width);

#endif
