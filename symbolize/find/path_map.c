#include "symbolize/find/path_map.h"

#include <string.h>

/* Part of @p name after the directory @p from, or NULL if it is not below that. */
static const char *below(const char *name, const char *from)
{
	size_t len = strlen(from);

	while (len && from[len - 1] == '/')
		len--;
	return strncmp(name, from, len) == 0 && name[len] == '/' ? name + len : NULL;
}

bool sym_path_map_apply(const struct sym_path_map *map, const char *file, struct sym_path *ret)
{
	const char *rest = below(file, map->from);

	if (!rest)
		return false;
	sym_path_below(ret, map->to, rest);
	return true;
}
