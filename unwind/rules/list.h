/**
 * @file Constant lists: a pointer with the number of elements.
 */
#ifndef PD_UNWIND_LIST_H
#define PD_UNWIND_LIST_H

#include <stddef.h>

#include "base/array.h"

/** List of constant elements of type @p type, borrowed. */
#define UNW_LIST(type) \
	struct { \
		const type *data; \
		size_t n; \
	}

/** Initializer of a list: the elements of @p array. */
#define UNW_LIST_OF(array) \
	{ \
		.data = (array), .n = PD_ARRAY_LEN(array) \
	}

#endif
