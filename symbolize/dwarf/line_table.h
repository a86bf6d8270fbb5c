/**
 * @file Line tables: from addresses of one unit to file and line. DWARF 5 section 6.2. Private to
 * symbolize/.
 *
 * A line table is a program. It is run once for all wanted code of a unit, and only rows of this
 * code are kept.
 */
#ifndef PD_SYMBOLIZE_DWARF_LINE_TABLE_H
#define PD_SYMBOLIZE_DWARF_LINE_TABLE_H

#include <pdconv/vec.h>

#include "base/arena.h"
#include "symbolize/dwarf/extents.h"
#include "symbolize/dwarf/unit.h"
#include "symbolize/table/ranges.h"

struct sym_line_file {
	/** Name and directory index. The name is borrowed from the debug information. */
	const char *name;
	uint64_t dir;
	/** Path as a string of the table of ranges, made on first use; 0 before that. */
	uint32_t path;
};

/** Code of one line. */
struct sym_line_row {
	uint64_t start;
	uint64_t end;
	/** File number, as for sym_lines_file(). */
	uint32_t file;
	uint32_t line;
	uint32_t discriminator;
};

/** Line table of a unit. */
struct sym_lines {
	struct sym_encoding encoding;
	const char *comp_dir;
	PD_VEC(const char *) dirs;
	PD_VEC(struct sym_line_file) files;
	/** Program, and the parameters in its header. */
	struct pd_cursor program;
	uint8_t min_inst_length;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	uint8_t operands[256];
	/** Effects of special opcodes, from opcode_base on, which are most of a program. */
	struct {
		uint16_t address;
		int16_t line;
	} special[256];
};

/**
 * Read the header of the line table of @p unit, and subtract its size from *bytes_left. The result
 * is empty if there is none, it is damaged, or it has more than *bytes_left bytes. Errors: NOMEM.
 */
struct pd_error *sym_lines_init(
	struct sym_lines *lines, const struct sym_unit *unit, uint64_t *bytes_left) pd_must_check;
void sym_lines_deinit(struct sym_lines *lines);

/** Rows that were kept, sorted, without overlaps. */
struct sym_line_rows {
	PD_VEC(struct sym_line_row) list;
};

/**
 * Run the program and keep the rows of the @p n ranges @p code, which are sorted and do not
 * overlap. Sequences that begin outside of @p all_code (sym_dwarf.code) are of code that the linker
 * has removed, and are left out. Of rows that overlap, the one that starts first gets the common
 * part. Errors: NOMEM.
 */
struct pd_error *sym_lines_run(const struct sym_lines *lines, const struct sym_extents *all_code,
	const struct sym_extent *code, size_t n, struct sym_line_rows *ret) pd_must_check;

/**
 * Find the path of file number @p file, as attributes have it, among the strings of @p ranges. *ret
 * is 0 if there is none. Errors: NOMEM.
 */
struct pd_error *sym_lines_file(struct sym_lines *lines, uint64_t file, struct sym_ranges *ranges,
	uint32_t *ret) pd_must_check;

#endif
