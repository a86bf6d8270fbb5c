/**
 * @file One ELF file, mapped, or read by section where a mapping would be a copy. Private to
 * symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_IMAGE_H
#define PD_SYMBOLIZE_FILE_IMAGE_H

#include <gelf.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/system/file_map.h"
#include "symbolize/file/access.h"

/** Contents of a compressed section. */
struct sym_unpacked_section {
	size_t index;
	/** Decompressed contents, owned; NULL if decompressing failed. */
	void *bytes;
	size_t size;
};

struct sym_unpacked {
	PD_VEC(struct sym_unpacked_section) list;
	/** Memory ran out while a section was read. */
	bool is_out_of_memory;
};

struct sym_image {
	/** Path of the file; NULL for an image in memory. */
	char *path;
	int fd;
	Elf *elf;
	/** Bytes of an image in memory, owned; NULL for a file or a part of a file. */
	void *memory;
	/** Mapping of the file or of its part; closed if it is read by section. */
	struct base_file_map map;
	/** Size of the ELF file, in bytes. */
	uint64_t size;
	/** The image is a part of another file, for example a member of an archive. */
	bool is_range;
	/** Offset and size of the part in that file, in bytes. */
	uint64_t range_offset;
	size_t range_size;
	/** Sections decompressed so far. Owned. */
	struct sym_unpacked *unpacked;
	struct pd_build_id build_id;
	GElf_Ehdr ehdr;
	/** The byte order of the file differs from this machine's. */
	bool swap;
	/** Virtual address of the first PT_LOAD segment; 0 if there is none. */
	uint64_t first_vaddr;
	/** Code was left out of the file: see sym_image_lacks_code(). */
	bool lacks_code;
};

/**
 * Open the ELF file @p path. *ret is NULL, and @p failure_ret has the reason, if it is not a usable
 * ELF file. Errors: NOMEM.
 */
struct pd_error *sym_image_open(const char *path, struct sym_access access, struct sym_image **ret,
	struct sym_failure *failure_ret) pd_must_check;

/**
 * Like sym_image_open(), but takes ownership of the open descriptor @p fd. @p path is used in
 * messages.
 */
struct pd_error *sym_image_open_fd(int fd, const char *path, struct sym_image **ret,
	struct sym_failure *failure_ret) pd_must_check;

/**
 * Open the ELF file in the @p size bytes at @p memory, which comes from malloc() and now belongs to
 * the image. It is freed, and *ret is NULL, if it is not a usable ELF file.
 */
struct pd_error *sym_image_open_memory(void *memory, size_t size, struct sym_image **ret,
	struct sym_failure *failure_ret) pd_must_check;

/**
 * Open the ELF file in the @p size bytes at @p offset of @p fd, which is duplicated. @p offset is a
 * multiple of the page size; @p name is used in messages instead of a path.
 */
struct pd_error *sym_image_open_range(int fd, uint64_t offset, uint64_t size, const char *name,
	struct sym_image **ret, struct sym_failure *failure_ret) pd_must_check;

/**
 * Open the same file again. Sections that are decompressed through the new image are freed with it,
 * and do not stay in @p image. *ret is NULL if the file is no longer a usable ELF file. Errors: OS,
 * NOMEM.
 */
struct pd_error *sym_image_reopen(
	const struct sym_image *image, struct sym_image **ret) pd_must_check;

void sym_image_destroy(struct sym_image *image);

/**
 * Take what was read of the file out of memory. It comes back when it is read again, so that other
 * threads may read it meanwhile. @p image may be NULL.
 */
void sym_image_drop(const struct sym_image *image);

/**
 * Return NOMEM if memory ran out while the sections of @p image, which may be NULL, were read, by
 * sym_image_bytes() or by libelf in this thread. They were then treated as absent. Return OS if the
 * file has shrunk: see pdconv/file_guard.h.
 */
struct pd_error *sym_image_check(const struct sym_image *image) pd_must_check;

/** Whether the last call of libelf in this thread that failed was out of memory. Forgets it. */
bool sym_elf_is_out_of_memory(void);

/**
 * Size of the file in bytes, and its time of modification in ns since 1970 (0: not known). Returns
 * false for an image in memory.
 */
bool sym_image_stamp(const struct sym_image *image, uint64_t *size_ret, int64_t *mtime_ns_ret);

/**
 * Return @p size bytes at the file offset @p offset, which live as long as the image. NULL: the
 * file ends before, or memory ran out.
 */
const uint8_t *sym_image_at(const struct sym_image *image, uint64_t offset, uint64_t size);

/** Find the first GNU build id in the ELF notes @p bytes. Returns false if there is none. */
bool sym_build_id_of_notes(const uint8_t *bytes, size_t size, bool swap, struct pd_build_id *ret);

/**
 * Whether code was left out of the file. It is in separate debug files, whose program headers do
 * not describe the file itself.
 */
bool sym_image_lacks_code(const struct sym_image *image);

#endif
