/**
 * @file Symbols of a binary's code, sorted by address. Private to symbolize/.
 *
 * They come from .symtab of the binary or of its debug file, from .dynsym, and from the symbol
 * table that distributions hide, compressed, in .gnu_debugdata ("mini debug info").
 *
 * Addresses are vaddrs of the main file.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_SYMTAB_H
#define PD_SYMBOLIZE_SYMBOLS_SYMTAB_H

#include "base/arena.h"
#include "base/map.h"
#include "symbolize/file/image.h"

struct sym_symbol {
	uint64_t start;
	/** Of a symbol without a size: where the next one starts, or its section ends. */
	uint64_t end;
	/** With its version, if it has one ("memcpy@@GLIBC_2.14"). Borrowed from the file. */
	const char *name;
	/** The symbol before this one that encloses its start, or SYM_NO_SYMBOL. */
	uint32_t outer;
	/** STB_*. */
	uint8_t binding;
	/** The file gives its size. */
	bool is_sized;
};

#define SYM_NO_SYMBOL UINT32_MAX

/** A zeroed one is empty. */
struct sym_symtab {
	struct sym_symbol *symbols;
	size_t n;
	/** From .gnu_debugdata, if that was used; names are borrowed from it. */
	struct sym_image *mini;
};

/** Read the symbols of @p main and @p separate (its debug file, or NULL). */
struct pd_error *sym_symtab_init(struct sym_symtab *symtab, const struct sym_image *main,
	const struct sym_image *separate) pd_must_check;
void sym_symtab_deinit(struct sym_symtab *symtab);

/**
 * The symbol that covers @p addr, or NULL. *hint speeds up ascending addresses: 0 at first, then
 * what the call before left there.
 */
const struct sym_symbol *sym_symtab_find(
	const struct sym_symtab *symtab, uint64_t addr, size_t *hint);

/**
 * The same, with the addresses around @p addr of which the same is true: from *start_ret up to before
 * *end_ret (UINT64_MAX if no symbol is behind).
 */
const struct sym_symbol *sym_symtab_find_extent(const struct sym_symtab *symtab, uint64_t addr,
	size_t *hint, uint64_t *start_ret, uint64_t *end_ret);

#endif
