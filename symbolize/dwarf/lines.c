#include "symbolize/dwarf/lines.h"

#include <string.h>

#include "base/integer.h"
#include "base/leb.h"
#include "base/limit.h"
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
			pd_limit_reach(PD_LIMIT_ID_PATH_BYTES);
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
		return string_at(&sections->line_str, pd_cursor_uint(c, e->offset_size));
	case DW_FORM_strp:
		return string_at(&sections->str, pd_cursor_uint(c, e->offset_size));
	default:
		sym_skip_form(c, form, e);
		return NULL;
	}
}

static uint64_t read_index(struct pd_cursor *c, uint64_t form, const struct sym_encoding *e)
{
	if (form == DW_FORM_udata)
		return pd_cursor_uleb(c);
	if (form == DW_FORM_data1 || form == DW_FORM_data2)
		return pd_cursor_uint(c, form == DW_FORM_data1 ? 1 : 2);
	sym_skip_form(c, form, e);
	return 0;
}

static unsigned read_entry_formats(struct pd_cursor *c, struct entry_format *ret)
{
	unsigned n = pd_cursor_u8(c);

	for (unsigned i = 0; i < n; i++) {
		struct entry_format format = { pd_cursor_uleb(c), pd_cursor_uleb(c) };

		if (i < MAX_ENTRY_FORMATS)
			ret[i] = format;
	}
	if (n <= MAX_ENTRY_FORMATS)
		return c->overrun ? 0 : n;
	pd_limit_reach(PD_LIMIT_ID_LINE_ENTRY_FORMATS);
	pd_cursor_bytes(c, UINT64_MAX);
	return 0;
}

/* Read the directories or files of a version 5 table. Returns false if there is no memory. */
static bool read_entries(struct sym_lines *lines, struct pd_cursor *c,
	const struct sym_debug_sections *sections, bool are_files)
{
	struct entry_format formats[MAX_ENTRY_FORMATS];
	unsigned n_formats = read_entry_formats(c, formats);
	uint64_t n = pd_cursor_uleb(c);

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
		file.dir = pd_cursor_uleb(c);
		pd_cursor_uleb(c); /* Time of modification. */
		pd_cursor_uleb(c); /* Size of the file. */
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
	uint64_t header_len = pd_cursor_uint(c, e->offset_size);
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
				 pd_limit_reach(PD_LIMIT_ID_LINE_TABLE_READS))) {
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
