/**
 * @file Giving addresses to a relocatable file: a kernel module, as if it were loaded. Private to
 * symbolize/.
 *
 * Its sections of code are put one behind the other, as the kernel puts them into the module's memory
 * (kernel/module/main.c, layout_sections); symbols and debug information are made to agree with that.
 */
#ifndef PD_SYMBOLIZE_KERNEL_RELOCATE_H
#define PD_SYMBOLIZE_KERNEL_RELOCATE_H

#include "symbolize/file/image.h"

/** Where the first section of code is put. */
#define SYM_RELOCATED_BASE UINT64_C(0x100000)

/**
 * The file of @p image with addresses in it, and with its debug sections uncompressed: at *ret
 * (malloc), *size_ret bytes. NULL if it is no file that can be treated so, is damaged, or unpacks to
 * too much. Debug information with relocations that are not known here is left out. Errors: no memory.
 */
struct pd_error *sym_relocate(
	const struct sym_image *image, uint8_t **ret, size_t *size_ret) pd_must_check;

#endif
