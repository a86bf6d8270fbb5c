#include "base/libarchive.h"

#include <pthread.h>
#include <stddef.h>

#include "base/array.h"
#include "base/optional.h"

#ifdef PD_STATIC

const struct pd_libarchive *pd_libarchive(void)
{
	static const struct pd_libarchive functions = {
#define MEMBER(name) .name = name,
		PD_LIBARCHIVE_FUNCTIONS(MEMBER)
#undef MEMBER
	};

	return &functions;
}

#else

const struct pd_libarchive *pd_libarchive(void)
{
	static const char *const names[] = {
#define NAME(name) #name,
		PD_LIBARCHIVE_FUNCTIONS(NAME)
#undef NAME
	};
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct pd_libarchive functions;
	static bool is_loaded;

	_Static_assert(sizeof(functions) == sizeof(names), "a pointer for each name");
	pthread_mutex_lock(&lock);
	if (!is_loaded)
		is_loaded = pd_load_library(
			"libarchive.so.13", names, PD_ARRAY_LEN(names), (void **)&functions);
	pthread_mutex_unlock(&lock);
	return is_loaded ? &functions : NULL;
}

#endif
