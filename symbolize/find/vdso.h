/**
 * @file The vdso of this machine, which the kernel maps into every process.
 */
#ifndef PD_SYMBOLIZE_FIND_VDSO_H
#define PD_SYMBOLIZE_FIND_VDSO_H

#include <stddef.h>

/** Name of this machine's vdso in place of a path. */
#define SYM_OWN_VDSO "this machine's vdso"

/** The ELF file of the vdso, mapped for as long as this process lives. NULL: there is none. */
const void *sym_own_vdso(size_t *size_ret);

#endif
