/**
 * @file Sections of a file without section headers, from its program headers. Private to
 * symbolize/.
 *
 * Tools such as sstrip remove section headers, which the kernel and the dynamic linker do not need.
 * Program headers say where code and call frame information are, and the dynamic section has
 * symbols.
 */
#ifndef PD_SYMBOLIZE_FILE_SECTION_TABLE_H
#define PD_SYMBOLIZE_FILE_SECTION_TABLE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

struct sym_made_section {
	const char *name;
	GElf_Shdr shdr;
};

/** Sections that were found. Zero-initialized there are none. */
struct sym_section_table {
	PD_VEC(struct sym_made_section) list;
	/** Segments, which follow the empty section 0. */
	size_t n_segments;
	/** Dynamic symbols; index in the list, 0: there are none. */
	size_t dynsym;
	/** Sizes in bytes: of a section header, of all of them, and of their names. */
	size_t entry_size;
	size_t headers_size;
	size_t names_size;
};

/** Whether the program @p elf has program headers but no section headers. */
bool sym_lacks_sections(Elf *elf);

/** Find the sections of @p elf. Returns false if memory ran out. */
bool sym_section_table_find(Elf *elf, struct sym_section_table *ret);
void sym_section_table_deinit(struct sym_section_table *table);

/** Number of bytes that sym_section_table_write() appends to a file. */
size_t sym_section_table_size(const struct sym_section_table *table);

/**
 * Write the section headers to @p at, an offset in the copy of the file at @p bytes, and let the
 * ELF header and the dynamic symbols refer to them. @p elf is the file itself.
 */
void sym_section_table_write(
	const struct sym_section_table *table, Elf *elf, uint8_t *bytes, size_t at);

#endif
