/**
 * @file Formatting into allocated memory.
 */
#ifndef PD_BASE_FORMAT_H
#define PD_BASE_FORMAT_H

#include <stdarg.h>

#include <pdconv/error.h>

/** Format a text as printf() does. Allocated; NULL: no memory. */
char *base_format(const char *fmt, ...) pd_must_check pd_printf(1, 2);
char *base_vformat(const char *fmt, va_list args) pd_must_check pd_printf(1, 0);

#endif
