/**
 * @file Symbol tables of an ELF file, as they are in the file. Private to symbolize/.
 *
 * Some distributions leave only mini debug info in a stripped file: .gnu_debugdata, an ELF file
 * with a symbol table, compressed with xz.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_ELF_SYMBOLS_H
#define PD_SYMBOLIZE_SYMBOLS_ELF_SYMBOLS_H

#include "symbolize/file/image.h"

struct sym_elf_symbols {
	Elf_Data *symbols;
	size_t n;
	/** Names; the last byte is a NUL, so that each of them ends. */
	const char *strings;
	size_t strings_size;
};

/**
 * Open the first table of @p image with the section type @p type (SHT_SYMTAB or SHT_DYNSYM).
 * Borrowed from the image. Returns false if there is none that can be read.
 */
bool sym_elf_symbols_open(
	const struct sym_image *image, unsigned type, struct sym_elf_symbols *ret);

/** Read symbol @p i and its name. Returns false if it is invalid. */
static inline bool sym_elf_symbols_get(
	const struct sym_elf_symbols *table, size_t i, GElf_Sym *ret, const char **name_ret)
{
	if (i >= table->n || i > INT32_MAX || !gelf_getsym(table->symbols, (int)i, ret) ||
		ret->st_name >= table->strings_size)
		return false;
	*name_ret = table->strings + ret->st_name;
	return true;
}

/**
 * Open the mini debug info of @p main. *ret is NULL if there is none that is valid. Returns false
 * if there is no memory.
 */
bool sym_minidebug_open(const struct sym_image *main, struct sym_image **ret);

#endif
