/**
 * @file The DWARF debug information of one file, and the units that describe its code. Private to
 * symbolize/.
 *
 * Large structures are read here, sequentially and in place; single attributes are read through
 * libdw. libdw would open files that the debug information names, among them pipes: split units are
 * never asked for, and a supplementary file (dwz) is opened here.
 *
 * Addresses are those of the debug file.
 */
#ifndef PD_SYMBOLIZE_DWARF_FILE_H
#define PD_SYMBOLIZE_DWARF_FILE_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "symbolize/dwarf_claims.h"
#include "symbolize/image.h"

struct sym_dwarf_unit {
	Dwarf_Die die;
};

struct sym_unit_range {
	uint64_t start;
	uint64_t end;
	/** The highest end up to this range, in the order of starts. */
	uint64_t max_end;
	uint32_t unit;
};

struct sym_dwarf {
	struct sym_image *image;
	Dwarf *dw;
	/** Supplementary file: how it is called, borrowed from the image; the file; each may be NULL. */
	const char *alt_name;
	struct sym_image *alt_image;
	Dwarf *alt;
	struct sym_section info;
	struct sym_section abbrev;
	struct sym_section line;
	struct sym_section line_str;
	struct sym_section str;
	/** Bytes of line tables that may still be read. */
	uint64_t line_bytes_left;

	struct sym_dwarf_unit *units;
	size_t n_units;
	/** Sorted by start. */
	struct sym_unit_range *ranges;
	size_t n_ranges;
};

/** Read @p image, searching for what else it needs as @p search says. Damaged: an empty one. */
struct pd_error *sym_dwarf_init(struct sym_dwarf *dwarf, const struct sym_image *image,
	const struct sym_search *search) pd_must_check;
void sym_dwarf_deinit(struct sym_dwarf *dwarf);

/**
 * The unit whose code holds @p addr; SYM_NO_UNIT if there is none. @p extent_ret is the code around it
 * of which the same is true; it reaches to UINT64_MAX if there is no unit behind.
 */
uint32_t sym_dwarf_find_unit(
	const struct sym_dwarf *dwarf, uint64_t addr, struct sym_extent *extent_ret);
#define SYM_NO_UNIT UINT32_MAX

/** The attribute @p name of @p die itself; false if it has none that can be followed. */
bool sym_dwarf_attr(
	const struct sym_dwarf *dwarf, Dwarf_Die *die, unsigned name, Dwarf_Attribute *ret);

/** Its value as text, or NULL. Borrowed from the file. */
const char *sym_dwarf_text(const struct sym_dwarf *dwarf, Dwarf_Die *die, unsigned name);

/** Its value as a number, or @p otherwise. */
uint64_t sym_dwarf_number(
	const struct sym_dwarf *dwarf, Dwarf_Die *die, unsigned name, uint64_t otherwise);

#endif
