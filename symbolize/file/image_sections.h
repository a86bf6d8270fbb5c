/**
 * @file Sections of an ELF file, and their contents, decompressed. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_IMAGE_SECTIONS_H
#define PD_SYMBOLIZE_FILE_IMAGE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

struct Elf_Scn;
struct sym_image;

/**
 * Contents of a section, decompressed and in the byte order of the file. Borrowed from the image.
 */
struct sym_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
};

/** Section called @p name, or NULL. ".debug_x" also finds ".zdebug_x". */
struct Elf_Scn *sym_image_scn(const struct sym_image *image, const char *name);

/** Contents of @p scn, decompressed, in the file's byte order. Returns false if it has none. */
bool sym_image_bytes(const struct sym_image *image, struct Elf_Scn *scn, struct sym_section *ret);

/** Contents of the section called @p name. Returns false, and an empty @p ret, if there is none. */
bool sym_image_section(const struct sym_image *image, const char *name, struct sym_section *ret);

/**
 * Code of the file: the section .text with the sections of code next to it, such as .fini and those
 * that a program names itself, and the bytes between them. It ends at PLTs, whose entries are not
 * functions. Returns false, and an empty @p ret, if there is no .text.
 */
bool sym_image_text(const struct sym_image *image, struct sym_section *ret);

/**
 * Section of function descriptors (.opd), which exists in version 1 of the 64-bit PowerPC ABI;
 * empty elsewhere.
 */
struct sym_section sym_image_descriptors(const struct sym_image *image);

/**
 * Address of the code of a function whose symbol has the value @p value. On 64-bit PowerPC the
 * value may be that of an entry in @p descriptors, which are those of the image. On 32-bit ARM its
 * lowest bit is not part of the address but selects the instruction set.
 */
uint64_t sym_image_code_address(
	const struct sym_image *image, const struct sym_section *descriptors, uint64_t value);

/** Whether the file has DWARF debug information, and not only the header of such a section. */
bool sym_image_has_dwarf(const struct sym_image *image);

/** Size of all compressed sections after decompression, according to their headers, in bytes. */
uint64_t sym_image_inflated_size(const struct sym_image *image);

/** Compression algorithms, with the values of ELFCOMPRESS_*. Source: elf(5), the ELF gABI. */
enum { SYM_PACKED_ZLIB = 1, SYM_PACKED_ZSTD = 2 };

/**
 * Decompress @p packed_size bytes at @p packed into @p size bytes, *ret, which are freed with
 * free(). *ret is NULL if they are damaged or have another size. Errors: NOMEM.
 */
struct pd_error *sym_unpack(uint32_t algorithm, const void *packed, size_t packed_size, size_t size,
	void **ret) pd_must_check;

#endif
