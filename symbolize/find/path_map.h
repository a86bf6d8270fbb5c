/**
 * @file Replacing the beginning of recorded paths.
 */
#ifndef PD_SYMBOLIZE_FIND_PATH_MAP_H
#define PD_SYMBOLIZE_FIND_PATH_MAP_H

#include <stdbool.h>

#include "symbolize/file/path.h"
#include "symbolize/find/search.h"

/**
 * Set @p ret to @p file, without "." and "..", with map->from replaced by map->to. Returns false if
 * it is not below map->from.
 */
bool sym_path_map_apply(const struct pd_path_map *map, const char *file, struct sym_path *ret);

#endif
