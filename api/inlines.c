/* The functions that public headers define, as symbols of the library. */
#undef PD_INLINE
#define PD_INLINE extern inline
#include <pdconv/pdconv.h>
