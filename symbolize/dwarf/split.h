/**
 * @file Split units: entries that the compiler left in .dwo files, or that were packed into a .dwp
 * file. DWARF 5 sections 3.1.2, 3.1.3 and 7.3. Private to symbolize/.
 *
 * The main file has a skeleton of each such unit, with its addresses and lines. Which file has the
 * rest is known by an id; a file with another is never used.
 */
#ifndef PD_SYMBOLIZE_DWARF_SPLIT_H
#define PD_SYMBOLIZE_DWARF_SPLIT_H

#include "symbolize/dwarf/unit.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"
#include "symbolize/find/search.h"

/** A zeroed one is none. */
struct sym_package {
	struct sym_image *image;
	struct sym_debug_sections sections;
	struct sym_section index;
	bool was_searched;
};

/** Where the files may be, and what may still be read of them. */
struct sym_split_search {
	const struct sym_search *search;
	/** Files that a package may lie beside: the binary, its debug file; each may be NULL. */
	const char *paths[2];
	/** Skeletons may all name one file, so the files' sizes are no bound. */
	uint64_t units_left;
	uint64_t inflated_left;
};

struct sym_split_search sym_split_search_init(
	const struct sym_search *search, const char *binary, const char *debug);

/** A split unit, found. A zeroed one is none. */
struct sym_split {
	/** The .dwo file; NULL if it is in a package. */
	struct sym_image *image;
	struct sym_debug_file file;
	/** In file; NULL if it was not found. */
	struct sym_unit *unit;
	/** What was looked for, if that was not found. */
	struct sym_path wanted;
};

/** Look for the package, the first time that this is called. */
struct pd_error *sym_package_find(
	struct sym_package *package, struct sym_split_search *search) pd_must_check;
void sym_package_deinit(struct sym_package *package);

/** Find the unit that @p skeleton stands for, in the package or in a file of its own. */
struct pd_error *sym_split_init(struct sym_split *split, const struct sym_package *package,
	struct sym_split_search *search, const struct sym_unit *skeleton) pd_must_check;
void sym_split_deinit(struct sym_split *split);

#endif
