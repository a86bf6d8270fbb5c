#include "symbolize/find/package.h"

#include "base/cleanup.h"
#include "base/limit.h"
#include "symbolize/file/trouble.h"
#include "symbolize/find/recorded_path.h"

static bool try_path(
	const struct sym_search *search, const char *path, uint64_t at, struct sym_zip_member *ret)
{
	struct sym_failure failure;
	_cleanup_close_ int fd =
		*path ? sym_open_regular(path, sym_search_access(search), &failure) : -1;

	return fd >= 0 && sym_zip_find_at(fd, at, ret);
}

bool sym_package_member(
	const struct sym_search *search, const char *name, uint64_t at, struct sym_zip_member *ret)
{
	struct sym_path dir, path;
	size_t pos = 0;

	if (!search || !sym_zip_is_package(name))
		return false;
	while (sym_path_next(search->debug_dirs, &pos, &dir)) {
		if (try_path(search, sym_path_below(&path, dir.text, name), at, ret) ||
			try_path(search, sym_path_below(&path, dir.text, sym_path_base(name)), at,
				ret))
			return true;
	}
	for (size_t i = 0; sym_recorded_path(search, name, i, &path); i++) {
		if (try_path(search, path.text, at, ret))
			return true;
	}
	return false;
}

void sym_package_note_limit(const struct sym_search *search, const char *name)
{
	sym_trouble_add_limit(search->trouble, name, PD_LIMIT_ID_PACKAGE_SEARCHES);
}
