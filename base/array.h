/**
 * @file Array lengths, and structs that contain a member.
 */
#ifndef PD_BASE_ARRAY_H
#define PD_BASE_ARRAY_H

#include <stddef.h>

/** Number of elements of @p array, which must be an array, not a pointer. A constant expression. */
#define PD_ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/** Pointer to the struct of type @p type whose member @p member is at @p ptr. */
#define pd_container_of(ptr, type, member) ((type *)((const char *)(ptr)-offsetof(type, member)))

#endif
