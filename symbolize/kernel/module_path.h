/**
 * @file Which file a kernel module is. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_KERNEL_MODULE_PATH_H
#define PD_SYMBOLIZE_KERNEL_MODULE_PATH_H

#include "symbolize/file/path.h"
#include "symbolize/find/search.h"

/**
 * The path of the module that a recording calls @p name: a path, which it is itself, or "[NAME]", which
 * modules.dep of @p release knows; without that, "/NAME.ko". "" if @p name is no module's name.
 */
struct pd_error *sym_module_find_path(const struct sym_search *search, const char *name,
	const char *release, struct sym_path *ret) pd_must_check;

#endif
