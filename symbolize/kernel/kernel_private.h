/**
 * @file What a sym_kernel holds, and how it takes in files. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_KERNEL_PRIVATE_H
#define PD_SYMBOLIZE_KERNEL_KERNEL_PRIVATE_H

#include <pthread.h>

#include "symbolize/find/archive.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/find/attempts.h"

struct sym_kernel {
	const struct sym_kernel_identity *identity;
	const struct sym_search *search;
	/** Of the failure that tells most; found if a file is in use. */
	enum sym_kernel_status status;
	char *why;
	struct sym_attempts attempts;
	/** What was wrong with the last file that was tried, or NULL. */
	char *last;
	enum sym_kernel_status last_status;
	/** Or NULL. One thread at a time asks it. */
	struct sym_binary *vmlinux;
	pthread_mutex_t lock;
	/** Recorded addresses are those of the vmlinux and this. */
	uint64_t vmlinux_offset;
	/** Or NULL. */
	struct sym_kallsyms *kallsyms;
	char *kallsyms_path;
	/** Recorded addresses of the kernel itself are those in kallsyms and this. */
	uint64_t kallsyms_offset;
};

/** How a file was come by. */
enum sym_kernel_origin {
	SYM_KERNEL_GIVEN,      /**< The user named it. */
	SYM_KERNEL_BY_ID,      /**< It was where files are by build id. */
	SYM_KERNEL_BY_RELEASE, /**< It is that of the kernel that runs here, and so is the release. */
	SYM_KERNEL_BY_PATH,
};

/** Note why a file was not used, unless something that tells more was noted before. */
void pd_printf(3, 4) sym_kernel_refuse(
	struct sym_kernel *kernel, enum sym_kernel_status status, const char *fmt, ...);

/** Use @p path as the vmlinux if it is the kernel's. */
struct pd_error *sym_kernel_try_vmlinux(
	struct sym_kernel *kernel, const char *path, enum sym_kernel_origin way) pd_must_check;

/** Use @p path as the kallsyms file if it is the kernel's. */
struct pd_error *sym_kernel_try_kallsyms(
	struct sym_kernel *kernel, const char *path, enum sym_kernel_origin way) pd_must_check;

/** Use the kallsyms file of the kernel that is in @p archive, if there is one. */
struct pd_error *sym_kernel_try_archive(
	struct sym_kernel *kernel, struct sym_archive *archive) pd_must_check;

/** Whether the kernel that runs here is the recorded one, as far as its build id and release tell. */
struct pd_error *sym_kernel_is_running(struct sym_kernel *kernel, bool *ret) pd_must_check;

#endif
