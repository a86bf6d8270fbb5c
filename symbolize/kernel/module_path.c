#include "symbolize/kernel/module_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbolize/kernel/candidates.h"
#include "symbolize/file/text_file.h"

/* The kernel replaces '-' in the name of a module's file with '_'. */
static char folded(char c)
{
	return c == '-' ? '_' : c;
}

/*
 * Whether the base name of @p path is "NAME.ko", possibly compressed, for the @p len bytes @p name.
 */
static bool is_path_of(const char *path, const char *name, size_t len)
{
	const char *base = sym_path_base(path);

	for (size_t i = 0; i < len; i++) {
		if (folded(base[i]) != folded(name[i]))
			return false;
	}
	return strncmp(base + len, ".ko", 3) == 0;
}

/*
 * Find the line of the module in modules.dep: "PATH: PATHS OF DEPENDENCIES", relative to its
 * directory.
 */
static bool find_line(char *text, const char *name, size_t len, const char **path_ret)
{
	char *line;

	while ((line = sym_text_line(&text))) {
		line[strcspn(line, ":")] = '\0';
		if (!is_path_of(line, name, len))
			continue;
		*path_ret = line;
		return true;
	}
	return false;
}

static struct pd_error *look_up(const char *root, struct sym_access access, const char *release,
	const char *name, size_t len, struct sym_path *ret)
{
	_cleanup_free_ char *text = NULL;
	struct sym_failure failure;
	struct sym_path file;
	const char *path;
	size_t size;
	struct pd_error *err = sym_text_file_read(
		sym_path_format(&file, "%s/lib/modules/%s/modules.dep", root, release), access,
		&text, &size, &failure);

	if (err || !text || !find_line(text, name, len, &path))
		return err;
	if (path[0] == '/')
		sym_path_format(ret, "%s", path);
	else
		sym_path_format(ret, "/lib/modules/%s/%s", release, path);
	return NULL;
}

/* Search in all directories that stand for the root of the recording machine. */
static struct pd_error *look_up_all(const struct sym_search *search, const char *release,
	const char *name, size_t len, struct sym_path *ret)
{
	struct sym_access access = sym_search_access(search);
	const char *root = search->symfs ? search->symfs : search->no_own_paths ? NULL : "";
	struct pd_error *err = root ? look_up(root, access, release, name, len, ret) : NULL;
	struct sym_path dir;
	size_t pos = 0;

	if (err)
		return err;
	while (!*ret->text && sym_path_next(search->debug_dirs, &pos, &dir)) {
		err = look_up(dir.text, access, release, name, len, ret);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *sym_module_find_path(const struct sym_search *search, const char *name,
	const char *release, struct sym_path *ret)
{
	size_t len = strlen(name);

	ret->text[0] = '\0';
	if (name[0] != '[') {
		if (strstr(sym_path_base(name), ".ko"))
			sym_path_format(ret, "%s", name);
		return NULL;
	}
	/*
	 * perf records "[NAME]" if it did not know the path. The name and the release become
	 * components of a path, which a '/' would extend to other directories.
	 */
	if (len < 3 || name[len - 1] != ']' || strchr(name, '/'))
		return NULL;
	if (release && *release && !strchr(release, '/')) {
		struct pd_error *err = look_up_all(search, release, name + 1, len - 2, ret);
		if (err)
			return err;
	}
	if (!*ret->text)
		sym_path_format(ret, "/%.*s.ko", (int)len - 2, name + 1);
	return NULL;
}
