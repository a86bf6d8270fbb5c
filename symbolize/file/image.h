/**
 * @file One ELF file, safely opened and mapped. Private to symbolize/.
 *
 * The one place where symbolize/ opens files. Only regular files are opened: a name comes from a
 * recording or from a binary, and may as well be that of a device or a pipe.
 */
#ifndef PD_SYMBOLIZE_FILE_IMAGE_H
#define PD_SYMBOLIZE_FILE_IMAGE_H

#include <gelf.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "symbolize/file/section.h"
#include "symbolize/file/status.h"

/** A section that was compressed. */
struct sym_unpacked_section {
	size_t index;
	/** NULL: it could not be unpacked. */
	void *bytes;
	size_t size;
};

struct sym_unpacked {
	PD_VEC(struct sym_unpacked_section) list;
};

struct sym_image {
	/** NULL for an image that was no file. */
	char *path;
	int fd;
	Elf *elf;
	/** Bytes of an image in memory that belong to it; NULL if they do not, or it is a file. */
	void *memory;
	/** The part of another file that it is; range NULL: it is none. */
	void *range;
	size_t range_size;
	uint64_t range_offset;
	/** What was compressed in it, as it was asked for. Owned. */
	struct sym_unpacked *unpacked;
	struct pd_build_id build_id;
	GElf_Ehdr ehdr;
	/** Its byte order is not this machine's. */
	bool swap;
	/** Address of the first PT_LOAD; 0 if it has none. */
	uint64_t first_vaddr;
};

/**
 * A descriptor of the regular file @p path, read-only; negative, with @p failure_ret, if there is
 * none that can be read.
 */
int sym_open_regular(const char *path, struct sym_failure *failure_ret);

/** Open @p path. *ret is NULL, and @p failure_ret says why, if it is no usable ELF file. */
struct pd_error *sym_image_open(
	const char *path, struct sym_image **ret, struct sym_failure *failure_ret) pd_must_check;

/** The same of an open file, which belongs to the image from now on, and is known as @p path. */
struct pd_error *sym_image_open_fd(int fd, const char *path, struct sym_image **ret,
	struct sym_failure *failure_ret) pd_must_check;

/**
 * An image of @p size bytes at @p memory (malloc), which belongs to the image, or is freed if there
 * is none (*ret is NULL: they are no ELF file).
 */
struct pd_error *sym_image_open_memory(void *memory, size_t size, struct sym_image **ret,
	struct sym_failure *failure_ret) pd_must_check;

/**
 * An image of the @p size bytes at @p offset of the open file @p fd, which is borrowed for the call.
 * @p offset is a multiple of the page size; @p name stands for a path.
 */
struct pd_error *sym_image_open_range(int fd, uint64_t offset, size_t size, const char *name,
	struct sym_image **ret, struct sym_failure *failure_ret) pd_must_check;

/**
 * The same file, opened once more: what is unpacked through one does not stay in the other. NULL if
 * there is no memory.
 */
struct sym_image *sym_image_reopen(const struct sym_image *image);

void sym_image_destroy(struct sym_image *image);

/** Its size in bytes, and when it was written, in ns since 1970 (0: not known). False: it is no file. */
bool sym_image_stamp(const struct sym_image *image, uint64_t *size_ret, int64_t *mtime_ns_ret);

/** The first GNU build id among the notes @p bytes; false if there is none. */
bool sym_build_id_of_notes(const uint8_t *bytes, size_t size, bool swap, struct pd_build_id *ret);

/** The section @p name, or NULL. ".debug_x" finds ".zdebug_x" too. */
Elf_Scn *sym_image_scn(const struct sym_image *image, const char *name);

/** Bytes of @p scn, uncompressed and in the file's byte order; false if it has none. */
bool sym_image_bytes(const struct sym_image *image, Elf_Scn *scn, struct sym_section *ret);

/** Both in one; false leaves @p ret empty. */
bool sym_image_section(const struct sym_image *image, const char *name, struct sym_section *ret);

/**
 * The section of function descriptors, which version 1 of the 64-bit PowerPC ABI has; empty
 * elsewhere.
 */
struct sym_section sym_image_descriptors(const struct sym_image *image);

/**
 * Where the code of a function is whose symbol has the value @p value: of @p descriptors, those of
 * the image, an entry may tell. On 32-bit ARM a bit of it tells the instruction set.
 */
uint64_t sym_image_code_address(
	const struct sym_image *image, const struct sym_section *descriptors, uint64_t value);

/** Whether its code was left out, as in separate debug files, whose segments do not tell the truth. */
bool sym_image_lacks_code(const struct sym_image *image);

/** Whether it has DWARF debug information (and not only the section's header). */
bool sym_image_has_dwarf(const struct sym_image *image);

/** Bytes that its compressed sections claim to hold. */
uint64_t sym_image_inflated_size(const struct sym_image *image);

#endif
