#include "symbolize/find/recorded_path.h"

#include <string.h>

#include "symbolize/find/path_map.h"

bool sym_path_is_of_this_machine(const char *path)
{
	return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

bool sym_recorded_path(
	const struct sym_search *search, const char *name, size_t i, struct sym_path *ret)
{
	sym_path_format(ret, "%s", "");
	if (i > search->n_path_maps)
		return false;
	if (i) {
		if (!sym_path_map_apply(&search->path_maps[i - 1], name, ret))
			sym_path_format(ret, "%s", "");
	} else if (search->symfs) {
		sym_path_below(ret, search->symfs, name);
	} else if (sym_search_has_own_paths(search) && !sym_path_is_of_this_machine(name)) {
		sym_path_format(ret, "%s", name);
	}
	return true;
}
