/* Removing template arguments from demangled names. */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/operator.h"
#include "symbolize/symbols/demangle.h"

static bool is_part_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* First character after the arguments that open at @p open, or NULL if they have no end. */
static const char *after_arguments(const char *open)
{
	size_t angles = 0, others = 0;

	for (const char *p = open; *p; p++) {
		size_t len = pd_operator_length(open, p);

		if (len) {
			p += len - 1;
			continue;
		}
		others += *p == '(' || *p == '[' || *p == '{';
		others -= others && (*p == ')' || *p == ']' || *p == '}');
		/*
		 * Within parentheses, angle brackets may be comparisons; in "->" the bracket is
		 * part of an arrow.
		 */
		if (others || (*p == '>' && p[-1] == '-'))
			continue;
		angles += *p == '<';
		if (*p == '>' && --angles == 0)
			return p + 1;
	}
	return NULL;
}

/*
 * Whether a '<' that follows @p written, the end of the name so far, opens arguments. In "<T as
 * Trait>" it does not.
 */
static bool opens_arguments(const char *text, const char *written, bool is_after_operator)
{
	if (written == text)
		return false;
	char last = written[-1];

	return is_after_operator || is_part_of_word(last) || strchr(")]}>\"\'", last) ||
	       (last == ':' && written - text > 1 && written[-2] == ':');
}

/* Remove the separator before arguments: Rust writes "f::<T>", and C++ "operator< <T>". */
static char *drop_separator(char *text, char *written)
{
	if (written - text > 2 && written[-1] == ':')
		return written - 2;
	return written > text && written[-1] == ' ' ? written - 1 : written;
}

void sym_shorten(char *text)
{
	char *to = text;
	bool is_after_operator = false;

	for (const char *from = text; *from;) {
		size_t len = pd_operator_length(text, from);
		const char *end = NULL;

		if (!len && *from == '<' && opens_arguments(text, to, is_after_operator))
			end = after_arguments(from);
		if (end) {
			to = drop_separator(text, to);
			from = end;
			is_after_operator = false;
			continue;
		}
		/* A space may separate an operator from its arguments. */
		is_after_operator = len || (is_after_operator && *from == ' ');
		len = len ? len : 1;
		memmove(to, from, len);
		to += len;
		from += len;
	}
	*to = '\0';
}
