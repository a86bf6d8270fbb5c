/**
 * @file Parts of a text, which is parsed from its beginning and need not be terminated.
 */
#ifndef PD_BASE_SPAN_H
#define PD_BASE_SPAN_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Part of a text. Nothing is copied, and no NUL is needed. */
struct base_span {
	const char *at;
	const char *end;
};

static inline size_t base_span_len(struct base_span text)
{
	return (size_t)(text.end - text.at);
}

static inline bool base_span_starts_with(struct base_span span, const char *text)
{
	size_t len = strlen(text);

	return base_span_len(span) >= len && memcmp(span.at, text, len) == 0;
}

static inline bool base_span_ends_with(struct base_span span, const char *text)
{
	size_t len = strlen(text);

	return base_span_len(span) >= len && memcmp(span.end - len, text, len) == 0;
}

/** First character; NUL at the end. */
static inline char base_span_first(struct base_span text)
{
	return text.at < text.end ? *text.at : 0;
}

static inline bool base_span_is(struct base_span text, const char *word)
{
	size_t len = strlen(word);

	return base_span_len(text) == len && memcmp(text.at, word, len) == 0;
}

static inline bool base_span_contains(struct base_span text, const char *word)
{
	return memmem(text.at, base_span_len(text), word, strlen(word));
}

static inline void base_span_skip_blanks(struct base_span *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

/** Skip blanks and line breaks. */
static inline void base_span_skip_space(struct base_span *text)
{
	while (text->at < text->end && isspace((unsigned char)*text->at))
		text->at++;
}

/** Take @p word, if the text begins with it. */
static inline bool base_span_take(struct base_span *text, const char *word)
{
	size_t len = strlen(word);

	if (base_span_len(*text) < len || memcmp(text->at, word, len) != 0)
		return false;
	text->at += len;
	return true;
}

/** Take @p word after blanks, which are skipped in any case. */
static inline bool base_span_take_word(struct base_span *text, const char *word)
{
	base_span_skip_blanks(text);
	return base_span_take(text, word);
}

/** Take the text up to the next @p c, and skip that. False if there is none. */
static inline bool base_span_take_until(struct base_span *text, char c, struct base_span *ret)
{
	const char *found = memchr(text->at, c, base_span_len(*text));

	if (!found)
		return false;
	*ret = (struct base_span){ text->at, found };
	text->at = found + 1;
	return true;
}

/** Take the rest of the line. */
static inline struct base_span base_span_take_line(struct base_span *text)
{
	struct base_span line = *text;

	if (!base_span_take_until(text, '\n', &line))
		text->at = text->end;
	return line;
}

/** Value of the hexadecimal digit @p c, for which isxdigit() holds. */
static inline unsigned base_hex_digit(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0')
					 : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

static inline bool base_is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/** Take letters, digits and underscores; false if there are none. */
static inline bool base_span_take_identifier(struct base_span *text, struct base_span *ret)
{
	ret->at = text->at;
	while (text->at < text->end && base_is_identifier(*text->at))
		text->at++;
	ret->end = text->at;
	return text->at > ret->at;
}

/** Take the next line, which is set without its newline. Returns false at the end. */
static inline bool base_span_next_line(struct base_span *text, struct base_span *ret)
{
	if (text->at == text->end)
		return false;
	*ret = base_span_take_line(text);
	return true;
}

/**
 * Take a hexadecimal number of 64 bits at most, without 0x. Returns false if there is none, or if a
 * letter, a digit or '_' follows it.
 */
bool base_span_take_hex(struct base_span *rest, uint64_t *ret);

#endif
