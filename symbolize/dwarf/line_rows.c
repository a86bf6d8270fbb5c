/* Execution of line table programs. DWARF 5 section 6.2.5. */
#include <dwarf.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/leb.h"
#include "base/search.h"
#include "symbolize/dwarf/lines.h"

/* State of a line table program: its registers, and the previous row. */
struct run {
	const struct sym_lines *lines;
	struct pd_cursor c;
	const struct sym_extents *all_code;
	const struct sym_extent *code;
	size_t n_code;
	struct sym_line_rows *ret;
	bool nomem;
	uint64_t addr;
	uint64_t file;
	uint64_t line;
	struct sym_line_row row;
	bool has_row;
	/** The linker has removed the code of the sequence. */
	bool is_removed;
	/** Index of the first code that ends after the start of the row. */
	size_t next;
	/** Upper limit for rows. If there are more, they overlap. */
	size_t max_rows;
};

static void start_sequence(struct run *r)
{
	r->addr = 0;
	r->file = 1;
	r->line = 1;
	r->has_row = false;
}

static size_t first_ending_after(const struct run *r, uint64_t addr)
{
	return pd_lower_bound(r->n_code, i, r->code[i].end <= addr);
}

/* Keep the parts of the row that are in the wanted code. */
static void keep_row(struct run *r)
{
	for (size_t i = r->next; i < r->n_code && r->code[i].start < r->row.end; i++) {
		if (r->ret->list.n >= r->max_rows)
			return;
		struct sym_line_row part = r->row;

		if (part.start < r->code[i].start)
			part.start = r->code[i].start;
		if (part.end > r->code[i].end)
			part.end = r->code[i].end;
		r->nomem = r->nomem || !pd_vec_push(&r->ret->list, part);
	}
}

/*
 * Append a row. The previous row ends where this one begins; the last of several rows at one
 * address wins.
 */
static void add_row(struct run *r)
{
	if (r->has_row && r->addr > r->row.start && !r->is_removed) {
		r->row.end = r->addr;
		keep_row(r);
	}
	if (!r->has_row)
		r->is_removed = !sym_extents_have_code(r->all_code, r->addr);
	if (!r->has_row || r->addr < r->row.start)
		r->next = first_ending_after(r, r->addr);
	/* Addresses within a sequence ascend, so the next code is found without a search. */
	while (r->next < r->n_code && r->code[r->next].end <= r->addr)
		r->next++;
	r->row.start = r->addr;
	r->row.file = r->file < UINT32_MAX ? (uint32_t)r->file : UINT32_MAX;
	r->row.line = (uint32_t)r->line;
	r->has_row = true;
}

static void advance(struct run *r, uint64_t operations)
{
	r->addr += operations * r->lines->min_inst_length;
}

static void run_extended(struct run *r)
{
	uint64_t len = pd_cursor_uleb(&r->c);
	const uint8_t *bytes = pd_cursor_bytes(&r->c, len);

	if (!bytes || !len)
		return;
	struct pd_cursor c = pd_cursor_init(bytes, len, r->c.swap);
	switch (pd_cursor_u8(&c)) {
	case DW_LNE_end_sequence:
		add_row(r);
		start_sequence(r);
		break;
	case DW_LNE_set_address:
		r->addr = pd_cursor_uint(&c, (unsigned)(len - 1 <= 8 ? len - 1 : 0));
		break;
	default:
		break;
	}
}

static void run_standard(struct run *r, uint8_t opcode)
{
	const struct sym_lines *lines = r->lines;

	switch (opcode) {
	case DW_LNS_copy:
		add_row(r);
		break;
	case DW_LNS_advance_pc:
		advance(r, pd_cursor_uleb(&r->c));
		break;
	case DW_LNS_advance_line:
		r->line += (uint64_t)pd_cursor_sleb(&r->c);
		break;
	case DW_LNS_set_file:
		r->file = pd_cursor_uleb(&r->c);
		break;
	/* Advances like special opcode 255, but appends no row. */
	case DW_LNS_const_add_pc:
		advance(r, (255 - lines->opcode_base) / lines->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		r->addr += pd_cursor_u16(&r->c);
		break;
	default:
		/*
		 * The header has the number of operands of each opcode, so that unknown ones can be
		 * skipped.
		 */
		for (unsigned i = 0; i < lines->operands[opcode] && !r->c.overrun; i++)
			pd_cursor_uleb(&r->c);
	}
}

static void run_program(struct run *r)
{
	const struct sym_lines *lines = r->lines;

	start_sequence(r);
	while (pd_cursor_left(&r->c) && !r->nomem) {
		uint8_t opcode = pd_cursor_u8(&r->c);

		if (opcode >= lines->opcode_base) {
			r->addr += lines->special[opcode].address;
			r->line += (uint64_t)lines->special[opcode].line;
			add_row(r);
		} else if (opcode) {
			run_standard(r, opcode);
		} else {
			run_extended(r);
		}
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct sym_line_row *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool are_sorted(const struct sym_line_rows *rows)
{
	for (size_t i = 1; i < rows->list.n; i++) {
		if (compare_rows(&rows->list.data[i - 1], &rows->list.data[i]) > 0)
			return false;
	}
	return true;
}

static void remove_overlaps(struct sym_line_rows *rows)
{
	struct sym_line_row *list = rows->list.data;
	uint64_t end = 0;
	size_t n = 0;

	for (size_t i = 0; i < rows->list.n; i++) {
		struct sym_line_row row = list[i];

		if (row.start < end)
			row.start = end;
		if (row.start >= row.end)
			continue;
		end = row.end;
		list[n++] = row;
	}
	rows->list.n = n;
}

struct pd_error *sym_lines_run(const struct sym_lines *lines, const struct sym_extents *all_code,
	const struct sym_extent *code, size_t n, struct sym_line_rows *ret)
{
	struct run r = {
		.lines = lines,
		.all_code = all_code,
		.c = lines->program,
		.code = code,
		.n_code = n,
		.ret = ret,
		/*
		 * An opcode appends at most one row, which is divided by gaps in the wanted code.
		 */
		.max_rows = pd_cursor_left(&lines->program) + n,
	};

	run_program(&r);
	if (r.nomem)
		return &pd_enomem;
	/* In most units all code is in one sequence, and sorted. */
	if (!are_sorted(ret))
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare_rows);
	remove_overlaps(ret);
	return NULL;
}
