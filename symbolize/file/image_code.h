/**
 * @file Bytes of a file by their address. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FILE_IMAGE_CODE_H
#define PD_SYMBOLIZE_FILE_IMAGE_CODE_H

#include "symbolize/file/image.h"

/**
 * Bytes at @p vaddr, borrowed from the image: up to @p size, *n_ret in number. They come from a
 * section or, in files without sections such as kcore, from a PT_LOAD segment. NULL, and *n_ret is
 * 0, if the file has no bytes there.
 */
const uint8_t *sym_image_code(
	const struct sym_image *image, uint64_t vaddr, size_t size, size_t *n_ret);

#endif
