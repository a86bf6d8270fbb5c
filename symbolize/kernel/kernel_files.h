/**
 * @file Files of a kernel: a sym_kernel, and how files are added to it, each after a check
 * that it belongs to the recorded kernel. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_KERNEL_FILES_H
#define PD_SYMBOLIZE_KERNEL_KERNEL_FILES_H

#include <pthread.h>

#include "symbolize/find/binary_archive.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/find/file_search.h"

struct sym_kernel {
	const struct sym_kernel_identity *identity;
	const struct sym_search *search;
	/** Status of the most important failure; SYM_KERNEL_FOUND if a file is in use. */
	enum sym_kernel_status status;
	char *why;
	struct sym_attempts attempts;
	/** Reason why the last file was refused, or NULL. */
	char *last;
	enum sym_kernel_status last_status;
	/** There was no memory for a reason. */
	bool has_failed;
	/** The vmlinux, or NULL. Used by one thread at a time, under the lock. */
	struct sym_binary *vmlinux;
	pthread_mutex_t lock;
	/** Difference between recorded addresses and those of the vmlinux. */
	uint64_t vmlinux_offset;
	/** The kallsyms file, or NULL. */
	struct sym_kallsyms *kallsyms;
	char *kallsyms_path;
	/**
	 * Difference between recorded addresses of the kernel itself and those of the kallsyms
	 * file.
	 */
	uint64_t kallsyms_offset;
};

/** Origin of a file. */
enum sym_kernel_origin {
	SYM_KERNEL_GIVEN,      /**< The user gave its path. */
	SYM_KERNEL_BY_ID,      /**< Its path contains the build id. */
	SYM_KERNEL_BY_RELEASE, /**< The running kernel has the recorded release. */
	SYM_KERNEL_BY_PATH,
};

/** Record why a file was refused. The reason is reported unless a more important one is known. */
void pd_printf(3, 4) sym_kernel_refuse(
	struct sym_kernel *kernel, enum sym_kernel_status status, const char *fmt, ...);

/** Use @p path as the vmlinux if it belongs to the kernel. Errors: NOMEM. */
struct pd_error *sym_kernel_try_vmlinux(
	struct sym_kernel *kernel, const char *path, enum sym_kernel_origin way) pd_must_check;

/** Use @p path as the kallsyms file if it belongs to the kernel. Errors: NOMEM. */
struct pd_error *sym_kernel_try_kallsyms(
	struct sym_kernel *kernel, const char *path, enum sym_kernel_origin way) pd_must_check;

/** Use the kallsyms file of the kernel in @p archive, if there is one. Errors: NOMEM. */
struct pd_error *sym_kernel_try_archive(
	struct sym_kernel *kernel, struct sym_archive *archive) pd_must_check;

/**
 * Whether the running kernel is the recorded one, by its build id or release. Errors: NOMEM.
 */
struct pd_error *sym_kernel_is_running(struct sym_kernel *kernel, bool *ret) pd_must_check;

#endif
