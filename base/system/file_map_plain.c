#include "base/system/file_map.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <pdconv/file_guard.h>

/* Files are copied into memory: they may shrink, but what was read stays. */
unsigned int base_file_maps_n_shrunk;

bool base_file_map_is_cheap(uint64_t size)
{
	(void)size;
	return false;
}

/* Read @p size bytes. What the file no longer has is zero. Returns false and sets errno. */
static bool read_part(int fd, uint64_t offset, char *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(fd, to + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return false;
		if (!n)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool base_file_map_open_extended(int fd, uint64_t offset, uint64_t file_size, size_t extra,
	struct base_file_map *ret, size_t *extra_ret)
{
	enum { ALIGN = 64 };
	size_t size, all;

	*ret = (struct base_file_map){ 0 };
	if (!base_size_in_memory(file_size, &size))
		return false;
	size_t full = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	char *bytes = NULL;
	if (full < size || __builtin_add_overflow(full, extra, &all) || !(bytes = calloc(1, all)))
		errno = ENOMEM;
	if (!bytes)
		return false;
	if (!read_part(fd, offset, bytes, size)) {
		free(bytes);
		return false;
	}
	*extra_ret = full;
	*ret = (struct base_file_map){ .bytes = bytes, .size = all };
	return true;
}

size_t base_file_map_unit(void)
{
	/* That of most machines: nothing is mapped here. */
	return 4096;
}

bool base_file_map_open(int fd, uint64_t offset, uint64_t size, enum base_file_map_kind kind,
	struct base_file_map *ret)
{
	size_t extra;
	bool ok = base_file_map_open_extended(fd, offset, size, 0, ret, &extra);

	(void)kind;
	if (ok)
		ret->size = (size_t)size;
	return ok;
}

void base_file_map_drop(const struct base_file_map *map, size_t from, size_t to)
{
	/* The bytes are the only copy. */
	(void)map;
	(void)from;
	(void)to;
}

void base_file_map_close(struct base_file_map *map)
{
	free(map->bytes);
	*map = (struct base_file_map){ 0 };
}

bool base_file_map_has_shrunk(const struct base_file_map *map)
{
	(void)map;
	return false;
}

struct pd_error *base_file_map_check(const struct base_file_map *map, const char *path)
{
	(void)map;
	(void)path;
	return NULL;
}

bool pd_file_guard_handle(const void *address)
{
	(void)address;
	return false;
}

struct pd_error *pd_file_guard_install(void)
{
	return NULL;
}
