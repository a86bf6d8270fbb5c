/**
 * @file Debugging information entries and their attributes. DWARF 5 sections 2.2 and 7.5.4 to
 * 7.5.6. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_ENTRY_H
#define PD_SYMBOLIZE_DWARF_ENTRY_H

#include "symbolize/dwarf/abbrev.h"
#include "symbolize/file/image_sections.h"

struct sym_unit;

/** Attribute of an entry. */
struct sym_attr {
	uint16_t name;
	/** DW_FORM_*; 0 if the entry has no such attribute. */
	uint16_t form;
	/** Number, offset or index; 0 for a block. */
	uint64_t value;
	/** Text of DW_FORM_string. */
	const char *text;
};

/** Entry, with a cursor over its attributes. */
struct sym_entry {
	struct sym_unit *unit;
	/** Offset in .debug_info. */
	uint64_t offset;
	const struct sym_abbrev *abbrev;
	const struct sym_attr_spec *specs;
	uint32_t next;
	struct pd_cursor c;
};

/** Start reading the entry at @p offset. Returns false if there is none. */
bool sym_entry_init(struct sym_entry *entry, struct sym_unit *unit, uint64_t offset);

/** Read the next attribute of the entry. Returns false after the last one. */
bool sym_entry_next(struct sym_entry *entry, struct sym_attr *ret);

/** Read the value of an attribute at @p c. */
void sym_attr_read(struct pd_cursor *c, const struct sym_attr_spec *spec,
	const struct sym_encoding *encoding, struct sym_attr *ret);

/** Text of the string attribute @p attr, or NULL. Borrowed from the file. */
const char *sym_attr_text(const struct sym_unit *unit, const struct sym_attr *attr);

/** Value of the address attribute @p attr. Returns false if it is not an address. */
bool sym_attr_address(const struct sym_unit *unit, const struct sym_attr *attr, uint64_t *ret);

/** Element @p index of the unit's table in .debug_addr. Returns false if there is none. */
bool sym_unit_address(const struct sym_unit *unit, uint64_t index, uint64_t *ret);

/** Value of the numeric attribute @p attr. Returns false if it is not a number. */
bool sym_attr_number(const struct sym_attr *attr, uint64_t *ret);

/** Start reading the entry to which @p attr refers. Returns false if there is none. */
bool sym_attr_reference(struct sym_unit *unit, const struct sym_attr *attr, struct sym_entry *ret);

/** Text at @p offset, or NULL. A text longer than any name or path is treated as damaged. */
const char *sym_section_text(const struct sym_section *section, uint64_t offset);

#endif
