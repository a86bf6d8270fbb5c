/**
 * @file Addresses for the code of a relocatable file, a kernel module. Private to symbolize/.
 *
 * Sections of code are placed one after the other, as in the module's memory (kernel/module/main.c,
 * layout_sections), and symbols and debug information are relocated accordingly.
 *
 * libdwfl could relocate, too (dwfl_report_module() with section_address()), and its results are
 * the same for all modules of Debian's kernel 6.1. It is not used because it skips relocations of
 * unknown types without reporting them, so that addresses would be wrong; because libelf before
 * 0.189 cannot decompress zstd; and because it has no limit for relocation tables that damaged
 * files share: 2,000 section headers for the same table of 17 MB take it 22 seconds.
 */
#ifndef PD_SYMBOLIZE_KERNEL_RELOCATE_H
#define PD_SYMBOLIZE_KERNEL_RELOCATE_H

#include "symbolize/file/image.h"

/** Address of the first section of code. */
#define SYM_RELOCATED_BASE UINT64_C(0x100000)

/**
 * Make a file from @p image in which code has addresses and debug sections are decompressed. *ret
 * comes from malloc() and has *size_ret bytes. It is NULL if the image is not a relocatable file,
 * is damaged, or would become too large. Debug information with unknown relocations is left out.
 * Errors: NOMEM.
 */
struct pd_error *sym_relocate(
	const struct sym_image *image, uint8_t **ret, size_t *size_ret) pd_must_check;

#endif
