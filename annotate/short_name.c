#include "annotate/short_name.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/symbols/demangle.h"

/* Length of what separates the parts of a name at @p p, or 0: "::", and '.' and '/' of Go. */
static size_t separator(const char *p)
{
	if (p[0] == ':' && p[1] == ':')
		return 2;
	return *p == '.' || *p == '/';
}

const char *ann_last_part(const char *name, size_t *len_ret)
{
	const char *start = name, *p = name;

	for (int depth = 0; *p; p++) {
		if (*p == '<' || *p == '{')
			depth++;
		else if (*p == '>' || *p == '}')
			depth -= depth > 0;
		else if (depth)
			continue;
		/* Parameters begin here, unless it is a receiver of Go, "(*T)", or "operator()". */
		else if (*p == '(' && p > start && p[1] != '*' && strncmp(p, "()", 2) != 0)
			break;
		else if (separator(p) && p[separator(p)])
			start = p + separator(p);
	}
	*len_ret = (size_t)(p - start);
	return start;
}

char *ann_short_name(const char *name)
{
	char *copy = strdup(name);
	size_t len;

	if (!copy)
		return NULL;
	sym_shorten(copy);
	const char *part = ann_last_part(copy, &len);
	memmove(copy, part, len);
	copy[len] = '\0';
	return copy;
}
