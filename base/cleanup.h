/**
 * @file Scope guards.
 *
 * A variable declared with a guard is released when its scope is left, on every path. To transfer
 * ownership, write `return_ptr(x)` or `take_ptr(x)`, which set the variable to NULL.
 */
#ifndef PD_BASE_CLEANUP_H
#define PD_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>

#include "base/system/libc.h"

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void base_cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void base_cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

/** free() at the end of the scope. */
#define _cleanup_free_ _cleanup_(base_cleanup_free)
/** base_close() at the end of the scope; negative descriptors are ignored. */
#define _cleanup_close_ _cleanup_(base_close)
/** fclose() at the end of the scope; NULL is ignored. */
#define _cleanup_fclose_ _cleanup_(base_cleanup_fclose)

/** Take the value of @p p and set @p p to NULL, so that its guard does not release the value. */
#define take_ptr(p) \
	({ \
		__typeof__(p) taken_ = (p); \
		(p) = NULL; \
		taken_; \
	})

#define return_ptr(p) return take_ptr(p)

#endif
