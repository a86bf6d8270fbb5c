/**
 * @file Program headers of an image, also of a debug file whose binary is not here, and bytes by
 * their address. Private to symbolize/.
 *
 * The program headers of a debug file say where the segments are in memory. `objcopy
 * --only-keep-debug` replaces their offsets and sizes in the file, `eu-strip` keeps those of the
 * binary.
 */
#ifndef PD_SYMBOLIZE_FILE_IMAGE_SEGMENTS_H
#define PD_SYMBOLIZE_FILE_IMAGE_SEGMENTS_H

#include "symbolize/file/image.h"

/**
 * Read program header @p i of the binary. Offsets that a debug file lacks are those at which
 * linkers put the segments. Returns false if @p i is out of range.
 */
bool sym_image_phdr(const struct sym_image *image, size_t i, GElf_Phdr *ret);

/**
 * Find the executable segment of a debug file that the mapping of the @p size bytes from @p offset
 * of its binary on shows, by the sizes of mapping and segments, or else by offset. *ret has the
 * offset that the mapping shows. Returns false if the mapping fits no segment.
 */
bool sym_image_mapped_phdr(
	const struct sym_image *image, uint64_t offset, uint64_t size, GElf_Phdr *ret);

/**
 * Bytes at @p vaddr, borrowed from the image: up to @p size, *n_ret in number. They come from a
 * section or, in files without sections such as kcore, from a PT_LOAD segment. NULL, and *n_ret is
 * 0, if the file has no bytes there.
 */
const uint8_t *sym_image_code(
	const struct sym_image *image, uint64_t vaddr, size_t size, size_t *n_ret);

#endif
