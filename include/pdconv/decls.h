/**
 * @file What encloses the declarations of each public header: they are C in C++ as well, and the
 * only ones that users of the shared library can see.
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
