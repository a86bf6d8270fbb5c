/**
 * @file This machine. In a browser, for example, pdconv is nowhere: no recording can have been made
 * here, and no file such as /proc/kallsyms says anything about one.
 */
#ifndef PD_BASE_MACHINE_H
#define PD_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

/** Get the names of the machine and its kernel, as uname(2). False: it is nowhere. */
bool base_machine_here(struct utsname *ret);

/** Processors that this process may use, at least 1. */
size_t base_machine_n_processors(void);

/**
 * The ELF file of the vdso of this process, mapped for as long as it lives. The kernel has another
 * one for processes of the other word size. NULL: there is none.
 */
const void *base_machine_vdso(size_t *size_ret);

#endif
