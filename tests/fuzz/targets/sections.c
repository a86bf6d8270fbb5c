/*
 * Name the code of an ELF file with sections of any contents, which may be compressed. Input: the
 * sections, as fuzz_elf_take_sections() takes them. So changes meet symbols and DWARF, not headers.
 */
#include "tests/fuzz/elf.h"

void fuzz_target_sections(struct fuzz_input *in)
{
	struct fuzz_section sections[FUZZ_MAX_TAKEN];
	struct sym_failure failure;
	struct sym_image *image = NULL;
	size_t size, n = fuzz_elf_take_sections(in, sections);
	uint8_t *bytes = fuzz_elf_make(sections, n, &size);
	struct pd_error *err = sym_image_open_memory(bytes, size, &image, &failure);

	if (!err && image)
		fuzz_elf_name(image);
	pd_error_destroy(err);
}
