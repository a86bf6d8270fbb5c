#include "symbolize/find/mapped_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"
#include "symbolize/find/archive.h"

static bool try_file(const char *path, struct sym_access access, struct sym_mapped_file *ret)
{
	struct sym_failure failure;
	struct stat st;
	_cleanup_close_ int fd = *path ? sym_open_regular(path, access, &failure) : -1;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return false;
	if (!pd_file_map_open(fd, 0, (size_t)st.st_size, PD_MAP_READ_ONLY, &ret->map))
		return false;
	ret->bytes = ret->map.bytes;
	ret->size = ret->map.size;
	return true;
}

static bool try_archives(
	const struct sym_search *search, const char *name, struct sym_mapped_file *ret)
{
	for (size_t i = 0; i < search->n_archives; i++) {
		struct sym_archive *archive = search->archives[i];
		const struct sym_member *member = sym_archive_find_recorded(archive, name);

		if (!member || !pd_file_map_open(sym_archive_fd(archive), member->offset,
				       member->size, PD_MAP_READ_ONLY, &ret->map))
			continue;
		ret->bytes = ret->map.bytes;
		ret->size = ret->map.size;
		return true;
	}
	return false;
}

struct sym_mapped_file sym_mapped_file_open(const struct sym_search *search, const char *name)
{
	struct sym_access access = sym_search_access(search);
	struct sym_mapped_file file = { 0 };
	struct sym_path dir, path;
	size_t pos = 0;

	if (search->symfs)
		sym_path_format(&path, "%s/%s", search->symfs, name);
	else
		sym_path_format(&path, "%s", search->no_own_paths ? "" : name);
	if (try_file(path.text, access, &file))
		return file;
	while (sym_path_next(search->debug_dirs, &pos, &dir)) {
		if (try_file(sym_path_format(&path, "%s/%s", dir.text, sym_path_base(name)), access,
			    &file))
			return file;
	}
	(void)!try_archives(search, name, &file);
	return file;
}

void sym_mapped_file_close(struct sym_mapped_file *file)
{
	pd_file_map_close(&file->map);
	*file = (struct sym_mapped_file){ 0 };
}
