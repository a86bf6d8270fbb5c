/**
 * @file Names of functions of kernel modules, from their .ko files.
 *
 * A module is a relocatable file, often compressed, that the kernel puts somewhere when it is loaded. Its
 * addresses here are offsets from where its code was put.
 */
#ifndef PD_SYMBOLIZE_KERNEL_MODULE_H
#define PD_SYMBOLIZE_KERNEL_MODULE_H

#include "symbolize/names.h"

/** What a recording says of a module. */
struct sym_module_identity {
	/** A path "/lib/modules/RELEASE/.../NAME.ko.xz", or "[NAME]". */
	const char *name;
	struct pd_build_id build_id;
	/** As `uname -r` prints it; NULL if not known. */
	const char *release;
};

struct sym_module;

/**
 * Find the file of a module: one with its build id, or where none was recorded, of its release. Not
 * finding it is no error. @p search is borrowed and outlives the module. Errors: no memory.
 */
struct pd_error *sym_module_open(const struct sym_search *search,
	const struct sym_module_identity *identity, struct sym_module **ret) pd_must_check;
/** NULL is fine. */
void sym_module_destroy(struct sym_module *module);

/** The file in use, or NULL. Borrowed. */
const char *sym_module_path(const struct sym_module *module);
/** The files that were tried, in their order. Borrowed. */
const struct sym_attempt *sym_module_attempts(const struct sym_module *module, size_t *n_ret);
/** When it was not found: why, one line. Borrowed. */
const char *sym_module_why(const struct sym_module *module);

/**
 * Name the @p n @p offsets, bytes from the start of the module's code, as sym_binary_names() does. One
 * call at a time for one module. Errors: no memory.
 */
struct pd_error *sym_module_names(struct sym_module *module, const struct sym_opts *opts,
	const uint64_t *offsets, size_t n, struct pd_arena *arena,
	struct sym_names *ret) pd_must_check;

#endif
