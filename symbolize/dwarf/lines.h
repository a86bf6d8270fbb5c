/**
 * @file Line tables: from addresses of one unit to file and line. DWARF 5 section 6.2. Private to
 * symbolize/.
 *
 * A table is a program; it is run once for all code of a unit that is looked at, and only the rows
 * of that are kept.
 */
#ifndef PD_SYMBOLIZE_DWARF_LINES_H
#define PD_SYMBOLIZE_DWARF_LINES_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "symbolize/dwarf/claims.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/table/ranges.h"

struct sym_line_file {
	/** Borrowed from the debug information. */
	const char *name;
	uint64_t dir;
	/** Made from the two when asked for: a string of the table that is filled; 0 before that. */
	uint32_t path;
};

/** Code of one line. */
struct sym_line_row {
	uint64_t start;
	uint64_t end;
	/** As sym_lines_file() takes it. */
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
	/** What opcodes from opcode_base on do: most of a program is those. */
	struct {
		uint16_t address;
		int16_t line;
	} special[256];
};

/**
 * Read the header of the line table of @p unit. Damaged, none, or larger than *bytes_left, from which
 * its size is taken: an empty one.
 */
struct pd_error *sym_lines_init(
	struct sym_lines *lines, const struct sym_unit *unit, uint64_t *bytes_left) pd_must_check;
void sym_lines_deinit(struct sym_lines *lines);

/** What is kept of a run. */
struct sym_line_rows {
	PD_VEC(struct sym_line_row) list;
};

/**
 * The rows, cut to the @p n stretches @p code (sorted, no two overlapping), sorted and not
 * overlapping: of rows that do, the one that starts first counts.
 */
struct pd_error *sym_lines_run(const struct sym_lines *lines, const struct sym_extent *code,
	size_t n, struct sym_line_rows *ret) pd_must_check;

/** The path of file number @p file (as attributes give it), among the strings of @p ranges, or 0. */
struct pd_error *sym_lines_file(struct sym_lines *lines, uint64_t file, struct sym_ranges *ranges,
	uint32_t *ret) pd_must_check;

#endif
