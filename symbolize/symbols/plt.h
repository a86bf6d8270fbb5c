/**
 * @file Names for entries of the procedure linkage table: "NAME@plt", from what an entry loads.
 * Private to symbolize/.
 *
 * An entry jumps to what a slot of the global offset table holds, and a relocation tells which symbol
 * that will be. So entries need not be counted, and it does not matter in which order the linker put
 * them, or which sections they are in.
 *
 * Addresses are vaddrs of the main file.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_PLT_H
#define PD_SYMBOLIZE_SYMBOLS_PLT_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "base/map.h"
#include "symbolize/file/image.h"
#include "symbolize/symbols/symtab.h"

/** Code that may be an entry. */
struct sym_plt_code {
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;
	/** Instructions are not in this machine's byte order. */
	bool swap;
	/** What code finds the table by: its address, or the register's value on PowerPC. */
	uint64_t got;
};

/** What an entry jumps to. */
struct sym_plt_jump {
	/** Address of the slot; or where is_number, the place of its relocation in .rel(a).plt. */
	uint64_t slot;
	bool is_number;
	/** Bytes of the entry that were looked at. */
	size_t size;
};

/** How entries look on a machine. */
struct sym_plt_machine {
	uint16_t machine;
	/** Entries begin at multiples of this, counted from the section's start (0: of its entry size). */
	uint8_t step;
	/** No entry is longer. */
	uint8_t max_size;
	/** They are stubs among other code, and as long as what was looked at. */
	bool is_in_text;
	/** Whether there is an entry at the start of @p code. */
	bool (*match)(const struct sym_plt_code *code, struct sym_plt_jump *ret);
};

/** NULL if it is not known. @p machine is EM_*. */
const struct sym_plt_machine *sym_plt_machine(uint16_t machine);

struct sym_plt_entry {
	uint64_t start;
	uint64_t end;
	/** Of the symbol, borrowed from the file. */
	const char *name;
};

/** A zeroed one is empty. */
struct sym_plt {
	/** Address of a slot -> name. */
	struct pd_map slots;
	/** Number of a relocation of .rel(a).plt -> name. */
	PD_VEC(const char *) numbered;
	/** Ascending. */
	PD_VEC(struct sym_plt_entry) entries;
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
