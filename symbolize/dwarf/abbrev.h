/**
 * @file Layout of debugging information entries: unit headers, abbreviations, attribute forms.
 * DWARF 5 section 7.5. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_ABBREV_H
#define PD_SYMBOLIZE_DWARF_ABBREV_H

#include <pdconv/cursor.h>
#include <pdconv/vec.h>

#include "symbolize/file/section.h"

/** How numbers are laid out in a unit. */
struct sym_encoding {
	bool swap;
	uint8_t version;
	/** In bytes. */
	uint8_t addr_size;
	uint8_t offset_size;
};

struct sym_unit_header {
	struct sym_encoding encoding;
	/** DW_UT_*; before version 5 all are DW_UT_compile. */
	uint8_t type;
	/** In .debug_info. */
	uint64_t offset;
	uint64_t end;
	/** Of the header, in bytes. */
	uint64_t size;
	uint64_t abbrev_offset;
	/** Of skeletons and split units of version 5, else 0. */
	uint64_t dwo_id;
};

/**
 * Read the header of the unit at @p offset of .debug_info. False: damaged, or of a kind that is not
 * known; ret->end is where the next one begins, or 0 if that cannot be told.
 */
bool sym_unit_header_read(
	const struct sym_section *info, uint64_t offset, bool swap, struct sym_unit_header *ret);

struct sym_attr_spec {
	uint16_t name;
	uint16_t form;
	/** Of DW_FORM_implicit_const; 0 if it does not fit. */
	uint32_t constant;
};

struct sym_abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	bool has_sibling;
	/** In sym_abbrevs.specs. */
	uint32_t first_spec;
	uint32_t n_specs;
	/** Bytes of all attributes, if that is always the same, else -1. */
	int32_t fixed_size;
};

struct sym_abbrevs {
	PD_VEC(struct sym_abbrev) list;
	PD_VEC(struct sym_attr_spec) specs;
	/** Entry i has the code i + 1. */
	bool is_dense;
};

/**
 * Read the abbreviations of @p unit up to the one with the code @p last (0: all). Damaged: those up to
 * there. False if there is no memory.
 */
bool sym_abbrevs_init(struct sym_abbrevs *abbrevs, const struct sym_section *section,
	const struct sym_unit_header *unit, uint64_t last);
void sym_abbrevs_deinit(struct sym_abbrevs *abbrevs);

/** NULL if there is none. */
const struct sym_abbrev *sym_abbrevs_find(const struct sym_abbrevs *abbrevs, uint64_t code);

/** Move past a value of @p form; an unknown form overruns the cursor. */
void sym_skip_form(struct pd_cursor *c, uint64_t form, const struct sym_encoding *encoding);

/** Whether a value of @p form is an unsigned LEB128 number. */
bool sym_form_is_leb(uint64_t form);

/** Bytes of a value of @p form, or -1 if that differs from value to value. */
int sym_form_size(uint64_t form, const struct sym_encoding *encoding);

#endif
