/**
 * @file Part of a text that is parsed from its beginning. Nothing is copied, and no NUL is needed.
 */
#ifndef PD_PARSE_TEXT_SPAN_H
#define PD_PARSE_TEXT_SPAN_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct pd_span {
	const char *at;
	const char *end;
};

static inline size_t pd_span_len(struct pd_span text)
{
	return (size_t)(text.end - text.at);
}

/** First character; NUL at the end. */
static inline char pd_span_first(struct pd_span text)
{
	return text.at < text.end ? *text.at : 0;
}

static inline bool pd_span_is(struct pd_span text, const char *word)
{
	size_t len = strlen(word);

	return pd_span_len(text) == len && memcmp(text.at, word, len) == 0;
}

static inline bool pd_span_contains(struct pd_span text, const char *word)
{
	return memmem(text.at, pd_span_len(text), word, strlen(word));
}

static inline void pd_span_skip_blanks(struct pd_span *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

/** Skip blanks and line breaks. */
static inline void pd_span_skip_space(struct pd_span *text)
{
	while (text->at < text->end && isspace((unsigned char)*text->at))
		text->at++;
}

/** Take @p word, if the text begins with it. */
static inline bool pd_span_take(struct pd_span *text, const char *word)
{
	size_t len = strlen(word);

	if (pd_span_len(*text) < len || memcmp(text->at, word, len) != 0)
		return false;
	text->at += len;
	return true;
}

/** Take @p word after blanks, which are skipped in any case. */
static inline bool pd_span_take_word(struct pd_span *text, const char *word)
{
	pd_span_skip_blanks(text);
	return pd_span_take(text, word);
}

/** Take the text up to the next @p c, and skip that. False if there is none. */
static inline bool pd_span_take_until(struct pd_span *text, char c, struct pd_span *ret)
{
	const char *found = memchr(text->at, c, pd_span_len(*text));

	if (!found)
		return false;
	*ret = (struct pd_span){ text->at, found };
	text->at = found + 1;
	return true;
}

/** Take the rest of the line. */
static inline struct pd_span pd_span_take_line(struct pd_span *text)
{
	struct pd_span line = *text;

	if (!pd_span_take_until(text, '\n', &line))
		text->at = text->end;
	return line;
}

/** Value of the hexadecimal digit @p c, for which isxdigit() holds. */
static inline unsigned pd_hex_digit(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0')
					 : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

static inline bool pd_is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/** Take letters, digits and underscores; false if there are none. */
static inline bool pd_span_take_identifier(struct pd_span *text, struct pd_span *ret)
{
	ret->at = text->at;
	while (text->at < text->end && pd_is_identifier(*text->at))
		text->at++;
	ret->end = text->at;
	return text->at > ret->at;
}

#endif
