#include "symbolize/find/mapped_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limit.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"
#include "symbolize/file/trouble.h"
#include "symbolize/find/binary_archive.h"
#include "symbolize/find/file_search.h"

/* A file that cannot be mapped is like one that is absent, unless memory ran out. */
static struct pd_error *map(int fd, uint64_t offset, uint64_t size, struct sym_mapped_file *ret)
{
	if (!base_file_map_open(fd, offset, size, PD_MAP_READ_ONLY, &ret->map))
		return errno == ENOMEM ? &pd_enomem : NULL;
	ret->bytes = ret->map.bytes;
	ret->size = ret->map.size;
	return NULL;
}

static struct pd_error *try_file(
	const char *path, struct sym_access access, struct sym_mapped_file *ret)
{
	struct sym_failure failure;
	struct stat st;
	_cleanup_close_ int fd = *path ? sym_open_regular(path, access, &failure) : -1;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return NULL;
	return map(fd, 0, (uint64_t)st.st_size, ret);
}

static struct pd_error *try_archives(
	const struct sym_search *search, const char *name, struct sym_mapped_file *ret)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < search->n_archives && !err && !ret->bytes; i++) {
		struct sym_archive *archive = search->archives[i];
		const struct sym_member *member = sym_archive_find_recorded(archive, name);

		if (member)
			err = map(sym_archive_fd(archive), member->offset, member->size, ret);
	}
	return err;
}

struct pd_error *sym_mapped_file_open(
	const struct sym_search *search, const char *name, struct sym_mapped_file *ret)
{
	struct sym_access access = sym_search_access(search);
	struct sym_path dir, path;
	size_t pos = 0;

	*ret = (struct sym_mapped_file){ 0 };
	if (search->symfs)
		sym_path_format(&path, "%s/%s", search->symfs, name);
	else
		sym_path_format(&path, "%s", search->no_own_paths ? "" : name);
	struct pd_error *err = try_file(path.text, access, ret);
	while (!err && !ret->bytes && sym_path_next(search->debug_dirs, &pos, &dir)) {
		sym_path_format(&path, "%s/%s", dir.text, sym_path_base(name));
		err = try_file(path.text, access, ret);
	}
	return err || ret->bytes ? err : try_archives(search, name, ret);
}

void sym_mapped_file_close(struct sym_mapped_file *file)
{
	base_file_map_close(&file->map);
	*file = (struct sym_mapped_file){ 0 };
}

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
