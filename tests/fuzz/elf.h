/**
 * @file ELF files made of sections that come from an input.
 */
#ifndef PD_TESTS_FUZZ_ELF_H
#define PD_TESTS_FUZZ_ELF_H

#include "symbolize/file/image.h"
#include "tests/fuzz/fuzz.h"

/** Vaddrs of the code, [FUZZ_TEXT, FUZZ_TEXT_END), in a file that fuzz_elf_make() makes. */
enum { FUZZ_TEXT = 0x1000, FUZZ_TEXT_END = 0x1400 };

struct fuzz_section {
	const char *name;
	/** SHT_* and SHF_*. */
	uint32_t type;
	uint64_t flags;
	uint64_t vaddr;
	/** Name of the section in sh_link; NULL: none. */
	const char *link;
	struct fuzz_input bytes;
};

/**
 * Make a shared library for x86-64 with the @p n sections @p sections, at most 64, and .text. It
 * comes from malloc() and has *@p size_ret bytes.
 */
uint8_t *fuzz_elf_make(const struct fuzz_section *sections, size_t n, size_t *size_ret);

/** Put @p code, as much of it as fits, into a file that fuzz_elf_make() made. The rest stays 0. */
void fuzz_elf_put_code(uint8_t *file, const struct fuzz_input *code);

/** Largest number of sections that are taken from an input. */
enum { FUZZ_MAX_TAKEN = 32 };

/**
 * Take sections from @p in, up to its end: any number of times the number of a row in
 * tests/fuzz/section_defs.h, with the highest bit for SHF_COMPRESSED, and a piece with its
 * contents, borrowed. Returns their number; @p ret has FUZZ_MAX_TAKEN elements.
 */
size_t fuzz_elf_take_sections(struct fuzz_input *in, struct fuzz_section *ret);

/** Name addresses in all code of @p image, which is freed, and the variables at these addresses. */
void fuzz_elf_name(struct sym_image *image);

#endif
