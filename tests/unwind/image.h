/**
 * @file Facts from ELF files: symbols to stop at, executable segments, the build id.
 */
#ifndef PD_TESTS_UNWIND_IMAGE_H
#define PD_TESTS_UNWIND_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>

enum { IMAGE_MAX_SEGMENTS = 16 };

/** A PT_LOAD segment. */
struct image_segment {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t size;
	bool is_exec;
};

struct image {
	uint16_t e_machine;
	/** Address of the first instruction (vaddr). */
	uint64_t entry;
	/** Address of the program headers (vaddr). */
	uint64_t phdrs;
	struct image_segment segments[IMAGE_MAX_SEGMENTS];
	size_t n_segments;
	struct pd_build_id build_id;
};

/** Read @p path. Return false if it is not a readable ELF file. */
bool image_read(const char *path, struct image *ret);

/** Read the vDSO of this process, which stepped processes share. Return false if there is none. */
bool image_read_vdso(struct image *ret);

/** Find the vaddr of the function or variable @p name. Return false if no symbol has that name. */
bool image_symbol(const char *path, const char *name, uint64_t *ret);

#endif
