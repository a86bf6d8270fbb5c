/**
 * @file Parts of a text that is not terminated. Private to symbolize/foreign/.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_SPAN_H
#define PD_SYMBOLIZE_FOREIGN_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** The characters [at, end). */
struct sym_span {
	const char *at;
	const char *end;
};

static inline size_t sym_span_len(struct sym_span span)
{
	return (size_t)(span.end - span.at);
}

static inline bool sym_span_starts_with(struct sym_span span, const char *text)
{
	size_t len = strlen(text);

	return sym_span_len(span) >= len && memcmp(span.at, text, len) == 0;
}

static inline bool sym_span_ends_with(struct sym_span span, const char *text)
{
	size_t len = strlen(text);

	return sym_span_len(span) >= len && memcmp(span.end - len, text, len) == 0;
}

/** Take the next line, which is set without its newline. Returns false at the end. */
bool sym_span_take_line(struct sym_span *rest, struct sym_span *ret);

/**
 * Take a hexadecimal number of 64 bits at most, without 0x. Returns false if there is none, or if a
 * letter, a digit or '_' follows it.
 */
bool sym_span_take_hex(struct sym_span *rest, uint64_t *ret);

#endif
