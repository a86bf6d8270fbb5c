/* Where separate debug files may be. */
#include "symbolize/search.h"

#include <stdlib.h>
#include <string.h>

static const char SYSTEM_DEBUG[] = "/usr/lib/debug";

static bool try_by_id(struct sym_hunt *hunt, const char *root)
{
	struct sym_path path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	if (!hunt->id.len)
		return false;
	sym_path_of_id(&hunt->id, id);
	return sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s.debug", root, id));
}

/* Files that a debuginfod client fetched earlier. Nothing is fetched here. */
static bool try_debuginfod_cache(struct sym_hunt *hunt)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH");
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	struct sym_path root, path;
	char hex[PD_BUILD_ID_HEX_MAX];

	if (!hunt->id.len)
		return false;
	if (own && *own)
		sym_path_format(&root, "%s", own);
	else if (cache && *cache)
		sym_path_format(&root, "%s/debuginfod_client", cache);
	else if (home && *home)
		sym_path_format(&root, "%s/.cache/debuginfod_client", home);
	else
		return false;
	pd_build_id_hex(&hunt->id, hex);
	return sym_hunt_try(hunt, sym_path_format(&path, "%s/%s/debuginfo", root.text, hex));
}

static bool try_everywhere_by_id(struct sym_hunt *hunt)
{
	const struct sym_search *search = hunt->search;
	const char *home = getenv("HOME");
	struct sym_path path, dir;
	char id[PD_BUILD_ID_HEX_MAX + 1];
	size_t pos = 0;

	if (!hunt->id.len)
		return false;
	sym_path_of_id(&hunt->id, id);
	if (search->buildid_dir)
		sym_path_format(&path, "%s/.build-id/%s/debug", search->buildid_dir, id);
	else
		sym_path_format(&path, "%s/.debug/.build-id/%s/debug", home ? home : "", id);
	if (sym_hunt_try(hunt, path.text))
		return true;
	while (sym_path_next(search->debug_dirs, &pos, &dir)) {
		if (try_by_id(hunt, dir.text))
			return true;
	}
	if (search->symfs &&
		try_by_id(hunt, sym_path_format(&dir, "%s%s", search->symfs, SYSTEM_DEBUG)))
		return true;
	return try_by_id(hunt, SYSTEM_DEBUG) || try_debuginfod_cache(hunt);
}

/* The roots under which debug files lie at their binary's path. */
static bool try_roots(struct sym_hunt *hunt, const char *dir, const char *file)
{
	const struct sym_search *search = hunt->search;
	struct sym_path path, root;
	size_t pos = 0;

	if (search->symfs && sym_hunt_try(hunt, sym_path_format(&path, "%s%s%s/%s", search->symfs,
							SYSTEM_DEBUG, dir, file)))
		return true;
	while (sym_path_next(search->debug_dirs, &pos, &root)) {
		if (sym_hunt_try(hunt, sym_path_format(&path, "%s%s/%s", root.text, dir, file)) ||
			sym_hunt_try(hunt, sym_path_format(&path, "%s/%s", root.text, file)))
			return true;
	}
	return sym_hunt_try(hunt, sym_path_format(&path, "%s%s/%s", SYSTEM_DEBUG, dir, file));
}

/* The name in .gnu_debuglink, and the CRC, which stands behind it at the next multiple of 4. */
static const char *read_debuglink(const struct sym_image *main, uint32_t *crc_ret)
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

static bool try_beside(struct sym_hunt *hunt, const char *file, const char *link)
{
	struct sym_path dir, path;

	sym_path_dir(&dir, file);
	/* A link that names its own binary is met in the wild: that is not the debug file. */
	if (strcmp(sym_path_base(file), link) &&
		sym_hunt_try(hunt, sym_path_format(&path, "%s/%s", dir.text, link)))
		return true;
	return sym_hunt_try(hunt, sym_path_format(&path, "%s/.debug/%s", dir.text, link));
}

static bool try_link(struct sym_hunt *hunt, const struct sym_image *main, const char *link)
{
	struct sym_path dir;

	if (main->path && try_beside(hunt, main->path, link))
		return true;
	return try_roots(hunt, hunt->name[0] == '/' ? sym_path_dir(&dir, hunt->name) : "", link);
}

/* perf's and Fedora's tradition: the binary's own path, with and without ".debug". */
static bool try_own_path(struct sym_hunt *hunt)
{
	struct sym_path dir, file;
	const char *base = sym_path_base(hunt->name);

	if (hunt->name[0] != '/' || !*base)
		return false;
	sym_path_dir(&dir, hunt->name);
	return try_roots(hunt, dir.text, sym_path_format(&file, "%s.debug", base)) ||
	       try_roots(hunt, dir.text, base);
}

void sym_hunt_debug(struct sym_hunt *hunt, const struct sym_image *main)
{
	hunt->id = main->build_id;
	hunt->wants_dwarf = true;
	const char *link = read_debuglink(main, &hunt->crc);
	hunt->has_crc = link != NULL;
	if (try_everywhere_by_id(hunt) || (link && try_link(hunt, main, link)))
		return;
	/* Without an identity to check, a file of that name is only a guess. */
	if (hunt->id.len || hunt->has_crc)
		try_own_path(hunt);
}

void sym_hunt_supplement(struct sym_hunt *hunt, const char *name, const char *of)
{
	struct sym_path dir, path;
	char real[4096];

	if (!hunt->id.len)
		return;
	if (name[0] == '/') {
		if (hunt->search->symfs && sym_hunt_try(hunt, sym_path_format(&path, "%s%s",
								      hunt->search->symfs, name)))
			return;
		if (sym_hunt_try(hunt, name))
			return;
	} else {
		/* Relative to where the file is, not to the link that led there. */
		_Static_assert(sizeof(real) >= 4096, "realpath writes PATH_MAX");
		sym_path_dir(&dir, realpath(of, real) ? real : of);
		if (sym_hunt_try(hunt, sym_path_format(&path, "%s/%s", dir.text, name)))
			return;
	}
	try_everywhere_by_id(hunt);
}
