#include "symbolize/dwarf/line_table.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/leb.h"
#include "base/limit.h"
#include "base/lower_bound.h"
#include "symbolize/file/path.h"

enum { MAX_ENTRY_FORMATS = PD_LIMIT_LINE_ENTRY_FORMATS };

struct entry_format {
	uint64_t content;
	uint64_t form;
};

static const char *string_at(const struct sym_section *section, uint64_t offset)
{
	/*
	 * Limiting the search to the length of a path keeps it from scanning the whole section for
	 * each entry.
	 */
	size_t left = offset < section->size ? section->size - offset : 0;
	size_t limit = sizeof(((struct sym_path *)NULL)->text);

	if (!left)
		return NULL;
	if (!memchr(section->data + offset, 0, left < limit ? left : limit)) {
		if (left > limit)
			base_limit_reach(PD_LIMIT_ID_PATH_BYTES);
		return NULL;
	}
	return (const char *)section->data + offset;
}

/*
 * Read a string of a version 5 table. Returns NULL, and skips it, if its form is not allowed there.
 */
static const char *read_string(struct pd_cursor *c, uint64_t form, const struct sym_encoding *e,
	const struct sym_debug_sections *sections)
{
	size_t len;

	switch (form) {
	case DW_FORM_string:
		return pd_cursor_str(c, &len);
	case DW_FORM_line_strp:
		return string_at(&sections->line_str, base_cursor_uint(c, e->offset_size));
	case DW_FORM_strp:
		return string_at(&sections->str, base_cursor_uint(c, e->offset_size));
	default:
		sym_skip_form(c, form, e);
		return NULL;
	}
}

static uint64_t read_index(struct pd_cursor *c, uint64_t form, const struct sym_encoding *e)
{
	if (form == DW_FORM_udata)
		return base_cursor_uleb(c);
	if (form == DW_FORM_data1 || form == DW_FORM_data2)
		return base_cursor_uint(c, form == DW_FORM_data1 ? 1 : 2);
	sym_skip_form(c, form, e);
	return 0;
}

static unsigned read_entry_formats(struct pd_cursor *c, struct entry_format *ret)
{
	unsigned n = pd_cursor_u8(c);

	for (unsigned i = 0; i < n; i++) {
		struct entry_format format = { base_cursor_uleb(c), base_cursor_uleb(c) };

		if (i < MAX_ENTRY_FORMATS)
			ret[i] = format;
	}
	if (n <= MAX_ENTRY_FORMATS)
		return c->overrun ? 0 : n;
	base_limit_reach(PD_LIMIT_ID_LINE_ENTRY_FORMATS);
	pd_cursor_bytes(c, UINT64_MAX);
	return 0;
}

/* Read the directories or files of a version 5 table. Returns false if there is no memory. */
static bool read_entries(struct sym_lines *lines, struct pd_cursor *c,
	const struct sym_debug_sections *sections, bool are_files)
{
	struct entry_format formats[MAX_ENTRY_FORMATS];
	unsigned n_formats = read_entry_formats(c, formats);
	uint64_t n = base_cursor_uleb(c);

	/* If entries had no bytes, a count of a few bytes could stand for any number of them. */
	for (uint64_t i = 0; n_formats && i < n && pd_cursor_left(c); i++) {
		struct sym_line_file file = { 0 };
		const uint8_t *start = c->pos;

		for (unsigned f = 0; f < n_formats; f++) {
			if (formats[f].content == DW_LNCT_path)
				file.name =
					read_string(c, formats[f].form, &lines->encoding, sections);
			else if (formats[f].content == DW_LNCT_directory_index)
				file.dir = read_index(c, formats[f].form, &lines->encoding);
			else
				sym_skip_form(c, formats[f].form, &lines->encoding);
		}
		if (c->overrun || c->pos == start)
			break;
		if (!(are_files ? pd_vec_push(&lines->files, file)
				: pd_vec_push(&lines->dirs, file.name)))
			return false;
	}
	return true;
}

/*
 * Read the directories and files of versions 2 to 4 into the form of version 5, where directory 0
 * is that of the unit. There is no file 0.
 */
static bool read_old_entries(struct sym_lines *lines, struct pd_cursor *c)
{
	struct sym_line_file file = { 0 };
	const char *text;
	size_t len = 0;

	if (!pd_vec_push(&lines->dirs, lines->comp_dir) || !pd_vec_push(&lines->files, file))
		return false;
	while ((text = pd_cursor_str(c, &len)) && len) {
		if (!pd_vec_push(&lines->dirs, text))
			return false;
	}
	while ((file.name = pd_cursor_str(c, &len)) && len) {
		file.dir = base_cursor_uleb(c);
		base_cursor_uleb(c); /* Time of modification. */
		base_cursor_uleb(c); /* Size of the file. */
		if (!pd_vec_push(&lines->files, file))
			return false;
	}
	return true;
}

/* Read the header up to the tables of names. Returns false if it is damaged. */
static bool read_prologue(struct sym_lines *lines, struct pd_cursor *c)
{
	struct sym_encoding *e = &lines->encoding;
	uint64_t len = pd_cursor_u32(c);

	e->offset_size = len == 0xffffffff ? 8 : 4;
	if (e->offset_size == 8)
		len = pd_cursor_u64(c);
	if (len > pd_cursor_left(c))
		return false;
	c->end = c->pos + len;
	e->version = (uint8_t)pd_cursor_u16(c);
	if (e->version < 2 || e->version > 5)
		return false;
	if (e->version >= 5) {
		e->addr_size = pd_cursor_u8(c);
		pd_cursor_u8(c); /* Size of segment selectors. */
	}
	uint64_t header_len = base_cursor_uint(c, e->offset_size);
	if (header_len > pd_cursor_left(c))
		return false;
	lines->program = pd_cursor_init(
		c->pos + header_len, (size_t)(c->end - c->pos) - header_len, e->swap);
	lines->min_inst_length = pd_cursor_u8(c);
	if (e->version >= 4)
		pd_cursor_u8(c); /* Operations in one instruction. */
	pd_cursor_u8(c);	 /* Initial value of is_stmt. */
	lines->line_base = (int8_t)pd_cursor_u8(c);
	lines->line_range = pd_cursor_u8(c);
	lines->opcode_base = pd_cursor_u8(c);
	for (unsigned i = 1; i < lines->opcode_base; i++)
		lines->operands[i] = pd_cursor_u8(c);
	if (c->overrun || !lines->opcode_base || !lines->line_range)
		return false;
	for (unsigned i = lines->opcode_base; i < 256; i++) {
		unsigned adjusted = i - lines->opcode_base;

		lines->special[i].address =
			(uint16_t)(adjusted / lines->line_range * lines->min_inst_length);
		lines->special[i].line =
			(int16_t)(lines->line_base + (int)(adjusted % lines->line_range));
	}
	return true;
}

struct pd_error *sym_lines_init(
	struct sym_lines *lines, const struct sym_unit *unit, uint64_t *bytes_left)
{
	const struct sym_debug_sections *sections = &unit->file->sections;
	const struct sym_section *section = &sections->line;
	bool ok;

	*lines = (struct sym_lines){ 0 };
	if (unit->line_offset >= section->size)
		return NULL;
	struct pd_cursor c = pd_cursor_init(section->data + unit->line_offset,
		section->size - unit->line_offset, unit->file->swap);
	lines->encoding = (struct sym_encoding){
		.swap = c.swap,
		.addr_size = unit->header.encoding.addr_size,
	};
	lines->comp_dir = unit->comp_dir;
	/*
	 * Units of a damaged file may all refer to one large table, so the bytes read are counted
	 * for the whole file.
	 */
	bool is_sound = read_prologue(lines, &c);
	if (!is_sound || (pd_cursor_left(&c) > *bytes_left &&
				 base_limit_reach(PD_LIMIT_ID_LINE_TABLE_READS))) {
		lines->program = (struct pd_cursor){ 0 };
		return NULL;
	}
	*bytes_left -= pd_cursor_left(&c);
	if (lines->encoding.version >= 5)
		ok = read_entries(lines, &c, sections, false) &&
		     read_entries(lines, &c, sections, true);
	else
		ok = read_old_entries(lines, &c);
	if (ok)
		return NULL;
	sym_lines_deinit(lines);
	return &pd_enomem;
}

void sym_lines_deinit(struct sym_lines *lines)
{
	pd_vec_deinit(&lines->dirs);
	pd_vec_deinit(&lines->files);
	*lines = (struct sym_lines){ 0 };
}

static const char *join(
	struct sym_path *path, const struct sym_lines *lines, const struct sym_line_file *file)
{
	const char *dir = file->dir < lines->dirs.n ? lines->dirs.data[file->dir] : NULL;
	const char *comp_dir = lines->comp_dir;

	if (!dir || file->name[0] == '/')
		return sym_path_format(path, "%s", file->name);
	/* Directory 0 is the compilation directory itself. */
	if (dir[0] == '/' || !comp_dir || file->dir == 0)
		return sym_path_format(path, "%s/%s", dir, file->name);
	return sym_path_format(path, "%s/%s/%s", comp_dir, dir, file->name);
}

struct pd_error *sym_lines_file(
	struct sym_lines *lines, uint64_t file, struct sym_ranges *ranges, uint32_t *ret)
{
	struct sym_path path;

	*ret = 0;
	if (file >= lines->files.n || !lines->files.data[file].name)
		return NULL;
	struct sym_line_file *f = &lines->files.data[file];
	if (!f->path) {
		struct pd_error *err = sym_ranges_string(ranges, join(&path, lines, f), &f->path);

		if (err)
			return err;
	}
	*ret = f->path;
	return NULL;
}

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
	uint64_t discriminator;
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
	r->discriminator = 0;
	r->has_row = false;
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
		r->next = base_lower_bound(r->n_code, i, r->code[i].end <= r->addr);
	/* Addresses within a sequence ascend, so the next code is found without a search. */
	while (r->next < r->n_code && r->code[r->next].end <= r->addr)
		r->next++;
	r->row.start = r->addr;
	r->row.file = r->file < UINT32_MAX ? (uint32_t)r->file : UINT32_MAX;
	r->row.line = (uint32_t)r->line;
	r->row.discriminator = (uint32_t)r->discriminator;
	r->discriminator = 0;
	r->has_row = true;
}

static void advance(struct run *r, uint64_t operations)
{
	r->addr += operations * r->lines->min_inst_length;
}

static void run_extended(struct run *r)
{
	uint64_t len = base_cursor_uleb(&r->c);
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
		r->addr = base_cursor_uint(&c, (unsigned)(len - 1 <= 8 ? len - 1 : 0));
		break;
	case DW_LNE_set_discriminator:
		r->discriminator = base_cursor_uleb(&c);
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
		advance(r, base_cursor_uleb(&r->c));
		break;
	case DW_LNS_advance_line:
		r->line += (uint64_t)base_cursor_sleb(&r->c);
		break;
	case DW_LNS_set_file:
		r->file = base_cursor_uleb(&r->c);
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
			base_cursor_uleb(&r->c);
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
