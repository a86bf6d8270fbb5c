/**
 * @file Entries of debugging information and their attributes. DWARF 5 sections 2.2 and 7.5.4 to 7.5.6.
 * Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_DWARF_ENTRY_H
#define PD_SYMBOLIZE_DWARF_ENTRY_H

#include "symbolize/dwarf/abbrev.h"

struct sym_unit;

/** An attribute of an entry. */
struct sym_attr {
	uint16_t name;
	/** 0: there is no such attribute. */
	uint16_t form;
	/** The number, offset or index that stands there; 0 where it is a block. */
	uint64_t value;
	/** Of DW_FORM_string. */
	const char *text;
};

/** An entry, and how far its attributes have been read. */
struct sym_entry {
	struct sym_unit *unit;
	/** In .debug_info. */
	uint64_t offset;
	const struct sym_abbrev *abbrev;
	const struct sym_attr_spec *specs;
	uint32_t next;
	struct pd_cursor c;
};

/** The entry at @p offset of the unit's file; false if there is none. */
bool sym_entry_init(struct sym_entry *entry, struct sym_unit *unit, uint64_t offset);

/** The entry's next attribute; false behind the last one. */
bool sym_entry_next(struct sym_entry *entry, struct sym_attr *ret);

/** Read the value of an attribute at @p c. */
void sym_attr_read(struct pd_cursor *c, const struct sym_attr_spec *spec,
	const struct sym_encoding *encoding, struct sym_attr *ret);

/** The text of @p attr, or NULL. Borrowed from the file. */
const char *sym_attr_text(const struct sym_unit *unit, const struct sym_attr *attr);

/** The address that @p attr is; false if it is none. */
bool sym_attr_address(const struct sym_unit *unit, const struct sym_attr *attr, uint64_t *ret);

/** The address at @p index of the unit's table of addresses. */
bool sym_unit_address(const struct sym_unit *unit, uint64_t index, uint64_t *ret);

/** The number that @p attr is; false if it is none. */
bool sym_attr_number(const struct sym_attr *attr, uint64_t *ret);

/** The entry that @p attr refers to; false if there is none. */
bool sym_attr_reference(struct sym_unit *unit, const struct sym_attr *attr, struct sym_entry *ret);

/** The text at @p offset, or NULL. One that is longer than names and paths may be is none. */
const char *sym_section_text(const struct sym_section *section, uint64_t offset);

#endif
