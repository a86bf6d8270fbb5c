/**
 * @file Mapped files, and whether they shrank while they were mapped: see pdconv/file_guard.h.
 *
 * All mappings of files that others can change are made here, because the handler of SIGBUS has to
 * know them.
 */
#ifndef PD_BASE_FILE_MAP_H
#define PD_BASE_FILE_MAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

/**
 * Set *ret to @p size, that of a file, if memory can have as many bytes: on 32-bit machines a file
 * may be larger. Returns false and sets errno if not.
 */
static inline bool base_size_in_memory(uint64_t size, size_t *ret)
{
	if (size > PTRDIFF_MAX) {
		errno = EFBIG;
		return false;
	}
	*ret = (size_t)size;
	return true;
}

/** A part of a file in memory. Zero-initialized it is closed. */
struct base_file_map {
	/** NULL if it is closed. */
	void *bytes;
	size_t size;
	/** Pages of it can be read from the file again. */
	bool is_read_only;
	/** Entry in the list of the handler. */
	struct base_file_map_entry *entry;
};

enum base_file_map_kind {
	PD_MAP_READ_ONLY,
	/** The same, and it is read from the beginning to the end. */
	PD_MAP_IN_ORDER,
	/** Can be written to, which does not change the file. */
	PD_MAP_PRIVATE,
};

/**
 * Whether mapping a file of @p size bytes takes no memory for what is not read, and few of the
 * process's addresses. Otherwise files are better read by offset.
 */
bool base_file_map_is_cheap(uint64_t size);

/** Offsets of what is mapped are multiples of this: the page size. */
size_t base_file_map_unit(void);

/**
 * Map @p size bytes, not 0, at @p offset of @p fd, a multiple of base_file_map_unit(). Returns
 * false and sets errno on failure, as for a file that is larger than memory can be.
 */
bool base_file_map_open(int fd, uint64_t offset, uint64_t size, enum base_file_map_kind kind,
	struct base_file_map *ret);
/**
 * Like base_file_map_open() with PD_MAP_PRIVATE, with at least @p extra bytes of zeros after the
 * page in which the file ends. They begin at *extra_ret in the mapping, whose size includes them.
 */
bool base_file_map_open_extended(int fd, uint64_t offset, uint64_t size, size_t extra,
	struct base_file_map *ret, size_t *extra_ret);
/** Unmap. @p map may be closed. */
void base_file_map_close(struct base_file_map *map);

/**
 * Take the pages of @p map within [@p from, @p to) out of the memory of the process, if it is read
 * only. When they are read again, they come from the file. @p map may be closed.
 */
void base_file_map_drop(const struct base_file_map *map, size_t from, size_t to);

/** Whether bytes were read that are no longer in the file. @p map may be closed. */
bool base_file_map_has_shrunk(const struct base_file_map *map);

/** Number of open mappings that have shrunk, in the whole process; only to be compared with 0. */
extern unsigned int base_file_maps_n_shrunk;

/** Whether any file that is still open has shrunk. As fast as reading a variable. */
static inline bool base_file_maps_have_shrunk(void)
{
	return __atomic_load_n(&base_file_maps_n_shrunk, __ATOMIC_RELAXED) > 0;
}

/** Error for @p map if it has shrunk, or NULL. @p path may be NULL. */
struct pd_error *base_file_map_check(
	const struct base_file_map *map, const char *path) pd_must_check;

#endif
