/**
 * @file Names of kernel addresses, from the recorded kernel's vmlinux or from a kallsyms file.
 *
 * A vmlinux has inlined functions, files and lines. The kernel is loaded at a random offset from
 * its addresses, which follows from the recorded address of one symbol. A kallsyms file has
 * functions only, but includes those of modules, and has recorded addresses.
 *
 * A file of another kernel is never used: its build id must be the recorded one or, if none was
 * recorded, the release and the address of the reference symbol must match.
 */
#ifndef PD_SYMBOLIZE_KERNEL_KERNEL_H
#define PD_SYMBOLIZE_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "symbolize/binary_names.h"
#include "symbolize/code_list.h"

/** Recorded facts about the kernel. */
struct sym_kernel_identity {
	/**
	 * Reference symbol, which the kernel's MMAP names: "_text" or "_stext"; "" if there is
	 * none.
	 */
	const char *ref_symbol;
	/** Recorded address of the reference symbol; 0 if it was hidden. */
	uint64_t ref_addr;
	struct pd_build_id build_id;
	/**
	 * Release, as printed by `uname -r`; NULL if it is not known. Used only without a build id.
	 */
	const char *release;
};

/** Options of the search. If a file is given, no other one is tried. */
struct sym_kernel_opts {
	/** Paths of the files to use, or NULL. */
	const char *vmlinux;
	const char *kallsyms;
	/** Do not search for a vmlinux. */
	bool ignore_vmlinux;
	/** Search for kallsyms in addition to a vmlinux, for functions of modules. */
	bool wants_modules;
};

enum sym_kernel_status {
	SYM_KERNEL_FOUND,
	SYM_KERNEL_OTHER,  /**< There are only files of other or unknown kernels. */
	SYM_KERNEL_HIDDEN, /**< Addresses were hidden, when recording or now. */
	SYM_KERNEL_NO_FILE,
};

struct sym_kernel;

/**
 * Search for the files of the kernel @p identity: a vmlinux with its build id, else kallsyms (that
 * of the running kernel last), else a vmlinux of its release. @p search is borrowed and outlives
 * the kernel. If nothing is found, sym_kernel_why() returns the reason. Errors: NOMEM.
 */
struct pd_error *sym_kernel_open(const struct sym_kernel_identity *identity,
	const struct sym_search *search, const struct sym_kernel_opts *opts,
	struct sym_kernel **ret) pd_must_check;
/** @p kernel may be NULL. */
void sym_kernel_destroy(struct sym_kernel *kernel);

enum sym_kernel_status sym_kernel_status(const struct sym_kernel *kernel);
/** Reason why nothing was found, in one line. Borrowed. */
const char *sym_kernel_why(const struct sym_kernel *kernel);
/** Files that were tried, in order. Borrowed. */
const struct sym_attempt *sym_kernel_attempts(const struct sym_kernel *kernel, size_t *n_ret);
/**
 * The vmlinux, borrowed, and the difference between recorded addresses and its own. NULL if none is
 * in use. To be used by one thread at a time.
 */
struct sym_binary *sym_kernel_vmlinux(const struct sym_kernel *kernel, uint64_t *offset_ret);
/**
 * Find the function of the kallsyms file that contains @p addr: the recorded addresses
 * [*start_ret, *end_ret). Returns false if there is none.
 */
bool sym_kernel_kallsyms_extent(
	const struct sym_kernel *kernel, uint64_t addr, uint64_t *start_ret, uint64_t *end_ret);
/** Files in use, or NULL. Borrowed. */
const char *sym_kernel_vmlinux_path(const struct sym_kernel *kernel);
const char *sym_kernel_kallsyms_path(const struct sym_kernel *kernel);

/**
 * Name the @p n recorded addresses @p addrs like sym_binary_names(). Thread-safe. Errors: NOMEM.
 */
struct pd_error *sym_kernel_names(struct sym_kernel *kernel, const struct pd_name_opts *opts,
	const uint64_t *addrs, size_t n, struct base_arena *arena,
	struct sym_names *ret) pd_must_check;

/**
 * List the code of the functions that contain the @p n recorded addresses @p addrs, ascending, like
 * sym_binary_list_code(). Empty without a vmlinux. Thread-safe. Errors: NOMEM.
 */
struct pd_error *sym_kernel_list_code(struct sym_kernel *kernel, const uint64_t *addrs, size_t n,
	struct sym_code_list *ret) pd_must_check;

#endif
