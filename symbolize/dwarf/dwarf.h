/**
 * @file DWARF debug information of one binary, and an index of the units that describe its code.
 * Private to symbolize/.
 *
 * Addresses are those of the debug file.
 */
#ifndef PD_SYMBOLIZE_DWARF_DWARF_H
#define PD_SYMBOLIZE_DWARF_DWARF_H

#include "symbolize/dwarf/claims.h"
#include "symbolize/dwarf/extents.h"
#include "symbolize/dwarf/split_units.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/file/image.h"
#include "symbolize/table/ranges.h"

struct sym_unit_range {
	uint64_t start;
	uint64_t end;
	/** Index in main.units. */
	uint32_t unit;
};

struct sym_dwarf {
	struct sym_image *image;
	struct sym_debug_file main;
	/** Supplementary file, or NULL. */
	struct sym_image *alt_image;
	struct sym_debug_file alt;
	/** Where to search for split units, and the package of them, if found. */
	struct sym_split_search split_search;
	struct sym_package package;
	/** Remaining bytes of line tables that may be read. */
	uint64_t line_bytes_left;
	/**
	 * Executable sections, or executable segments of a file without sections. Debug information
	 * of code that begins elsewhere describes functions that the linker has removed. Many of
	 * them begin at 0, which can be in an executable segment, because that may also contain the
	 * file's headers.
	 */
	struct sym_extents code;
	/** Sorted, without overlaps. */
	PD_VEC(struct sym_unit_range) ranges;
	/**
	 * Indexes in ranges by unit, then by address, and the first of each unit in them. NULL
	 * until sym_dwarf_next_own() is called.
	 */
	uint32_t *by_unit;
	uint32_t *first_of_unit;
};

/** Files from which the debug information of a binary is read. Borrowed: outlive the sym_dwarf. */
struct sym_dwarf_files {
	const struct sym_search *search;
	/** File with the debug information: the binary itself, or its separate debug file. */
	const struct sym_image *debug;
	/** Path of the binary, or NULL. */
	const char *binary_path;
	/** Recorded path of the binary. The binary may have been found elsewhere. */
	const char *recorded_path;
};

/**
 * Read the debug information of @p files, and add the further files that it refers to, to @p
 * ranges. Damaged parts are left out. Errors: NOMEM.
 */
struct pd_error *sym_dwarf_init(struct sym_dwarf *dwarf, const struct sym_dwarf_files *files,
	struct sym_ranges *ranges) pd_must_check;
/**
 * Find the supplementary file (dwz) that the debug information in @p debug refers to.
 * @p recorded_path is that of the binary. *ret is NULL if there is none, or if it is not found.
 * Errors: NOMEM.
 */
struct pd_error *sym_dwarf_supplement(const struct sym_image *debug,
	const struct sym_search *search, const char *recorded_path,
	struct sym_image **ret) pd_must_check;
/** Check the files like sym_image_check(). */
struct pd_error *sym_dwarf_check(const struct sym_dwarf *dwarf) pd_must_check;
void sym_dwarf_deinit(struct sym_dwarf *dwarf);

/**
 * Find the unit whose code contains @p addr, or SYM_NO_UNIT. If several units claim it, the first
 * one is right: of functions that many units have from one header, linkers keep the first, and make
 * the debug information of the others point there. *extent_ret is the range around @p addr for
 * which the result is the same; its end is UINT64_MAX if no unit follows.
 */
uint32_t sym_dwarf_find_unit(
	const struct sym_dwarf *dwarf, uint64_t addr, struct sym_extent *extent_ret);
#define SYM_NO_UNIT UINT32_MAX

/**
 * Find the first range of @p unit that ends after @p addr. *extent_ret is [UINT64_MAX, UINT64_MAX)
 * if there is none. Functions may claim the code of any number of other units, so these are skipped
 * at once. Errors: NOMEM.
 */
struct pd_error *sym_dwarf_next_own(struct sym_dwarf *dwarf, uint32_t unit, uint64_t addr,
	struct sym_extent *extent_ret) pd_must_check;

#endif
