#include "base/io/cache_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "base/system/file_map.h"
#include "base/system/huge.h"
#include "base/integer.h"
#include "base/io/temporary.h"
#include "base/format.h"

/* Names of files that are being written. */
static const char TEMPORARY[] = ".new-";

static char *join(const char *dir, const char *name)
{
	return base_format("%s/%s", dir, name);
}

static bool read_all(int fd, uint8_t *bytes, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = read(fd, bytes + have, size - have);

		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

/* Why another user than root may have written what @p st describes; NULL: none can have. */
static const char *distrust(const struct stat *st)
{
	if (st->st_uid != base_user() && st->st_uid != 0)
		return "it belongs to another user";
	return st->st_mode & (S_IWGRP | S_IWOTH) ? "other users can write it" : NULL;
}

const char *base_cache_dir_distrust(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 ? distrust(&st) : NULL;
}

uint8_t *base_cache_dir_read(const char *dir, const char *name, uint64_t most, size_t *size_ret)
{
	_cleanup_free_ char *path = join(dir, name);
	struct stat st;
	/* Opening a pipe without O_NONBLOCK would wait for its other end. */
	_cleanup_close_ int fd =
		path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
		(uint64_t)st.st_size > most || distrust(&st))
		return NULL;
	size_t size;
	if (!base_size_in_memory((uint64_t)st.st_size, &size))
		return NULL;
	_cleanup_free_ uint8_t *bytes = base_huge_alloc(size);
	if (!bytes || !read_all(fd, bytes, size))
		return NULL;
	futimens(fd, NULL);
	*size_ret = size;
	return_ptr(bytes);
}

void base_cache_dir_create(const char *dir)
{
	_cleanup_free_ char *path = strdup(dir);

	if (!path || !*path)
		return;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
}

/* Create a temporary file in @p dir. *path_ret is its path, which the caller frees. */
static int create_temporary(const char *dir, char **path_ret)
{
	_cleanup_free_ char *start = base_format("%s/%s", dir, TEMPORARY);

	return start ? base_temporary_create_in(AT_FDCWD, start, "", 0600, path_ret) : -1;
}

static bool write_parts(int fd, const struct iovec *parts, size_t n)
{
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++)
		ok = base_write_all(fd, parts[i].iov_base, parts[i].iov_len);
	return ok;
}

bool base_cache_dir_write(const char *dir, const char *name, const struct iovec *parts, size_t n)
{
	_cleanup_free_ char *path = join(dir, name);
	_cleanup_free_ char *temporary = NULL;
	int fd = path ? create_temporary(dir, &temporary) : -1;

	if (path && fd < 0) {
		free(temporary);
		base_cache_dir_create(dir);
		fd = create_temporary(dir, &temporary);
	}
	if (fd < 0)
		return false;
	bool ok = write_parts(fd, parts, n);
	ok = close(fd) == 0 && ok;
	/* Other processes see either the old file or all of the new one. */
	if (ok && rename(temporary, path) == 0)
		return true;
	unlink(temporary);
	return false;
}

void base_cache_dir_remove(const char *dir, const char *name)
{
	_cleanup_free_ char *path = join(dir, name);

	if (path)
		unlink(path);
}

struct kept {
	char name[NAME_MAX + 1];
	uint64_t size;
	int64_t used;
};

static int compare_used(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

static bool has_suffix(const char *name, const char *const *suffixes, size_t n)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < n; i++) {
		size_t suffix_len = strlen(suffixes[i]);

		if (len > suffix_len && strcmp(name + len - suffix_len, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* Whether the file was left over by a run that was killed while writing it. */
static bool is_stale(const char *name, const struct stat *st)
{
	enum { SECONDS = 3600 };

	return strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0 &&
	       st->st_mtime < time(NULL) - SECONDS;
}

size_t base_cache_dir_trim(const char *dir, const char *const *suffixes, size_t n, uint64_t most)
{
	PD_VEC(struct kept) files = { 0 };
	struct kept file;
	struct stat st;
	uint64_t sum = 0;
	size_t n_distrusted = 0;
	DIR *stream = opendir(dir);

	for (struct dirent *entry; stream && (entry = readdir(stream));) {
		if (fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
			!S_ISREG(st.st_mode))
			continue;
		if (is_stale(entry->d_name, &st))
			unlinkat(dirfd(stream), entry->d_name, 0);
		if (!has_suffix(entry->d_name, suffixes, n))
			continue;
		if (distrust(&st)) {
			n_distrusted += unlinkat(dirfd(stream), entry->d_name, 0) == 0;
			continue;
		}
		snprintf(file.name, sizeof(file.name), "%s", entry->d_name);
		file.size = (uint64_t)st.st_size;
		file.used = st.st_mtime;
		sum += file.size;
		if (!pd_vec_push(&files, file))
			break;
	}
	if (files.n)
		qsort(files.data, files.n, sizeof(*files.data), compare_used);
	for (size_t i = 0; i < files.n && sum > most; i++) {
		if (!unlinkat(dirfd(stream), files.data[i].name, 0))
			sum -= files.data[i].size;
	}
	if (stream)
		closedir(stream);
	pd_vec_deinit(&files);
	return n_distrusted;
}
