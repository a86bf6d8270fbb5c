/**
 * @file Symbols of a binary's code, sorted by address. Private to symbolize/.
 *
 * They come from .symtab of the binary or of its debug file, from .dynsym, and from the symbol
 * table that distributions hide, compressed, in .gnu_debugdata ("mini debug info").
 *
 * Addresses are vaddrs of the main file.
 */
#ifndef PD_SYMBOLIZE_SYMTAB_H
#define PD_SYMBOLIZE_SYMTAB_H

#include "base/arena.h"
#include "base/map.h"
#include "symbolize/image.h"

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

/**
 * Of names at one address the best comes first. The order is perf's: a sized symbol, one that is
 * not weak, a global one, the fewest leading underscores, the longest name. That picks "malloc"
 * over "__libc_malloc".
 */
int sym_compare_aliases(const struct sym_symbol *a, const struct sym_symbol *b);

/** Names for entries of the procedure linkage table (x86-64), from the relocations they use. */
struct sym_plt {
	/** Address of a slot of the global offset table -> name. */
	struct pd_map slots;
	/** Numbers of .rela.plt -> name. */
	const char **by_number;
	size_t n_by_number;
	struct {
		struct sym_section bytes;
		uint64_t entry_size;
	} sections[3];
	bool is_read;
};

void sym_plt_deinit(struct sym_plt *plt);

/**
 * "NAME@plt" (from @p arena) of the entry that holds @p addr; its name is NULL if there is none, or it
 * is not understood. From ret->start up to before ret->end the same is true.
 */
struct pd_error *sym_plt_find(struct sym_plt *plt, const struct sym_image *main, uint64_t addr,
	struct pd_arena *arena, struct sym_symbol *ret) pd_must_check;

#endif
