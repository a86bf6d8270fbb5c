/* Taking template arguments out of names. */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "symbolize/symbols/demangle.h"

/* The letters behind "operator" that look like brackets, longest first. */
static const char *const OPERATORS[] = {
	"<<=",
	">>=",
	"<=>",
	"->*",
	"<<",
	">>",
	"<=",
	">=",
	"->",
	"<",
	">",
};

static bool is_part_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of "operator<<", "operator=" and the like at @p p in @p text; 0 if that is none. */
static size_t operator_length(const char *text, const char *p)
{
	static const char word[] = "operator";
	size_t len = strlen(word);

	if (strncmp(p, word, len) || (p > text && is_part_of_word(p[-1])))
		return 0;
	for (size_t i = 0; i < PD_ARRAY_LEN(OPERATORS); i++) {
		if (strncmp(p + len, OPERATORS[i], strlen(OPERATORS[i])) == 0)
			return len + strlen(OPERATORS[i]);
	}
	size_t others = strspn(p + len, "=+-*/%^&|~!,");
	return others ? len + others : 0;
}

/* The end of the arguments that open at @p open; NULL if they do not end. */
static const char *behind_arguments(const char *open)
{
	size_t angles = 0, others = 0;

	for (const char *p = open; *p; p++) {
		size_t len = operator_length(open, p);

		if (len) {
			p += len - 1;
			continue;
		}
		others += *p == '(' || *p == '[' || *p == '{';
		others -= others && (*p == ')' || *p == ']' || *p == '}');
		/* Within parentheses they may be comparisons, and in "->" they are. */
		if (others || (*p == '>' && p[-1] == '-'))
			continue;
		angles += *p == '<';
		if (*p == '>' && --angles == 0)
			return p + 1;
	}
	return NULL;
}

/* Whether '<' behind @p written, the name up to there, opens arguments, and not "<T as Trait>". */
static bool opens_arguments(const char *text, const char *written, bool is_behind_operator)
{
	if (written == text)
		return false;
	char last = written[-1];

	return is_behind_operator || is_part_of_word(last) || strchr(")]}>\"\'", last) ||
	       (last == ':' && written - text > 1 && written[-2] == ':');
}

/* Rust writes "f::<T>", and C++ "operator< <T>": what stands before the arguments goes with them. */
static char *drop_separator(char *text, char *written)
{
	if (written - text > 2 && written[-1] == ':')
		return written - 2;
	return written > text && written[-1] == ' ' ? written - 1 : written;
}

void sym_shorten(char *text)
{
	char *to = text;
	bool is_behind_operator = false;

	for (const char *from = text; *from;) {
		size_t len = operator_length(text, from);
		const char *end = NULL;

		if (!len && *from == '<' && opens_arguments(text, to, is_behind_operator))
			end = behind_arguments(from);
		if (end) {
			to = drop_separator(text, to);
			from = end;
			is_behind_operator = false;
			continue;
		}
		/* A space may stand between an operator and its arguments. */
		is_behind_operator = len || (is_behind_operator && *from == ' ');
		len = len ? len : 1;
		memmove(to, from, len);
		to += len;
		from += len;
	}
	*to = '\0';
}
