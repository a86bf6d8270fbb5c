/**
 * @file Code of the running kernel and its modules as the recorder copied it from /proc/kcore.
 *
 * `perf record --kcore` keeps it in the recording. In contrast to a vmlinux it has the code that
 * ran: the kernel patches itself at boot (alternatives, static keys, function tracing).
 *
 * Addresses are recorded ones.
 */
#ifndef PD_SYMBOLIZE_KERNEL_KCORE_H
#define PD_SYMBOLIZE_KERNEL_KCORE_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/arch.h"
#include "symbolize/find/file_search.h"

struct sym_kcore;

/** Open the file in search->kernel_dir. *ret is NULL if there is none. Errors: no memory. */
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
