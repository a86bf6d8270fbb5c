/**
 * @file Macros that enclose the declarations of each public header. They give them C linkage in C++
 * and export them from the shared library, where all other symbols are hidden. How functions of
 * headers are declared, and the initializer of structs of options are here, too, because C and C++
 * write them differently.
 */
#ifndef PDCONV_DECLS_H
#define PDCONV_DECLS_H

#ifdef __cplusplus
#define PD_DECLS_BEGIN \
	_Pragma("GCC visibility push(default)") extern "C" \
	{
#define PD_DECLS_END \
	} \
	_Pragma("GCC visibility pop")
#else
#define PD_DECLS_BEGIN _Pragma("GCC visibility push(default)")
#define PD_DECLS_END _Pragma("GCC visibility pop")
#endif

/**
 * Functions that headers define. The shared library exports them as well, for programs in languages
 * that do not read the headers.
 */
#ifndef PD_INLINE
#define PD_INLINE inline
#endif

/** Initializer of structs of options: every member is zero, which is its default. */
#ifdef __cplusplus
#define PD_DEFAULTS \
	{ \
	}
#else
#define PD_DEFAULTS \
	{ \
		0 \
	}
#endif

#endif
