#include "base/names/operator.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"

/* Operators that contain angle brackets; a longer one stands before its prefixes. */
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

size_t base_operator_length(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t len = strlen(word);

	if (strncmp(at, word, len) || (at > name && is_part_of_word(at[-1])))
		return 0;
	for (size_t i = 0; i < PD_ARRAY_LEN(OPERATORS); i++) {
		if (strncmp(at + len, OPERATORS[i], strlen(OPERATORS[i])) == 0)
			return len + strlen(OPERATORS[i]);
	}
	size_t others = strspn(at + len, "=+-*/%^&|~!,");
	return others ? len + others : 0;
}
