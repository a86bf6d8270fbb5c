/**
 * @file A copy of /proc/modules, with the addresses of a kernel's modules.
 *
 * A line is "NAME SIZE USERS DEPENDENCIES STATE 0xADDRESS". Source: kernel/module/procfs.c of
 * Linux.
 */
#ifndef PD_SYMBOLIZE_KERNEL_LOADED_MODULES_H
#define PD_SYMBOLIZE_KERNEL_LOADED_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "symbolize/file/open_file.h"

struct sym_loaded_module {
	/** Name as in recordings: "[NAME]". */
	char *name;
	/** Recorded address, and size in bytes. */
	uint64_t start;
	uint64_t size;
};

struct sym_loaded_modules {
	struct sym_loaded_module *list;
	size_t n;
};

/**
 * Read @p path. Errors: PD_ERROR_OS; PD_ERROR_FORMAT if it has no addresses; no memory.
 */
struct pd_error *sym_modules_file_read(
	const char *path, struct sym_access access, struct sym_loaded_modules *ret) pd_must_check;
void sym_loaded_modules_deinit(struct sym_loaded_modules *modules);

#endif
