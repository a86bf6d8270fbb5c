/**
 * @file Text of the kernel's C code that is parsed from its beginning, and integer types in it.
 */
#ifndef PD_PARSE_C_TEXT_H
#define PD_PARSE_C_TEXT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Part of a text. Nothing is copied, and no NUL is needed. */
struct parse_span {
	const char *at;
	const char *end;
};

static inline size_t parse_span_len(struct parse_span text)
{
	return (size_t)(text.end - text.at);
}

/** First character; NUL at the end. */
static inline char parse_span_first(struct parse_span text)
{
	return text.at < text.end ? *text.at : 0;
}

static inline bool parse_span_is(struct parse_span text, const char *word)
{
	size_t len = strlen(word);

	return parse_span_len(text) == len && memcmp(text.at, word, len) == 0;
}

static inline bool parse_span_contains(struct parse_span text, const char *word)
{
	return memmem(text.at, parse_span_len(text), word, strlen(word));
}

static inline void parse_span_skip_blanks(struct parse_span *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

/** Skip blanks and line breaks. */
static inline void parse_span_skip_space(struct parse_span *text)
{
	while (text->at < text->end && isspace((unsigned char)*text->at))
		text->at++;
}

/** Take @p word, if the text begins with it. */
static inline bool parse_span_take(struct parse_span *text, const char *word)
{
	size_t len = strlen(word);

	if (parse_span_len(*text) < len || memcmp(text->at, word, len) != 0)
		return false;
	text->at += len;
	return true;
}

/** Take @p word after blanks, which are skipped in any case. */
static inline bool parse_span_take_word(struct parse_span *text, const char *word)
{
	parse_span_skip_blanks(text);
	return parse_span_take(text, word);
}

/** Take the text up to the next @p c, and skip that. False if there is none. */
static inline bool parse_span_take_until(struct parse_span *text, char c, struct parse_span *ret)
{
	const char *found = memchr(text->at, c, parse_span_len(*text));

	if (!found)
		return false;
	*ret = (struct parse_span){ text->at, found };
	text->at = found + 1;
	return true;
}

/** Take the rest of the line. */
static inline struct parse_span parse_span_take_line(struct parse_span *text)
{
	struct parse_span line = *text;

	if (!parse_span_take_until(text, '\n', &line))
		text->at = text->end;
	return line;
}

/** Value of the hexadecimal digit @p c, for which isxdigit() holds. */
static inline unsigned parse_hex_digit(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0')
					 : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

static inline bool parse_is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/** Take letters, digits and underscores; false if there are none. */
static inline bool parse_span_take_identifier(struct parse_span *text, struct parse_span *ret)
{
	ret->at = text->at;
	while (text->at < text->end && parse_is_identifier(*text->at))
		text->at++;
	ret->end = text->at;
	return text->at > ret->at;
}

struct parse_c_integer {
	/** In bytes: 1, 2, 4 or 8; 0: the type is not a known integer. */
	uint32_t size;
	bool is_signed;
	/** Any value but 0 is 1. */
	bool is_bool;
};

/** Whether an integer may have @p size bytes. */
static inline bool parse_c_integer_has_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/**
 * The integer type of the words @p type, such as "unsigned long" or "const u32". @p long_size: size
 * of long on the recorded machine, in bytes.
 */
struct parse_c_integer parse_c_integer(struct parse_span type, unsigned long_size);

#endif
