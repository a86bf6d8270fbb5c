/**
 * @file Names of kernel addresses: from the recorded kernel's vmlinux, or from a kallsyms file.
 *
 * A vmlinux has inlined functions, files and lines. The kernel runs where chance has put it: recorded
 * addresses are those of the vmlinux and an offset, which the recorded address of one symbol tells.
 * A kallsyms file has functions only, but those of modules too, and recorded addresses as they are.
 *
 * A file of another kernel is never used: its build id has to be the recorded one, or where none was
 * recorded the release, and the reference symbol must be where it was.
 */
#ifndef PD_SYMBOLIZE_KERNEL_KERNEL_H
#define PD_SYMBOLIZE_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "symbolize/names.h"

/** What a recording says of its kernel. */
struct sym_kernel_identity {
	/** The symbol that the kernel's MMAP names: "_text" or "_stext"; "" if none. */
	const char *ref_symbol;
	/** Its address when it was recorded; 0 if hidden. */
	uint64_t ref_addr;
	struct pd_build_id build_id;
	/** As `uname -r` prints it; NULL if not known. Asked only where there is no build id. */
	const char *release;
};

/** What the user says. A file that is given is the only one that is tried. */
struct sym_kernel_opts {
	/** Paths, or NULL. */
	const char *vmlinux;
	const char *kallsyms;
	/** Look for no vmlinux. */
	bool ignore_vmlinux;
	/** kallsyms is wanted beside a vmlinux, for functions of modules. */
	bool wants_modules;
};

enum sym_kernel_status {
	SYM_KERNEL_FOUND,
	SYM_KERNEL_OTHER,  /**< There are only files of other kernels, or of who knows which. */
	SYM_KERNEL_HIDDEN, /**< Addresses were hidden, when it was recorded or are now. */
	SYM_KERNEL_NO_FILE,
};

struct sym_kernel;

/**
 * Find what the kernel @p identity has its names from: a vmlinux with that build id, else kallsyms, the
 * running kernel's last, else a vmlinux of that release. @p search (borrowed, outlives the kernel) is
 * where to look. Not finding any is no error. Errors: no memory.
 */
struct pd_error *sym_kernel_open(const struct sym_kernel_identity *identity,
	const struct sym_search *search, const struct sym_kernel_opts *opts,
	struct sym_kernel **ret) pd_must_check;
/** NULL is fine. */
void sym_kernel_destroy(struct sym_kernel *kernel);

enum sym_kernel_status sym_kernel_status(const struct sym_kernel *kernel);
/** When it was not found: why, one line. Borrowed. */
const char *sym_kernel_why(const struct sym_kernel *kernel);
/** The files that were tried, in their order. Borrowed. */
const struct sym_attempt *sym_kernel_attempts(const struct sym_kernel *kernel, size_t *n_ret);
/** The files in use, or NULL. Borrowed. */
const char *sym_kernel_vmlinux_path(const struct sym_kernel *kernel);
const char *sym_kernel_kallsyms_path(const struct sym_kernel *kernel);

/**
 * Name the @p n recorded addresses @p addrs as sym_binary_names() does. From any thread. Errors: no
 * memory.
 */
struct pd_error *sym_kernel_names(struct sym_kernel *kernel, const struct sym_opts *opts,
	const uint64_t *addrs, size_t n, struct pd_arena *arena,
	struct sym_names *ret) pd_must_check;

#endif
