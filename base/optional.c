#include "base/optional.h"

#ifdef PD_STATIC

/* dlopen() needs the very C library that the program was linked with. */
bool base_load_library(const char *soname, const char *const *names, size_t n, void **functions)
{
	(void)soname;
	(void)names;
	(void)n;
	(void)functions;
	return false;
}

#else

#include <dlfcn.h>

/* Release the message about what failed: the second call finds that the first one returned it. */
static void forget_message(void)
{
	dlerror();
	dlerror();
}

bool base_load_library(const char *soname, const char *const *names, size_t n, void **functions)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		forget_message();
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		functions[i] = dlsym(library, names[i]);
		if (!functions[i]) {
			forget_message();
			return false;
		}
	}
	return true;
}

#endif
