/* Search for perf-PID.map. */
#include "symbolize/perf_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/deleted.h"
#include "symbolize/file/deps.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"
#include "symbolize/file/process.h"
#include "symbolize/find/archive.h"

/* Prefixes of names in brackets that are memory of the process. Others are pages of the kernel. */
static const char *const MEMORY[] = { "[anon", "[heap]", "[stack" };

bool sym_may_be_generated(const char *name)
{
	if (!sym_is_no_image(name))
		return false;
	for (size_t i = 0; i < PD_ARRAY_LEN(MEMORY); i++) {
		if (strncmp(name, MEMORY[i], strlen(MEMORY[i])) == 0)
			return true;
	}
	return name[0] != '[';
}

/* Begin of names of memory that processes share, of files in memory, and of huge pages. */
static const char *const SHARED[] = { "/memfd:", "/dev/shm/", "/dev/hugepages", "/dev/ashmem",
	"/run/shm/" };

/* Whether libffi has created the file: "ffi" and six letters of mkostemp(), in any directory. */
static bool is_of_libffi(const char *name)
{
	const char *base = sym_path_base(name);

	return strncmp(base, "ffi", 3) == 0 && pd_undeleted_len(base) == 9 &&
	       strcmp(base + 9, PD_DELETED_MARK) == 0;
}

bool sym_file_may_be_generated(const char *name)
{
	const char *base = sym_path_base(name);

	for (size_t i = 0; i < PD_ARRAY_LEN(SHARED); i++) {
		if (strncmp(name, SHARED[i], strlen(SHARED[i])) == 0)
			return true;
	}
	/* Huge pages may be mounted anywhere, such as at /mnt/huge and /hugetlbfs. */
	const char *huge = strstr(name, "/huge");
	return (name[0] == '/' && huge && huge < base - 1) || is_of_libffi(name);
}

/*
 * Any user may create a file or link in /tmp, so the file must have a trusted owner, and must not
 * be a link.
 */
static bool is_trusted(const char *path, int fd, const struct sym_process *process)
{
	struct stat st, named;

	if (fstat(fd, &st) || lstat(path, &named) || named.st_ino != st.st_ino ||
		named.st_dev != st.st_dev)
		return false;
	return !st.st_uid || st.st_uid == geteuid() ||
	       (process->is_alive && st.st_uid == process->uid);
}

/*
 * Open @p path if it is a usable map. @p process is set for a map in /tmp, and NULL for one in a
 * directory that the user gave. Returns -1 if it is not.
 */
static int open_map(
	const struct sym_search *search, const char *path, const struct sym_process *process)
{
	struct sym_failure failure;

	if (process)
		sym_deps_add(search->deps, SYM_DEP_LINK, path);
	_cleanup_close_ int fd = sym_open_regular(path, sym_search_access(search), &failure);
	if (fd < 0 || (process && !is_trusted(path, fd, process)))
		return -1;
	int result = fd;
	fd = -1;
	return result;
}

static int open_in_dirs(const struct sym_search *search, uint32_t pid, struct sym_path *ret)
{
	struct sym_path dir;
	size_t pos = 0;
	int fd = -1;

	if (search->perf_map_dir)
		fd = open_map(search,
			sym_path_format(ret, "%s/perf-%" PRIu32 ".map", search->perf_map_dir, pid),
			NULL);
	if (fd < 0 && search->symfs)
		fd = open_map(search,
			sym_path_format(ret, "%s/tmp/perf-%" PRIu32 ".map", search->symfs, pid),
			NULL);
	while (fd < 0 && sym_path_next(search->debug_dirs, &pos, &dir))
		fd = open_map(search,
			sym_path_format(ret, "%s/perf-%" PRIu32 ".map", dir.text, pid), NULL);
	return fd;
}

/* Look for the map that pdconv archive has put at the path that it had. */
static bool find_in_archives(const struct sym_search *search, uint32_t pid,
	struct sym_perf_map_file *found, struct sym_path *ret)
{
	struct sym_path name;

	sym_path_format(&name, "/tmp/perf-%" PRIu32 ".map", pid);
	for (size_t i = 0; i < search->n_archives; i++) {
		found->archive = search->archives[i];
		found->member = sym_archive_find_recorded(search->archives[i], name.text);
		if (!found->member)
			continue;
		sym_path_format(
			ret, "%s:%s", sym_archive_path(found->archive), found->member->path);
		return true;
	}
	return false;
}

static struct pd_error *open_on_this_machine(
	const struct sym_search *search, uint32_t pid, struct sym_path *ret, int *fd_ret)
{
	struct sym_process process;
	struct pd_error *err = sym_process_read(pid, search->ended_at, &process);

	if (err)
		return err;
	sym_deps_add_process(search->deps, pid, search->ended_at);
	if (process.is_alive)
		*fd_ret = open_map(search,
			sym_path_format(ret, "/proc/%" PRIu32 "/root/tmp/perf-%" PRIu32 ".map", pid,
				process.own_pid),
			&process);
	if (*fd_ret < 0)
		*fd_ret = open_map(
			search, sym_path_format(ret, "/tmp/perf-%" PRIu32 ".map", pid), &process);
	return NULL;
}

struct pd_error *sym_perf_map_find(
	const struct sym_search *search, uint32_t pid, struct sym_perf_map_file *ret)
{
	struct sym_path path;

	*ret = (struct sym_perf_map_file){ .fd = open_in_dirs(search, pid, &path) };
	bool is_found = ret->fd >= 0 || find_in_archives(search, pid, ret, &path);
	if (!is_found && search->is_here && sym_search_has_own_paths(search) &&
		!search->perf_map_dir) {
		struct pd_error *err = open_on_this_machine(search, pid, &path, &ret->fd);
		if (err)
			return err;
	}
	if (ret->fd < 0 && !ret->member)
		return NULL;
	ret->path = strdup(path.text);
	if (ret->path)
		return NULL;
	sym_perf_map_file_deinit(ret);
	return &pd_enomem;
}

void sym_perf_map_file_deinit(struct sym_perf_map_file *file)
{
	pd_close(&file->fd);
	free(file->path);
	file->path = NULL;
}
