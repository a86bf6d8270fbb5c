#include "symbolize/find/path_map.h"

#include <string.h>

bool sym_path_map_apply(const struct pd_path_map *map, const char *file, struct sym_path *ret)
{
	struct sym_path clean;
	/* The path begins with a slash now, even if it is a relative one. */
	const char *name = sym_path_below(&clean, "", file) + (file[0] != '/');
	const char *rest = sym_path_after(name, map->from);

	/* The map of a single file. */
	if (strcmp(name, map->from) == 0) {
		sym_path_format(ret, "%s", map->to);
		return true;
	}
	if (!rest)
		return false;
	sym_path_below(ret, map->to, rest);
	return true;
}
