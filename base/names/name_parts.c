#include "base/names/name_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/names/operator.h"
#include "base/text.h"

static const char openers[] = "<([{";
static const char closers[] = ">)]}";

/* Pairs that are open, innermost last. */
struct open {
	size_t pairs[BASE_MAX_BRACKETS];
	size_t n;
};

/* Kind of the part that the bracket at @p at begins, judged by the characters around it. */
static enum base_bracket_kind kind_at(const char *name, size_t at)
{
	const char *inside = name + at + 1;
	char before = at ? name[at - 1] : '\0';

	switch (name[at]) {
	case '<':
		if (base_has_prefix(inside, "lambda"))
			return BASE_BRACKET_NAME;
		/* In "f::<T>" the arguments follow a separator, in "operator< <T>" a space. */
		if (before == ' ')
			return strstr(inside, " as ") ? BASE_BRACKET_TYPE : BASE_BRACKET_ARGUMENTS;
		return at && !strchr("<(,&*", before) ? BASE_BRACKET_ARGUMENTS : BASE_BRACKET_TYPE;
	case '(':
		if (base_has_prefix(inside, "anonymous") || before == '\'')
			return BASE_BRACKET_NAME;
		return before == '.' ? BASE_BRACKET_TYPE : BASE_BRACKET_ARGUMENTS;
	case '[':
		return isalnum((unsigned char)before) || before == '_' ? BASE_BRACKET_ARGUMENTS
								       : BASE_BRACKET_NAME;
	default:
		return BASE_BRACKET_NAME;
	}
}

static void push(struct base_brackets *to, struct open *open, const char *name, size_t at)
{
	if (to->n == BASE_MAX_BRACKETS)
		return;
	to->list[to->n] = (struct base_bracket){
		.open = at,
		.depth = open->n,
		.kind = kind_at(name, at),
	};
	open->pairs[open->n++] = to->n++;
}

/*
 * Close the innermost pair that opened with @p opener. An angle bracket only closes the innermost
 * pair, because in parentheses it may be a comparison; others close all angle brackets within.
 */
static void pop(
	struct base_brackets *to, struct open *open, const char *name, size_t at, char opener)
{
	size_t n = open->n;

	while (n && opener != '<' && name[to->list[open->pairs[n - 1]].open] == '<')
		n--;
	if (!n || name[to->list[open->pairs[n - 1]].open] != opener)
		return;
	open->n = n - 1;
	to->list[open->pairs[n - 1]].close = at;
}

/* Remove the pairs that were not closed. */
static void drop_open(struct base_brackets *pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		if (pairs->list[i].close)
			pairs->list[n++] = pairs->list[i];
	}
	pairs->n = n;
}

void base_brackets_find(const char *name, struct base_brackets *ret)
{
	struct open open = { .n = 0 };

	ret->n = 0;
	for (size_t i = 0; name[i]; i++) {
		size_t len = base_operator_length(name, name + i);
		const char *closer = strchr(closers, name[i]);

		if (len)
			i += len - 1;
		else if (strchr(openers, name[i]))
			push(ret, &open, name, i);
		else if (closer && !(name[i] == '>' && i && name[i - 1] == '-'))
			pop(ret, &open, name, i, openers[closer - closers]);
	}
	drop_open(ret);
}

size_t base_separator_length(const char *text, size_t at)
{
	if (text[at] == '.')
		return 1;
	return text[at] == ':' && text[at + 1] == ':' ? 2 : 0;
}

size_t base_part_before(const char *text, const struct base_brackets *pairs, size_t end)
{
	for (size_t at = end; at-- > 0;) {
		size_t i = strchr(">)]}", text[at]) ? pairs->n : 0;

		while (i-- > 0) {
			if (pairs->list[i].close == at)
				at = pairs->list[i].open;
		}
		if (base_separator_length(text, at))
			return at;
	}
	return 0;
}
