/* Relocate any ELF file as a kernel module, and name the code of the result. */
#include <stdlib.h>

#include "symbolize/kernel/relocate.h"
#include "tests/fuzz/elf.h"

void fuzz_target_module(struct fuzz_input *in)
{
	struct sym_failure failure;
	struct sym_image *image = NULL, *relocated = NULL;
	uint8_t *bytes = NULL;
	size_t size;
	struct pd_error *err = sym_image_open_memory(fuzz_copy(in), in->size, &image, &failure);

	if (!err && image)
		err = sym_relocate(image, &bytes, &size);
	if (!err && bytes)
		err = sym_image_open_memory(bytes, size, &relocated, &failure);
	if (!err && relocated)
		fuzz_elf_name(relocated);
	sym_image_destroy(image);
	pd_error_destroy(err);
}
