/**
 * @file What the recorder reads in ELF files: where to stop, what is executable, the build id.
 */
#ifndef PD_TESTS_UNWIND_IMAGE_H
#define PD_TESTS_UNWIND_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>

enum { IMAGE_MAX_SEGMENTS = 16 };

/** A PT_LOAD. */
struct image_segment {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t size;
	bool is_exec;
};

struct image {
	uint16_t e_machine;
	/** Of the first instruction, vaddr. */
	uint64_t entry;
	/** Of the program headers, vaddr. */
	uint64_t phdrs;
	struct image_segment segments[IMAGE_MAX_SEGMENTS];
	size_t n_segments;
	struct pd_build_id build_id;
};

/** False if @p path is no ELF file that can be read. */
bool image_read(const char *path, struct image *ret);

/** The kernel's own page in this process, which is the same in those that it steps; false: none. */
bool image_read_vdso(struct image *ret);

/** The vaddr that the function or variable @p name begins at; false if there is no such symbol. */
bool image_symbol(const char *path, const char *name, uint64_t *ret);

#endif
