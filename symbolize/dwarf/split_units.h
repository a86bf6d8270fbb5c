/**
 * @file Split units: entries that the compiler left in .dwo files, or that were packed into a .dwp
 * file. DWARF 5 sections 3.1.2, 3.1.3 and 7.3. Private to symbolize/.
 *
 * The main file has a skeleton of each such unit, with its addresses and lines. An id identifies
 * the rest of the unit; a file with another id is never used.
 */
#ifndef PD_SYMBOLIZE_DWARF_SPLIT_UNITS_H
#define PD_SYMBOLIZE_DWARF_SPLIT_UNITS_H

#include "symbolize/dwarf/unit.h"
#include "symbolize/file/image.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/file/path.h"
#include "symbolize/find/file_search.h"

struct sym_dwarf_files;

/** Package of split units. Zero-initialized it is empty. */
struct sym_package {
	struct sym_image *image;
	struct sym_debug_sections sections;
	struct sym_section index;
	bool was_searched;
};

/** Where to search for files with split units, and how much may still be read of them. */
struct sym_split_search {
	const struct sym_search *search;
	/**
	 * Paths of the binary and its debug file, next to which a package may be. Each may be NULL.
	 */
	const char *paths[2];
	/** Recorded path of the binary. */
	const char *recorded_path;
	/**
	 * Remaining units and decompressed bytes. All skeletons may name one file, so the sizes of
	 * files do not limit them.
	 */
	uint64_t units_left;
	uint64_t inflated_left;
};

struct sym_split_search sym_split_search_init(const struct sym_dwarf_files *files);

/** Split unit. Zero-initialized it was not found. */
struct sym_split {
	/** Image of the .dwo file; NULL if the unit is in a package. */
	struct sym_image *image;
	struct sym_debug_file file;
	/** Unit in file; NULL if it was not found. */
	struct sym_unit *unit;
	/** Path that was searched for, if the unit was not found. */
	struct sym_path wanted;
};

/** Search for the package, on the first call only. Errors: NOMEM. */
struct pd_error *sym_package_find(
	struct sym_package *package, struct sym_split_search *search) pd_must_check;
void sym_package_deinit(struct sym_package *package);

/**
 * Find the unit that belongs to @p skeleton, in the package or in a .dwo file. Errors: NOMEM.
 */
struct pd_error *sym_split_init(struct sym_split *split, const struct sym_package *package,
	struct sym_split_search *search, const struct sym_unit *skeleton) pd_must_check;
void sym_split_deinit(struct sym_split *split);

#endif
