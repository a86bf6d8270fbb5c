/**
 * @file Units of debugging information: the sections of a file, and its units. DWARF 5 sections 3.1 and
 * 7.5.1. Private to symbolize/.
 *
 * Everything is read in place. Damaged information is like none.
 */
#ifndef PD_SYMBOLIZE_DWARF_UNIT_H
#define PD_SYMBOLIZE_DWARF_UNIT_H

#include <dwarf.h>

#include "base/map.h"
#include "symbolize/dwarf/abbrev.h"
#include "symbolize/dwarf/entry.h"
#include "symbolize/file/image.h"

/** The sections of a file; those that it does not have are empty. */
struct sym_debug_sections {
	struct sym_section info;
	struct sym_section abbrev;
	struct sym_section str;
	struct sym_section line_str;
	struct sym_section str_offsets;
	struct sym_section addr;
	struct sym_section line;
	/** Up to version 4, and from 5 on. */
	struct sym_section ranges;
	struct sym_section rnglists;
};

struct sym_debug_file;
struct sym_containers;

struct sym_unit {
	struct sym_unit_header header;
	struct sym_debug_file *file;
	/** All of them, when they were asked for; NULL before. Borrowed from the file. */
	const struct sym_abbrevs *abbrevs;
	/** Made when it is needed; owned. */
	struct sym_containers *containers;
	/** The unit that stands for this one in the main file, which has addresses and lines; or NULL. */
	const struct sym_unit *skeleton;

	/** From the unit's own entry; texts are borrowed, and NULL if they are not there. */
	uint16_t tag;
	uint16_t language;
	uint64_t low_pc;
	bool has_low_pc;
	struct sym_attr high_pc;
	struct sym_attr ranges;
	/** Of its parts in the sections that are reached by index. */
	uint64_t addr_base;
	uint64_t str_offsets_base;
	uint64_t rnglists_base;
	/** In .debug_ranges; not 0 in GNU's split units of version 4. */
	uint64_t ranges_base;
	/** In .debug_line; UINT64_MAX if it has no lines. */
	uint64_t line_offset;
	const char *comp_dir;
	/** Of skeletons: the file with the rest, and the id that it must have. */
	const char *dwo_name;
	uint64_t dwo_id;
};

/** A file with debugging information, opened. */
struct sym_debug_file {
	struct sym_debug_sections sections;
	/** The file's byte order is not this machine's. */
	bool swap;
	/** Its sections' names end in ".dwo". */
	bool is_split;
	/** There was no memory for something that was asked for. */
	bool nomem;
	/** The supplementary file, or NULL. Borrowed. */
	struct sym_debug_file *supplement;
	/** Ascending by offset; no more than this, if that is not 0. */
	uint64_t max_units;
	PD_VEC(struct sym_unit) units;
	/** Offset in .debug_abbrev -> struct sym_abbrevs *, owned. */
	struct pd_map abbrevs;
	size_t n_specs;
	/** Attributes of abbreviations that have been read to list the units. */
	uint64_t n_root_specs;
};

/** Find the sections of @p image, those whose names end in ".dwo" if @p is_split. */
void sym_debug_sections_find(
	struct sym_debug_sections *sections, const struct sym_image *image, bool is_split);

/** Find the sections of @p image and list its units. The image outlives the file. */
struct pd_error *sym_debug_file_init(
	struct sym_debug_file *file, const struct sym_image *image) pd_must_check;

/** List the units of a file whose sections are given. */
struct pd_error *sym_debug_file_list(struct sym_debug_file *file) pd_must_check;
void sym_debug_file_deinit(struct sym_debug_file *file);

/** Forget abbreviations if they have become many. */
void sym_debug_file_trim(struct sym_debug_file *file);

/** The unit that holds the entry at @p offset, or NULL. */
struct sym_unit *sym_debug_file_unit(struct sym_debug_file *file, uint64_t offset);

/** All abbreviations of @p unit; NULL if there are too many, or no memory (file->nomem). */
const struct sym_abbrevs *sym_unit_abbrevs(struct sym_unit *unit);

#endif
