/**
 * @file Names for entries of the procedure linkage table: "NAME@plt", from the code of the entries.
 * Private to symbolize/.
 *
 * An entry jumps to the address in a slot of the global offset table, and a relocation of the slot
 * names the symbol or, of an indirect function, the resolver. Therefore it does not matter in which
 * order and in which sections the linker put the entries.
 *
 * Addresses are virtual addresses of the main file.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_PLT_H
#define PD_SYMBOLIZE_SYMBOLS_PLT_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "base/containers/map.h"
#include "symbolize/file/image.h"
#include "symbolize/symbols/symtab.h"

struct sym_plt_entry {
	uint64_t start;
	uint64_t end;
	/** Name of the symbol, borrowed from the file. */
	const char *name;
};

/** Entries of a binary. Zero-initialized it is empty. */
struct sym_plt {
	/** Address of a slot -> name of the symbol. Names are borrowed from the files. */
	struct base_map slots;
	/** Names by index of the relocation in .rel(a).plt. */
	PD_VEC(const char *) numbered;
	/** Sorted by address. */
	PD_VEC(struct sym_plt_entry) entries;
	bool is_read;
};

void sym_plt_deinit(struct sym_plt *plt);

/**
 * Find the entry of @p main that contains @p addr. @p code has the symbols of its code, by which
 * indirect functions are named. ret->name is "NAME@plt", from @p arena, or NULL if there is
 * no entry or it was not understood. The result is the same from ret->start up to ret->end. Errors:
 * NOMEM.
 */
struct pd_error *sym_plt_find(struct sym_plt *plt, const struct sym_image *main,
	const struct sym_symtab *code, uint64_t addr, struct base_arena *arena,
	struct sym_symbol *ret) pd_must_check;

#endif
