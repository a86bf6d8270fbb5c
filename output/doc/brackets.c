#include "output/doc/brackets.h"

#include <ctype.h>
#include <string.h>

#include "base/operator.h"

static const char openers[] = "<([{";
static const char closers[] = ">)]}";

/* Pairs that are open, innermost last. */
struct open {
	size_t pairs[OUT_MAX_BRACKETS];
	size_t n;
};

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Kind of the part that the bracket at @p at begins, judged by the characters around it. */
static enum out_bracket_kind kind_at(const char *name, size_t at)
{
	const char *inside = name + at + 1;
	char before = at ? name[at - 1] : '\0';

	switch (name[at]) {
	case '<':
		if (starts_with(inside, "lambda"))
			return OUT_BRACKET_NAME;
		/* In "f::<T>" the arguments follow a separator, in "operator< <T>" a space. */
		if (before == ' ')
			return strstr(inside, " as ") ? OUT_BRACKET_TYPE : OUT_BRACKET_ARGUMENTS;
		return at && !strchr("<(,&*", before) ? OUT_BRACKET_ARGUMENTS : OUT_BRACKET_TYPE;
	case '(':
		if (starts_with(inside, "anonymous") || before == '\'')
			return OUT_BRACKET_NAME;
		return before == '.' ? OUT_BRACKET_TYPE : OUT_BRACKET_ARGUMENTS;
	case '[':
		return isalnum((unsigned char)before) || before == '_' ? OUT_BRACKET_ARGUMENTS
								       : OUT_BRACKET_NAME;
	default:
		return OUT_BRACKET_NAME;
	}
}

static void push(struct out_brackets *to, struct open *open, const char *name, size_t at)
{
	if (to->n == OUT_MAX_BRACKETS)
		return;
	to->list[to->n] = (struct out_bracket){
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
	struct out_brackets *to, struct open *open, const char *name, size_t at, char opener)
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
static void drop_open(struct out_brackets *pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		if (pairs->list[i].close)
			pairs->list[n++] = pairs->list[i];
	}
	pairs->n = n;
}

void out_brackets_find(const char *name, struct out_brackets *ret)
{
	struct open open = { .n = 0 };

	ret->n = 0;
	for (size_t i = 0; name[i]; i++) {
		size_t len = pd_operator_length(name, name + i);
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
