/**
 * @file Symbols of a binary's code, or of its data, sorted by address. Private to symbolize/.
 *
 * They come from .symtab of the binary or its debug file, from .dynsym, and from the compressed
 * symbol table in .gnu_debugdata ("mini debug info") that distributions add.
 *
 * Addresses are virtual addresses of the main file.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_SYMTAB_H
#define PD_SYMBOLIZE_SYMBOLS_SYMTAB_H

#include "base/arena.h"
#include "base/containers/map.h"
#include "symbolize/file/image.h"

struct sym_symbol {
	uint64_t start;
	/**
	 * End address. For a symbol without a size, the start of the next one or the end of its
	 * section.
	 */
	uint64_t end;
	/** Name, including a symbol version ("memcpy@@GLIBC_2.14"). Borrowed from the file. */
	const char *name;
	/** Index of an earlier symbol that contains the start of this one, or SYM_NO_SYMBOL. */
	uint32_t outer;
	/** Binding, STB_*. */
	uint8_t binding;
	/** Whether the symbol table has a size for it. */
	bool is_sized : 1;
	/** Whether it is in .dynsym. */
	bool is_exported : 1;
	/** Whether it is an object (STT_OBJECT) instead of a function. */
	bool is_object : 1;
	/** Whether it is an indirect function (STT_GNU_IFUNC), at the address of its resolver. */
	bool is_indirect : 1;
};

#define SYM_NO_SYMBOL UINT32_MAX

/** Symbols of a binary. Zero-initialized it is empty. */
struct sym_symtab {
	struct sym_symbol *symbols;
	size_t n;
	/** Languages of the binary, by the symbols that it defines and refers to. */
	uint32_t languages;
	/** Image of .gnu_debugdata, from which names are borrowed; NULL if it was not used. */
	struct sym_image *mini;
};

/**
 * Read the symbols of code of @p main and of its debug file @p separate, which may be NULL. Errors:
 * NOMEM.
 */
struct pd_error *sym_symtab_init(struct sym_symtab *symtab, const struct sym_image *main,
	const struct sym_image *separate) pd_must_check;
/**
 * Like sym_symtab_init(), but read the symbols of objects (STT_OBJECT) outside of executable
 * sections. Thread-local objects are left out, because their symbols hold offsets, not addresses.
 */
struct pd_error *sym_symtab_init_data(struct sym_symtab *symtab, const struct sym_image *main,
	const struct sym_image *separate) pd_must_check;
void sym_symtab_deinit(struct sym_symtab *symtab);

/**
 * Find the symbol that covers @p addr, or NULL. *hint speeds up lookups in ascending order: it is 0
 * at first, then the value that the previous call left.
 */
const struct sym_symbol *sym_symtab_find(
	const struct sym_symtab *symtab, uint64_t addr, size_t *hint);

/**
 * Like sym_symtab_find(), with the range around @p addr for which the result is the same: from
 * *start_ret up to *end_ret, which is UINT64_MAX if no symbol follows.
 */
const struct sym_symbol *sym_symtab_find_extent(const struct sym_symtab *symtab, uint64_t addr,
	size_t *hint, uint64_t *start_ret, uint64_t *end_ret);

#endif
