/**
 * @file Macros that enclose the declarations of each public header. They give them C linkage in C++
 * and export them from the shared library, where all other symbols are hidden.
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

#endif
