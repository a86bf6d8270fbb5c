/**
 * @file Path of a kernel module, by its recorded name. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_MODULE_PATH_H
#define PD_SYMBOLIZE_KERNEL_MODULE_PATH_H

#include "symbolize/file/path.h"
#include "symbolize/find/search.h"

/**
 * Find the path of the module with the recorded @p name, which is a path, or "[NAME]". The path of
 * the latter is in modules.dep of @p release, or else "/NAME.ko". *ret is "" if @p name is not that
 * of a module. Errors: no memory.
 */
struct pd_error *sym_module_find_path(const struct sym_search *search, const char *name,
	const char *release, struct sym_path *ret) pd_must_check;

#endif
