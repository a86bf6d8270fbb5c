#include "profile/scaffolding.h"

#include <string.h>

#include "base/array.h"
#include "profile/scaffolding_defs.h"

#define SCAFFOLDING_ROW(pattern, language, reason) { pattern, language, reason },
static const struct prof_scaffolding rows[] = { PROF_SCAFFOLDING(SCAFFOLDING_ROW) };

const struct prof_scaffolding *prof_scaffolding_table(size_t *n_ret)
{
	*n_ret = PD_ARRAY_LEN(rows);
	return rows;
}

/*
 * Whether @p text matches @p pattern as a whole. If it does not after a *, that * takes a character
 * more: stars before it need not be tried again, so the time is bounded by the product of the
 * lengths.
 */
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *resume = text;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			resume = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

/*
 * Whether @p text is a name without template arguments that @p pattern matches with them:
 * "std::invoke" and "std::function::operator()" are "std::invoke<*" and
 * "std::function<*>::operator()".
 */
static bool matches_short(const char *pattern, const char *text)
{
	const char *open = strstr(pattern, "<*");

	if (!open || open == pattern)
		return false;
	size_t len = (size_t)(open - pattern);
	if (strncmp(pattern, text, len) != 0)
		return false;
	if (open[2] == '>')
		return matches(open + 3, text + len);
	return !text[len] || strncmp(text + len, "::", 2) == 0;
}

bool prof_is_scaffolding(const char *name)
{
	bool is_short = !strchr(name, '<');

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (matches(rows[i].pattern, name) ||
			(is_short && matches_short(rows[i].pattern, name)))
			return true;
	}
	return false;
}

bool prof_is_passing_on(
	const char *name, const struct prof_value *self, const struct prof_value *total)
{
	return self->period < total->period / 10 && prof_is_scaffolding(name);
}
