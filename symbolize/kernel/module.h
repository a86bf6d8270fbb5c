/**
 * @file Names of functions in kernel modules, from their .ko files.
 *
 * A module is a relocatable file, often compressed, that the kernel loads at any address. Addresses
 * here are offsets from the start of its code.
 */
#ifndef PD_SYMBOLIZE_KERNEL_MODULE_H
#define PD_SYMBOLIZE_KERNEL_MODULE_H

#include "symbolize/binary_names.h"

/** Recorded facts about a module. */
struct sym_module_identity {
	/** Path "/lib/modules/RELEASE/.../NAME.ko.xz", or "[NAME]". */
	const char *name;
	struct pd_build_id build_id;
	/** Release, as printed by `uname -r`; NULL if it is not known. */
	const char *release;
};

struct sym_module;

/**
 * Search for the file of a module: one with its build id or, if none was recorded, of its release.
 * If nothing is found, sym_module_why() returns the reason. @p search is borrowed and outlives the
 * module. Errors: NOMEM.
 */
struct pd_error *sym_module_open(const struct sym_search *search,
	const struct sym_module_identity *identity, struct sym_module **ret) pd_must_check;
/** @p module may be NULL. */
void sym_module_destroy(struct sym_module *module);

/** File in use, or NULL. Borrowed. */
const char *sym_module_path(const struct sym_module *module);
/** Files that were tried, in order. Borrowed. */
const struct sym_attempt *sym_module_attempts(const struct sym_module *module, size_t *n_ret);
/** Reason why no file was found, in one line. Borrowed. */
const char *sym_module_why(const struct sym_module *module);

/**
 * The file as a binary, borrowed, and the address in it of the start of the module's code. NULL if
 * no file was found. To be used by one thread at a time.
 */
struct sym_binary *sym_module_binary(const struct sym_module *module, uint64_t *start_ret);

/**
 * Name the @p n addresses @p offsets, in bytes from the start of the module's code, like
 * sym_binary_names(). One call at a time for one module. Errors: NOMEM.
 */
struct pd_error *sym_module_names(struct sym_module *module, const struct pd_name_opts *opts,
	const uint64_t *offsets, size_t n, struct base_arena *arena,
	struct sym_names *ret) pd_must_check;

#endif
