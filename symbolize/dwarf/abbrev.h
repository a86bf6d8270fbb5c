/**
 * @file Layout of debugging information entries: unit headers, abbreviations, attribute forms.
 * DWARF 5 section 7.5. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_ABBREV_H
#define PD_SYMBOLIZE_DWARF_ABBREV_H

#include <pdconv/cursor.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"
#include "symbolize/file/image_sections.h"

/** Sizes and byte order of numbers in a unit. */
struct sym_encoding {
	bool swap;
	uint8_t version;
	/** Sizes of addresses and of offsets, in bytes. */
	uint8_t addr_size;
	uint8_t offset_size;
};

struct sym_unit_header {
	struct sym_encoding encoding;
	/** Unit type, DW_UT_*. Before version 5 all units are DW_UT_compile. */
	uint8_t type;
	/** Start and end of the unit in .debug_info. */
	uint64_t offset;
	uint64_t end;
	/** Size of the header in bytes. */
	uint64_t size;
	uint64_t abbrev_offset;
	/** Id of a skeleton or split unit of version 5; else 0. */
	uint64_t dwo_id;
};

/**
 * Read the header of the unit at @p offset of .debug_info. Returns false if it is damaged or of an
 * unknown kind; ret->end is then the offset of the next unit, or 0 if that is not known.
 */
bool sym_unit_header_read(
	const struct sym_section *info, uint64_t offset, bool swap, struct sym_unit_header *ret);

struct sym_attr_spec {
	uint16_t name;
	uint16_t form;
	/** Value of DW_FORM_implicit_const; 0 if it has more than 32 bits. */
	uint32_t constant;
};

struct sym_abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	bool has_sibling;
	/** Index in sym_abbrevs.specs. */
	uint32_t first_spec;
	uint32_t n_specs;
	/** Size of all attributes in bytes, or -1 if it is not constant. */
	int32_t fixed_size;
};

/** Table of abbreviations, as far as it was read. */
struct sym_abbrevs {
	PD_VEC(struct sym_abbrev) list;
	PD_VEC(struct sym_attr_spec) specs;
	/** Whether list[i] has the code i + 1 for all i. */
	bool is_dense;
	/** Index in list by code, if the table is not dense. */
	struct base_map by_code;
	struct sym_encoding encoding;
	/** Bytes that were not read; none at the end of the table. */
	struct pd_cursor rest;
};

/** Start to read the abbreviations of @p unit. */
struct sym_abbrevs sym_abbrevs_init(
	const struct sym_section *section, const struct sym_unit_header *unit);
void sym_abbrevs_deinit(struct sym_abbrevs *abbrevs);

/**
 * Read on up to the abbreviation with the code @p last, or to the end of the table if that is 0.
 * Reading stops where the table is damaged, and when *left, the number of abbreviations and
 * attributes that may still be read, is 0. Returns false if memory ran out.
 */
bool sym_abbrevs_read(struct sym_abbrevs *abbrevs, uint64_t last, uint64_t *left);

/** Find the abbreviation with the code @p code, or NULL. */
const struct sym_abbrev *sym_abbrevs_find(const struct sym_abbrevs *abbrevs, uint64_t code);

/** Skip a value of @p form. An unknown form overruns the cursor. */
void sym_skip_form(struct pd_cursor *c, uint64_t form, const struct sym_encoding *encoding);

/** Whether values of @p form are unsigned LEB128 numbers. */
bool sym_form_is_leb(uint64_t form);

/** Size of values of @p form in bytes, or -1 if it is not constant. */
int sym_form_size(uint64_t form, const struct sym_encoding *encoding);

#endif
