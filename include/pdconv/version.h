/**
 * @file Version of the library: of these headers, and of the library that a program runs with.
 */
#ifndef PDCONV_VERSION_H
#define PDCONV_VERSION_H

#include <pdconv/decls.h>

PD_DECLS_BEGIN

/* The Makefile reads them here. A new major version has another soname. */
#define PD_VERSION_MAJOR 1
#define PD_VERSION_MINOR 0
#define PD_VERSION_PATCH 0

/** Version of the library, "MAJOR.MINOR.PATCH". Static storage. Thread-safe. */
const char *pd_version(void);

PD_DECLS_END

#endif
