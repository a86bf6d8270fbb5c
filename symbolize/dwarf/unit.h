/**
 * @file Units of debugging information: the sections of a file, and its units. DWARF 5 sections 3.1
 * and 7.5.1. Private to symbolize/.
 *
 * Sections are read in place. Damaged information is treated as missing.
 */
#ifndef PD_SYMBOLIZE_DWARF_UNIT_H
#define PD_SYMBOLIZE_DWARF_UNIT_H

#include <dwarf.h>

#include "base/containers/map.h"
#include "symbolize/dwarf/abbrev.h"
#include "symbolize/dwarf/entry.h"
#include "symbolize/file/image.h"
#include "symbolize/file/image_sections.h"

/** Debug sections of a file. Sections that it does not have are empty. */
struct sym_debug_sections {
	struct sym_section info;
	struct sym_section abbrev;
	struct sym_section str;
	struct sym_section line_str;
	struct sym_section str_offsets;
	struct sym_section addr;
	struct sym_section line;
	/** Range lists up to version 4, and from version 5 on. */
	struct sym_section ranges;
	struct sym_section rnglists;
};

struct sym_debug_file;
struct sym_containers;

struct sym_unit {
	struct sym_unit_header header;
	struct sym_debug_file *file;
	/**
	 * All abbreviations of the unit, on first use; NULL before that. Borrowed from the file.
	 */
	const struct sym_abbrevs *abbrevs;
	/** Namespaces and types of the unit, on first use. Owned. */
	struct sym_containers *containers;
	/**
	 * Skeleton of a split unit, in the main file, which has the addresses and lines; else NULL.
	 */
	const struct sym_unit *skeleton;

	/** Attributes of the unit's own entry. Texts are borrowed, and NULL if they are missing. */
	uint16_t tag;
	uint16_t language;
	uint64_t low_pc;
	bool has_low_pc;
	struct sym_attr high_pc;
	struct sym_attr ranges;
	/** Offsets of the unit's parts of sections whose elements are addressed by index. */
	uint64_t addr_base;
	uint64_t str_offsets_base;
	uint64_t rnglists_base;
	/** Base of offsets into .debug_ranges; not 0 only in GNU split units of version 4. */
	uint64_t ranges_base;
	/** Offset in .debug_line; UINT64_MAX if the unit has no line table. */
	uint64_t line_offset;
	const char *comp_dir;
	/** File with the rest of a skeleton unit, and the id that it must have. */
	const char *dwo_name;
	uint64_t dwo_id;
};

/** File with debugging information. */
struct sym_debug_file {
	struct sym_debug_sections sections;
	/** The byte order of the file differs from this machine's. */
	bool swap;
	/** Names of its sections end in ".dwo". */
	bool is_split;
	/** Memory ran out in a function that cannot return an error. */
	bool nomem;
	/** Supplementary file, borrowed, or NULL. */
	struct sym_debug_file *supplement;
	/** Units, ascending by offset, and their maximum number (0: no limit). */
	uint64_t max_units;
	PD_VEC(struct sym_unit) units;
	/** Tables of abbreviations by offset and encoding: struct sym_abbrevs *, owned. */
	struct base_map abbrevs;
	/** Size of these tables: the number of their attributes, and a share for each table. */
	size_t n_specs;
	/** Abbreviations and attributes that may still be read. */
	uint64_t specs_left;
	/** Bytes of lists of ranges that may still be read. */
	uint64_t list_bytes_left;
};

/**
 * Find the debug sections of @p image: those whose names end in ".dwo" if @p is_split is set, else
 * the others.
 */
void sym_debug_sections_find(
	struct sym_debug_sections *sections, const struct sym_image *image, bool is_split);

/**
 * Find the sections of @p image and list its units. The image outlives the file. Errors: NOMEM.
 */
struct pd_error *sym_debug_file_init(
	struct sym_debug_file *file, const struct sym_image *image) pd_must_check;

/** List the units of a file whose sections are set. Errors: NOMEM. */
struct pd_error *sym_debug_file_list(struct sym_debug_file *file) pd_must_check;
void sym_debug_file_deinit(struct sym_debug_file *file);

/** Drop the abbreviations if there are too many of them. */
void sym_debug_file_trim(struct sym_debug_file *file);

/** Find the unit that contains the entry at @p offset, or NULL. */
struct sym_unit *sym_debug_file_unit(struct sym_debug_file *file, uint64_t offset);

/**
 * Get all abbreviations of @p unit. Returns NULL if there are too many, or no memory (file->nomem).
 */
const struct sym_abbrevs *sym_unit_abbrevs(struct sym_unit *unit);

#endif
