/**
 * @file Arrays: their lengths and memory; structs that contain a member.
 */
#ifndef PD_BASE_ARRAY_H
#define PD_BASE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/** Number of elements of @p array, which must be an array, not a pointer. A constant expression. */
#define PD_ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/**
 * Allocate zeroed memory for @p n elements of @p size bytes, and for one more: calloc() may return
 * NULL for a size of 0, which is not a failure. NULL: memory ran out. Free with free().
 */
static inline void *base_calloc_n(size_t n, size_t size)
{
	return calloc(n + 1, size);
}

/** Pointer to the struct of type @p type whose member @p member is at @p ptr. */
#define base_container_of(ptr, type, member) ((type *)((const char *)(ptr)-offsetof(type, member)))

#endif
