/**
 * @file A section of an ELF file, in memory.
 */
#ifndef PD_SYMBOLIZE_FILE_SECTION_H
#define PD_SYMBOLIZE_FILE_SECTION_H

#include <stddef.h>
#include <stdint.h>

/**
 * Contents of a section, decompressed and in the byte order of the file. Borrowed from the image.
 */
struct sym_section {
	const uint8_t *data;
	size_t size;
	uint64_t vaddr;
};

#endif
