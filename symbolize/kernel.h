/**
 * @file Names of kernel addresses, from a kallsyms file.
 *
 * /proc/kallsyms describes the kernel that runs here, which is the recorded one only when its build
 * id (/sys/kernel/notes) and the address of the recorded reference symbol are the same.
 */
#ifndef PD_SYMBOLIZE_KERNEL_H
#define PD_SYMBOLIZE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

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

enum sym_kernel_status {
	SYM_KERNEL_FOUND,
	SYM_KERNEL_OTHER,  /**< This machine runs another kernel. */
	SYM_KERNEL_HIDDEN, /**< kallsyms shows no addresses here. */
	SYM_KERNEL_NO_FILE,
};

struct sym_kernel;

/**
 * Read @p kallsyms_path if it describes the kernel @p identity; NULL means /proc/kallsyms. For a
 * path that the user gave only the reference symbol is checked. Errors: no memory.
 */
struct pd_error *sym_kernel_open(const struct sym_kernel_identity *identity,
	const char *kallsyms_path, struct sym_kernel **ret) pd_must_check;
void sym_kernel_destroy(struct sym_kernel *kernel);

enum sym_kernel_status sym_kernel_status(const struct sym_kernel *kernel);
/** When it was not found: why, one line. Borrowed. */
const char *sym_kernel_why(const struct sym_kernel *kernel);

struct sym_kernel_symbol {
	const char *name;
	/** Module, without brackets; NULL for the kernel itself. */
	const char *module;
	uint64_t start;
};

/** The text symbol that covers @p addr; false if there is none. Borrowed from the kernel. */
bool sym_kernel_find(const struct sym_kernel *kernel, uint64_t addr, struct sym_kernel_symbol *ret);

#endif
