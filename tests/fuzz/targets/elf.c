/* Name the code of any ELF file: by symbols, procedure linkage table and debug information. */
#include "tests/fuzz/elf.h"

void fuzz_target_elf(struct fuzz_input *in)
{
	struct sym_failure failure;
	struct sym_image *image = NULL;
	struct pd_error *err = sym_image_open_memory(fuzz_copy(in), in->size, &image, &failure);

	if (!err && image)
		fuzz_elf_name(image);
	pd_error_destroy(err);
}
