#include "symbolize/find/debug_paths.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/file/image_sections.h"
#include "symbolize/find/binary_paths.h"

bool sym_debug_in_none(struct sym_finder *finder, const struct sym_image *main)
{
	(void)finder;
	(void)main;
	return false;
}

const char *sym_cache_root(const struct sym_search *search, struct sym_path *ret)
{
	const char *home = getenv("HOME");

	if (search->buildid_dir)
		return sym_path_format(ret, "%s", search->buildid_dir);
	return home && *home ? sym_path_format(ret, "%s/.debug", home)
			     : sym_path_format(ret, "%s", "");
}

const char *sym_debuginfod_cached(
	const struct pd_build_id *id, const char *kind, struct sym_path *ret)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH");
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char hex[PD_BUILD_ID_HEX_MAX];

	pd_build_id_hex(id, hex);
	if (own && *own)
		return sym_path_format(ret, "%s/%s/%s", own, hex, kind);
	if (cache && *cache)
		return sym_path_format(ret, "%s/debuginfod_client/%s/%s", cache, hex, kind);
	if (home && *home)
		return sym_path_format(ret, "%s/.cache/debuginfod_client/%s/%s", home, hex, kind);
	return sym_path_format(ret, "%s", "");
}

bool sym_debug_in_debuginfod(struct sym_finder *finder, const struct sym_image *main)
{
	(void)main;
	return sym_finder_debuginfod(finder, SYM_DEBUGINFOD_DEBUGINFO);
}

static bool try_by_id(struct sym_finder *finder, const char *root)
{
	struct sym_path path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	if (!finder->id.len)
		return false;
	sym_path_of_id(&finder->id, id);
	return sym_finder_try(finder, sym_path_format(&path, "%s/.build-id/%s.debug", root, id));
}

bool sym_debug_in_symfs(struct sym_finder *finder, const struct sym_image *main)
{
	const char *symfs = finder->search->symfs;
	struct sym_path dir;

	(void)main;
	return symfs && try_by_id(finder, sym_path_format(&dir, "%s%s", symfs, SYM_SYSTEM_DEBUG));
}

bool sym_debug_in_symbol_dir(struct sym_finder *finder, const struct sym_image *main)
{
	struct sym_path dir;
	size_t pos = 0;

	(void)main;
	while (sym_path_next(finder->search->debug_dirs, &pos, &dir)) {
		if (try_by_id(finder, dir.text))
			return true;
	}
	return false;
}

bool sym_debug_in_cache(struct sym_finder *finder, const struct sym_image *main)
{
	struct sym_path root, path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	(void)main;
	if (!finder->id.len || !*sym_cache_root(finder->search, &root))
		return false;
	sym_path_of_id(&finder->id, id);
	return sym_finder_try(
		finder, sym_path_format(&path, "%s/.build-id/%s/debug", root.text, id));
}

bool sym_debug_in_archive(struct sym_finder *finder, const struct sym_image *main)
{
	(void)main;
	return sym_finder_archives(finder, NULL);
}

bool sym_debug_in_system_debug(struct sym_finder *finder, const struct sym_image *main)
{
	(void)main;
	return try_by_id(finder, SYM_SYSTEM_DEBUG);
}

bool sym_debug_in_debuginfod_cache(struct sym_finder *finder, const struct sym_image *main)
{
	struct sym_path path;

	(void)main;
	return finder->id.len &&
	       sym_finder_try(finder, sym_debuginfod_cached(&finder->id, "debuginfo", &path));
}

/* Try the roots below which debug files have the same path as their binary. */
static bool try_roots(struct sym_finder *finder, const char *dir, const char *file)
{
	const struct sym_search *search = finder->search;
	struct sym_path path, root, full;
	size_t pos = 0;

	sym_path_format(&full, "%s/%s", dir, file);
	if (search->symfs && sym_finder_try(finder, sym_path_format(&path, "%s%s%s", search->symfs,
							    SYM_SYSTEM_DEBUG, full.text)))
		return true;
	while (sym_path_next(search->debug_dirs, &pos, &root)) {
		if (sym_finder_try(finder, sym_path_below(&path, root.text, full.text)) ||
			sym_finder_try(finder, sym_path_below(&path, root.text, file)))
			return true;
	}
	return !search->no_own_paths &&
	       sym_finder_try(finder, sym_path_below(&path, SYM_SYSTEM_DEBUG, full.text));
}

/* The CRC follows the name, aligned to 4 bytes. */
const char *sym_read_debuglink(const struct sym_image *main, uint32_t *crc_ret)
{
	struct sym_section link;

	if (!sym_image_section(main, ".gnu_debuglink", &link))
		return NULL;
	size_t len = strnlen((const char *)link.data, link.size);
	size_t crc_pos = (len + 4) & ~(size_t)3;
	if (!len || crc_pos + 4 > link.size || memchr(link.data, '/', len))
		return NULL;
	memcpy(crc_ret, link.data + crc_pos, 4);
	if (main->swap)
		*crc_ret = __builtin_bswap32(*crc_ret);
	return (const char *)link.data;
}

static bool try_beside(struct sym_finder *finder, const char *file, const char *link)
{
	struct sym_path dir, path;

	sym_path_dir(&dir, file);
	/* Some programs have a link with their own name, which is not that of a debug file. */
	if (strcmp(sym_path_base(file), link) &&
		sym_finder_try(finder, sym_path_format(&path, "%s/%s", dir.text, link)))
		return true;
	return sym_finder_try(finder, sym_path_format(&path, "%s/.debug/%s", dir.text, link));
}

/* Try next to the recorded binary, which may have been found elsewhere, such as in a cache. */
static bool try_beside_recorded(struct sym_finder *finder, const char *link)
{
	const char *name = finder->recorded.name;
	const char *tried = finder->excluded ? finder->excluded : "";
	struct sym_path path;

	for (size_t i = 0; name[0] == '/' && sym_recorded_path(finder->search, name, i, &path);
		i++) {
		if (*path.text && strcmp(path.text, tried) && try_beside(finder, path.text, link))
			return true;
	}
	return false;
}

static bool try_link(struct sym_finder *finder, const struct sym_image *main, const char *link)
{
	struct sym_path dir, real;

	if (main->path && try_beside(finder, main->path, link))
		return true;
	/* A binary that was found by build id has a path that is a link in most cases. */
	if (main->path && sym_real_path(main->path, sym_search_access(finder->search), &real) &&
		strcmp(real.text, main->path) && try_beside(finder, real.text, link))
		return true;
	const char *name = finder->recorded.name;
	return try_roots(finder, name[0] == '/' ? sym_path_dir(&dir, name) : "", link) ||
	       try_beside_recorded(finder, link);
}

bool sym_debug_in_debuglink(struct sym_finder *finder, const struct sym_image *main)
{
	uint32_t crc;
	const char *link = sym_read_debuglink(main, &crc);

	return link && try_link(finder, main, link);
}

/* Try the debug files in the root directory of process @p pid. */
static bool try_process(struct sym_finder *finder, uint32_t pid, const char *link)
{
	const char *name = finder->recorded.name;
	struct sym_path root, debug, dir, path;

	sym_path_format(&root, "/proc/%u/root", (unsigned)pid);
	sym_path_format(&debug, "%s%s", root.text, SYM_SYSTEM_DEBUG);
	if (try_by_id(finder, debug.text))
		return true;
	if (!link || name[0] != '/')
		return false;
	sym_path_dir(&dir, name);
	if (sym_finder_try(finder, sym_path_format(&path, "%s%s/%s", debug.text, dir.text, link)))
		return true;
	sym_path_format(&path, "%s%s", root.text, name);
	return try_beside(finder, path.text, link);
}

/* Containers may have debug files of their own. */
bool sym_debug_in_proc_root(struct sym_finder *finder, const struct sym_image *main)
{
	uint32_t crc;
	const char *link = main ? sym_read_debuglink(main, &crc) : NULL;
	size_t n;

	if (!sym_search_has_processes(finder->search) || (!finder->id.len && !finder->has_crc))
		return false;
	if (finder->recorded.pid && try_process(finder, finder->recorded.pid, link))
		return true;
	const uint32_t *pids = sym_finder_other_roots(finder, &n);
	for (size_t i = 0; i < n; i++) {
		if (try_process(finder, pids[i], link))
			return true;
	}
	return false;
}

/*
 * Try the path of the binary below the roots, with ".debug" as perf has it and without as Fedora
 * has it.
 */
bool sym_debug_in_own_path(struct sym_finder *finder, const struct sym_image *main)
{
	struct sym_path dir, file;
	const char *name = finder->recorded.name;
	const char *base = sym_path_base(name);

	(void)main;
	/* Without a build id or CRC to compare, a file with that name may be anything. */
	if ((!finder->id.len && !finder->has_crc) || name[0] != '/' || !*base)
		return false;
	sym_path_dir(&dir, name);
	return try_roots(finder, dir.text, sym_path_format(&file, "%s.debug", base)) ||
	       try_roots(finder, dir.text, base) ||
	       try_beside_recorded(finder, sym_path_format(&file, "%s.debug", base));
}

/*
 * Whether @p path, which a binary names, may be tried: it is below a directory of debug files or of
 * a path map, or files are looked for at their own paths anyway. Paths below symfs do not lead out
 * of it.
 */
static bool is_permitted(const struct sym_search *search, const char *path)
{
	struct sym_path clean, dir, real;
	size_t pos = 0;

	sym_path_below(&clean, "", path);
	if (sym_search_has_own_paths(search) || sym_path_after(clean.text, SYM_SYSTEM_DEBUG) ||
		(search->symfs && sym_path_after(path, search->symfs)))
		return true;
	while (sym_path_next(search->debug_dirs, &pos, &dir)) {
		if (sym_real_path(dir.text, sym_search_access(search), &real) &&
			sym_path_after(clean.text, real.text))
			return true;
	}
	for (size_t i = 0; i < search->n_path_maps; i++) {
		if (sym_real_path(search->path_maps[i].to, sym_search_access(search), &real) &&
			sym_path_after(clean.text, real.text))
			return true;
	}
	return false;
}

/* Try the supplementary file at @p path, if names in binaries may lead there. */
static bool try_supplement(struct sym_finder *finder, const char *path)
{
	return is_permitted(finder->search, path) && sym_finder_try(finder, path);
}

/*
 * Try the relative @p name from the directory of the file @p of. A link to that file may be
 * anywhere.
 */
static bool try_relative(struct sym_finder *finder, const char *name, const char *of)
{
	struct sym_path real, dir, path;

	bool is_real = sym_real_path(of, sym_search_access(finder->search), &real);
	sym_path_dir(&dir, is_real ? real.text : of);
	return try_supplement(finder, sym_path_format(&path, "%s/%s", dir.text, name));
}

/*
 * Try the relative @p name from where @p of may have been before it was copied to a cache: the
 * recorded path of its binary, or the system's directory of debug files.
 */
static bool try_from_origin(struct sym_finder *finder, const char *name, const struct sym_image *of)
{
	char id[PD_BUILD_ID_HEX_MAX + 1];
	struct sym_path debug, path;

	const char *recorded = finder->recorded.name;
	for (size_t i = 0;
		*recorded == '/' && sym_recorded_path(finder->search, recorded, i, &path); i++) {
		if (*path.text && try_relative(finder, name, path.text))
			return true;
	}
	if (!of->build_id.len)
		return false;
	sym_path_of_id(&of->build_id, id);
	sym_path_format(&debug, "%s/.build-id/%s.debug", SYM_SYSTEM_DEBUG, id);
	for (size_t i = 0; sym_recorded_path(finder->search, debug.text, i, &path); i++) {
		if (*path.text && try_relative(finder, name, path.text))
			return true;
	}
	return false;
}

void sym_finder_supplement(struct sym_finder *finder, const char *name, const struct sym_image *of)
{
	struct sym_path path;

	if (!finder->id.len)
		return;
	if (name[0] == '/') {
		for (size_t i = 0; sym_recorded_path(finder->search, name, i, &path); i++) {
			if (*path.text && strcmp(path.text, name) &&
				sym_finder_try(finder, path.text))
				return;
		}
		if (try_supplement(finder, name))
			return;
	} else if (try_relative(finder, name, of->path) || try_from_origin(finder, name, of)) {
		return;
	}
	finder->recorded.name = "";
	sym_finder_by_id(finder);
}
