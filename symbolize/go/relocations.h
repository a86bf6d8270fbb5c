/**
 * @file Relative relocations of position-independent files. Private to symbolize/go/.
 *
 * With RELA the linker stores an address only in the relocation, and leaves the section zero.
 */
#ifndef PD_SYMBOLIZE_GO_RELOCATIONS_H
#define PD_SYMBOLIZE_GO_RELOCATIONS_H

#include <stdbool.h>

#include <pdconv/vec.h>

#include "symbolize/file/image.h"

/** Whether a relocation changes the @p size bytes at @p vaddr. */
bool sym_go_is_relocated(const struct sym_image *image, uint64_t vaddr, size_t size);

/** Apply relocations to @p bytes, a copy of the @p size bytes at @p vaddr. */
void sym_go_relocate(const struct sym_image *image, uint64_t vaddr, uint8_t *bytes, size_t size);

/**
 * Find the places that hold the address @p value after relocation: at most @p max of them are
 * written to @p ret. Returns their number.
 */
size_t sym_go_find_relocated(
	const struct sym_image *image, uint64_t value, uint64_t *ret, size_t max);

#endif
