#include "api/search_opts.h"

#include <string.h>

#include "base/array.h"

/* Replace @p text, which may be NULL, by a copy. False if out of memory. */
static bool copy(struct pd_arena *arena, const char **text)
{
	if (!*text)
		return true;
	*text = pd_arena_strndup(arena, *text, strlen(*text));
	return *text;
}

static bool copy_dirs(struct pd_arena *arena, struct pd_search_opts *opts)
{
	const char **dirs = pd_arena_alloc(arena, opts->n_dirs * sizeof(*dirs) + 1);

	if (!dirs)
		return false;
	for (size_t i = 0; i < opts->n_dirs; i++) {
		dirs[i] = opts->dirs[i];
		if (!copy(arena, &dirs[i]))
			return false;
	}
	opts->dirs = dirs;
	return true;
}

static bool copy_path_maps(struct pd_arena *arena, struct pd_search_opts *opts)
{
	struct pd_path_map *maps = pd_arena_alloc(arena, opts->n_path_maps * sizeof(*maps) + 1);

	if (!maps)
		return false;
	for (size_t i = 0; i < opts->n_path_maps; i++) {
		maps[i] = opts->path_maps[i];
		if (!copy(arena, &maps[i].from) || !copy(arena, &maps[i].to))
			return false;
	}
	opts->path_maps = maps;
	return true;
}

struct pd_error *pd_search_opts_copy(
	const struct pd_search_opts *opts, struct pd_arena *arena, struct pd_search_opts *ret)
{
	*ret = *opts;
	const char **const texts[] = { &ret->symfs, &ret->buildid_dir, &ret->perf_map_dir,
		&ret->vmlinux, &ret->kallsyms, &ret->modules, &ret->kernel_dir,
		&ret->debuginfod_urls, &ret->cache_dir };

	for (size_t i = 0; i < PD_ARRAY_LEN(texts); i++) {
		if (!copy(arena, texts[i]))
			return &pd_enomem;
	}
	return copy_dirs(arena, ret) && copy_path_maps(arena, ret) ? NULL : &pd_enomem;
}
