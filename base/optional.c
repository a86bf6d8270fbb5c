#include "base/optional.h"

#include <dlfcn.h>

bool pd_load_library(const char *soname, const char *const *names, size_t n, void **functions)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	for (size_t i = 0; i < n; i++) {
		functions[i] = dlsym(library, names[i]);
		if (!functions[i])
			return false;
	}
	return true;
}
