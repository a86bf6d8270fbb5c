/**
 * @file Mini debug info: .gnu_debugdata, an ELF file with a symbol table, compressed with xz.
 * Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_MINIDEBUG_H
#define PD_SYMBOLIZE_SYMBOLS_MINIDEBUG_H

#include "symbolize/file/image.h"

/** *ret is NULL if @p main has none that is sound. False if there is no memory. */
bool sym_minidebug_open(const struct sym_image *main, struct sym_image **ret);

#endif
