/**
 * @file Line tables: from addresses of one unit to file and line. DWARF 5 section 6.2. Private to
 * symbolize/.
 *
 * A table is a program; it is run once for all addresses of a unit, and its rows are not kept.
 */
#ifndef PD_SYMBOLIZE_DWARF_LINES_H
#define PD_SYMBOLIZE_DWARF_LINES_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "symbolize/dwarf_abbrev.h"
#include "symbolize/dwarf_file.h"

struct sym_line_file {
	/** Borrowed from the debug information. */
	const char *name;
	uint64_t dir;
	/** Made from the two when asked for. */
	const char *path;
};

struct sym_line {
	/** As sym_lines_file() takes it, plus 1; 0 if it is not known. */
	uint32_t file;
	uint32_t line;
};

/** A line table, opened. */
struct sym_lines {
	struct sym_encoding encoding;
	const char *comp_dir;
	PD_VEC(const char *) dirs;
	PD_VEC(struct sym_line_file) files;
	/** The program, and what its header says of it. */
	struct pd_cursor program;
	uint8_t min_inst_length;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	uint8_t operands[256];
};

/** Read the header of the line table of the unit @p die. Damaged, or none: an empty one. */
struct pd_error *sym_lines_init(
	struct sym_lines *lines, struct sym_dwarf *dwarf, Dwarf_Die *die) pd_must_check;
void sym_lines_deinit(struct sym_lines *lines);

/** Lines of the @p n addresses @p addrs (ascending): @p ret, zeroed by the caller. */
void sym_lines_find(
	const struct sym_lines *lines, const uint64_t *addrs, size_t n, struct sym_line *ret);

/** The path of file number @p file (as attributes give it); *ret is NULL if there is none. */
struct pd_error *sym_lines_file(struct sym_lines *lines, uint64_t file, struct pd_arena *arena,
	const char **ret) pd_must_check;

#endif
