/**
 * @file Mini debug info: .gnu_debugdata, an ELF file with a symbol table, compressed with xz.
 * Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_MINIDEBUG_H
#define PD_SYMBOLIZE_SYMBOLS_MINIDEBUG_H

#include "symbolize/file/image.h"

/**
 * Open the mini debug info of @p main. *ret is NULL if there is none that is valid. Returns false
 * if there is no memory.
 */
bool sym_minidebug_open(const struct sym_image *main, struct sym_image **ret);

#endif
