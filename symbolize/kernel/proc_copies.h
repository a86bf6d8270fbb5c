/**
 * @file Copies of files in /proc that a recorder makes: of /proc/modules, with the addresses of a
 * kernel's modules, and of /proc/kcore, with the code of the running kernel and its modules.
 *
 * A line of /proc/modules is "NAME SIZE USERS DEPENDENCIES STATE 0xADDRESS". Source:
 * kernel/module/procfs.c of Linux.
 *
 * `perf record --kcore` keeps kcore in the recording. In contrast to a vmlinux it has the code that
 * ran: the kernel patches itself at boot (alternatives, static keys, function tracing). Addresses
 * are recorded ones.
 */
#ifndef PD_SYMBOLIZE_KERNEL_PROC_COPIES_H
#define PD_SYMBOLIZE_KERNEL_PROC_COPIES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/arch.h"
#include "symbolize/file/access.h"
#include "symbolize/find/file_search.h"

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
 * Read @p path. Errors: PD_ERROR_OS; PD_ERROR_FORMAT if it has no addresses; NOMEM.
 */
struct pd_error *sym_modules_file_read(
	const char *path, struct sym_access access, struct sym_loaded_modules *ret) pd_must_check;
void sym_loaded_modules_deinit(struct sym_loaded_modules *modules);

struct sym_kcore;

/** Open the file in search->kernel_dir. *ret is NULL if there is none. Errors: NOMEM. */
struct pd_error *sym_kcore_open(
	const struct sym_search *search, struct sym_kcore **ret) pd_must_check;
/** @p kcore may be NULL. */
void sym_kcore_destroy(struct sym_kcore *kcore);

/** Path of the file. Borrowed. */
const char *sym_kcore_path(const struct sym_kcore *kcore);
/** Architecture in its ELF header; NULL if it is not supported. */
const struct pd_arch *sym_kcore_arch(const struct sym_kcore *kcore);
/** Bytes at @p addr, like sym_binary_code(). */
const uint8_t *sym_kcore_code(
	const struct sym_kcore *kcore, uint64_t addr, size_t size, size_t *n_ret);

#endif
