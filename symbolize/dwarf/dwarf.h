/**
 * @file The DWARF debug information of one binary, and the units that describe its code. Private to
 * symbolize/.
 *
 * Addresses are those of the debug file.
 */
#ifndef PD_SYMBOLIZE_DWARF_DWARF_H
#define PD_SYMBOLIZE_DWARF_DWARF_H

#include "symbolize/dwarf/claims.h"
#include "symbolize/dwarf/extents.h"
#include "symbolize/dwarf/split.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/file/image.h"
#include "symbolize/table/ranges.h"

struct sym_unit_range {
	uint64_t start;
	uint64_t end;
	/** In main.units. */
	uint32_t unit;
};

struct sym_dwarf {
	struct sym_image *image;
	struct sym_debug_file main;
	/** The supplementary file, or NULL. */
	struct sym_image *alt_image;
	struct sym_debug_file alt;
	/** Where split units are looked for, and the package that has been found. */
	struct sym_split_search split_search;
	struct sym_package package;
	/** Bytes of line tables that may still be read. */
	uint64_t line_bytes_left;
	/** Sorted; no two overlap. */
	PD_VEC(struct sym_unit_range) ranges;
};

/** The files of a binary that its debug information is read from. Borrowed: they outlive the sym_dwarf. */
struct sym_dwarf_files {
	const struct sym_search *search;
	/** The file with the debug information: the binary itself, or its separate debug file. */
	const struct sym_image *debug;
	/** Path of the binary, or NULL. */
	const char *binary_path;
};

/**
 * Read @p files and what they refer to; note the further files in @p ranges. Damaged debug information
 * is read as far as it is sound. Errors: no memory.
 */
struct pd_error *sym_dwarf_init(struct sym_dwarf *dwarf, const struct sym_dwarf_files *files,
	struct sym_ranges *ranges) pd_must_check;
void sym_dwarf_deinit(struct sym_dwarf *dwarf);

/**
 * The unit whose code holds @p addr; SYM_NO_UNIT if there is none. Of several it is the first in the file:
 * linkers keep the first of the functions that many units have from one header, and make the debug
 * information of the others point there. @p extent_ret is the code around it
 * of which the same is true; it reaches to UINT64_MAX if there is no unit behind.
 */
uint32_t sym_dwarf_find_unit(
	const struct sym_dwarf *dwarf, uint64_t addr, struct sym_extent *extent_ret);
#define SYM_NO_UNIT UINT32_MAX

#endif
