#include "symbolize/dwarf_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/leb.h"
#include "base/map.h"
#include "symbolize/dwarf_scopes.h"

enum {
	/*
	 * Texts looked through for their end. Thousands of entries may share an endless one; names
	 * are cut at SYM_NAME_MAX, and what is read further is not used.
	 */
	MAX_TEXT = 1 << 16,
	/*
	 * Attributes of abbreviations kept, and how many are too many between two units. Tables may
	 * overlap, so the file's size is no bound.
	 */
	MAX_KEPT_SPECS = 1 << 24,
	TRIM_SPECS = 1 << 22,
	/* Those read to list the units, of which a hundred thousand may need a thousand each. */
	MAX_ROOT_SPECS = 1 << 28,
};

static const struct {
	const char *name;
	size_t place;
} SECTIONS[] = {
	{ ".debug_info", offsetof(struct sym_debug_sections, info) },
	{ ".debug_abbrev", offsetof(struct sym_debug_sections, abbrev) },
	{ ".debug_str", offsetof(struct sym_debug_sections, str) },
	{ ".debug_line_str", offsetof(struct sym_debug_sections, line_str) },
	{ ".debug_str_offsets", offsetof(struct sym_debug_sections, str_offsets) },
	{ ".debug_addr", offsetof(struct sym_debug_sections, addr) },
	{ ".debug_line", offsetof(struct sym_debug_sections, line) },
	{ ".debug_ranges", offsetof(struct sym_debug_sections, ranges) },
	{ ".debug_rnglists", offsetof(struct sym_debug_sections, rnglists) },
};

void sym_debug_sections_find(
	struct sym_debug_sections *sections, const struct sym_image *image, bool is_split)
{
	for (size_t i = 0; i < sizeof(SECTIONS) / sizeof(SECTIONS[0]); i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%s", SECTIONS[i].name, is_split ? ".dwo" : "");
		sym_image_section(
			image, name, (struct sym_section *)((char *)sections + SECTIONS[i].place));
	}
}

/* Where a unit's part of a section begins that its own entry does not say: behind the header. */
static uint64_t default_base(const struct sym_unit *unit, uint64_t header_size)
{
	bool has_header = unit->file->is_split && unit->header.encoding.version >= 5;

	if (!has_header)
		return 0;
	return unit->header.encoding.offset_size == 8 ? header_size + 8 : header_size;
}

/* Attributes of a unit's own entry; texts and addresses may need bases that come behind them. */
struct root {
	struct sym_attr comp_dir;
	struct sym_attr dwo_name;
	struct sym_attr low_pc;
};

static void read_root_attr(struct sym_unit *unit, const struct sym_attr *attr, struct root *root)
{
	switch (attr->name) {
	case DW_AT_language:
		unit->language = (uint16_t)attr->value;
		break;
	case DW_AT_stmt_list:
		unit->line_offset = attr->value;
		break;
	case DW_AT_comp_dir:
		root->comp_dir = *attr;
		break;
	case DW_AT_low_pc:
		root->low_pc = *attr;
		break;
	case DW_AT_high_pc:
		unit->high_pc = *attr;
		break;
	case DW_AT_ranges:
		unit->ranges = *attr;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		unit->addr_base = attr->value;
		break;
	case DW_AT_str_offsets_base:
		unit->str_offsets_base = attr->value;
		break;
	case DW_AT_rnglists_base:
		unit->rnglists_base = attr->value;
		break;
	case DW_AT_GNU_ranges_base:
		unit->ranges_base = attr->value;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		root->dwo_name = *attr;
		break;
	case DW_AT_GNU_dwo_id:
		unit->dwo_id = attr->value;
		break;
	default:
		break;
	}
}

static void read_root_attrs(struct sym_unit *unit, struct sym_entry *entry)
{
	struct root root = { 0 };
	struct sym_attr attr;

	while (sym_entry_next(entry, &attr))
		read_root_attr(unit, &attr, &root);
	unit->comp_dir = sym_attr_text(unit, &root.comp_dir);
	unit->dwo_name = sym_attr_text(unit, &root.dwo_name);
	unit->has_low_pc = sym_attr_address(unit, &root.low_pc, &unit->low_pc);
}

/* Only as many abbreviations as the unit's own entry needs. False: no memory. */
static bool read_root(struct sym_unit *unit)
{
	const struct sym_section *info = &unit->file->sections.info;
	struct pd_cursor c = pd_cursor_init(info->data, unit->header.end, unit->file->swap);
	struct sym_entry entry;
	struct sym_abbrevs abbrevs;

	pd_cursor_bytes(&c, unit->header.offset + unit->header.size);
	uint64_t code = pd_cursor_uleb(&c);
	if (!code || c.overrun || unit->file->n_root_specs > MAX_ROOT_SPECS)
		return true;
	if (!sym_abbrevs_init(&abbrevs, &unit->file->sections.abbrev, &unit->header, code))
		return false;
	unit->file->n_root_specs += abbrevs.specs.n;
	unit->abbrevs = &abbrevs;
	if (sym_entry_init(&entry, unit, unit->header.offset + unit->header.size)) {
		unit->tag = entry.abbrev->tag;
		read_root_attrs(unit, &entry);
	}
	unit->abbrevs = NULL;
	sym_abbrevs_deinit(&abbrevs);
	return true;
}

static bool add_unit(struct sym_debug_file *file, const struct sym_unit_header *header)
{
	struct sym_unit unit = {
		.header = *header,
		.file = file,
		.line_offset = UINT64_MAX,
		.dwo_id = header->dwo_id,
	};

	/* Sizes of the headers of .debug_str_offsets and .debug_rnglists. */
	unit.str_offsets_base = default_base(&unit, 8);
	unit.rnglists_base = default_base(&unit, 12);
	return read_root(&unit) && pd_vec_push(&file->units, unit);
}

struct pd_error *sym_debug_file_list(struct sym_debug_file *file)
{
	struct sym_unit_header header;
	uint64_t offset = 0;

	while (offset < file->sections.info.size &&
		(!file->max_units || file->units.n < file->max_units)) {
		bool is_known =
			sym_unit_header_read(&file->sections.info, offset, file->swap, &header);

		if (is_known && !add_unit(file, &header))
			return &pd_enomem;
		if (header.end <= offset)
			break;
		offset = header.end;
	}
	return NULL;
}

struct pd_error *sym_debug_file_init(struct sym_debug_file *file, const struct sym_image *image)
{
	*file = (struct sym_debug_file){ .swap = image->swap };
	sym_debug_sections_find(&file->sections, image, false);
	return sym_debug_file_list(file);
}

static void destroy_abbrevs(struct sym_debug_file *file)
{
	for (size_t i = 0; i < file->abbrevs.n_slots; i++) {
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
		struct sym_abbrevs *abbrevs = (void *)(uintptr_t)file->abbrevs.slots[i].value;

		if (!(file->abbrevs.taken[i / 64] >> (i % 64) & 1) || !abbrevs)
			continue;
		sym_abbrevs_deinit(abbrevs);
		free(abbrevs);
	}
	pd_map_deinit(&file->abbrevs);
}

void sym_debug_file_deinit(struct sym_debug_file *file)
{
	for (size_t i = 0; i < file->units.n; i++)
		sym_containers_destroy(file->units.data[i].containers);
	pd_vec_deinit(&file->units);
	destroy_abbrevs(file);
	*file = (struct sym_debug_file){ 0 };
}

void sym_debug_file_trim(struct sym_debug_file *file)
{
	if (file->n_specs <= TRIM_SPECS)
		return;
	destroy_abbrevs(file);
	file->n_specs = 0;
	for (size_t i = 0; i < file->units.n; i++)
		file->units.data[i].abbrevs = NULL;
}

struct sym_unit *sym_debug_file_unit(struct sym_debug_file *file, uint64_t offset)
{
	size_t low = 0, high = file->units.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (file->units.data[mid].header.offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	struct sym_unit *unit = low ? &file->units.data[low - 1] : NULL;
	return unit && offset < unit->header.end ? unit : NULL;
}

static struct sym_abbrevs *read_abbrevs(struct sym_unit *unit)
{
	struct sym_debug_file *file = unit->file;
	struct sym_abbrevs *abbrevs = calloc(1, sizeof(*abbrevs));

	if (abbrevs && sym_abbrevs_init(abbrevs, &file->sections.abbrev, &unit->header, 0)) {
		file->n_specs += abbrevs->specs.n;
		return abbrevs;
	}
	if (abbrevs)
		sym_abbrevs_deinit(abbrevs);
	free(abbrevs);
	file->nomem = true;
	return NULL;
}

const struct sym_abbrevs *sym_unit_abbrevs(struct sym_unit *unit)
{
	struct sym_debug_file *file = unit->file;

	if (unit->abbrevs || file->n_specs > MAX_KEPT_SPECS)
		return unit->abbrevs;
	uint64_t *kept = pd_map_add(&file->abbrevs, unit->header.abbrev_offset, NULL);
	if (!kept) {
		file->nomem = true;
		return NULL;
	}
	if (!*kept)
		*kept = (uintptr_t)read_abbrevs(unit);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
	unit->abbrevs = (const struct sym_abbrevs *)(uintptr_t)*kept;
	return unit->abbrevs;
}

bool sym_entry_init(struct sym_entry *entry, struct sym_unit *unit, uint64_t offset)
{
	const struct sym_abbrevs *abbrevs = sym_unit_abbrevs(unit);

	*entry = (struct sym_entry){ .unit = unit, .offset = offset };
	entry->c =
		pd_cursor_init(unit->file->sections.info.data, unit->header.end, unit->file->swap);
	pd_cursor_bytes(&entry->c, offset);
	uint64_t code = pd_cursor_uleb(&entry->c);
	if (!abbrevs || entry->c.overrun || offset < unit->header.offset + unit->header.size)
		return false;
	entry->abbrev = sym_abbrevs_find(abbrevs, code);
	if (entry->abbrev)
		entry->specs = abbrevs->specs.data + entry->abbrev->first_spec;
	return entry->abbrev != NULL;
}

static uint64_t read_u24(struct pd_cursor *c)
{
	uint64_t first = pd_cursor_u8(c), second = pd_cursor_u8(c), third = pd_cursor_u8(c);
	bool is_big = c->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	return is_big ? first << 16 | second << 8 | third : third << 16 | second << 8 | first;
}

void sym_attr_read(struct pd_cursor *c, const struct sym_attr_spec *spec,
	const struct sym_encoding *encoding, struct sym_attr *ret)
{
	uint64_t form = spec->form;
	size_t len;

	/* The form stands before the value; it may not be "indirect" again. */
	if (form == DW_FORM_indirect)
		form = pd_cursor_uleb(c);
	*ret = (struct sym_attr){ .name = spec->name, .form = (uint16_t)form };
	int size = sym_form_size(form, encoding);
	if (form == DW_FORM_implicit_const)
		ret->value = spec->constant;
	else if (form == DW_FORM_string)
		ret->text = pd_cursor_str(c, &len);
	else if (form == DW_FORM_sdata)
		ret->value = (uint64_t)pd_cursor_sleb(c);
	else if (sym_form_is_leb(form))
		ret->value = pd_cursor_uleb(c);
	else if (size == 3)
		ret->value = read_u24(c);
	else if (size == 1 || size == 2 || size == 4 || size == 8)
		ret->value = pd_cursor_uint(c, (unsigned)size);
	else
		sym_skip_form(c, form, encoding);
}

bool sym_entry_next(struct sym_entry *entry, struct sym_attr *ret)
{
	if (entry->next >= entry->abbrev->n_specs)
		return false;
	sym_attr_read(&entry->c, &entry->specs[entry->next++], &entry->unit->header.encoding, ret);
	return !entry->c.overrun;
}

const char *sym_section_text(const struct sym_section *section, uint64_t offset)
{
	size_t left = offset < section->size ? section->size - offset : 0;

	if (!left || !memchr(section->data + offset, 0, left < MAX_TEXT ? left : MAX_TEXT))
		return NULL;
	return (const char *)section->data + offset;
}

/* A number of @p size bytes at @p base + @p index * size of a section. */
static bool read_indexed(const struct sym_section *section, uint64_t base, uint64_t index,
	unsigned size, bool swap, uint64_t *ret)
{
	if (base > section->size || index >= (section->size - base) / size)
		return false;
	struct pd_cursor c = pd_cursor_init(section->data + base + index * size, size, swap);
	*ret = pd_cursor_uint(&c, size);
	return true;
}

static const char *indexed_text(const struct sym_unit *unit, uint64_t index)
{
	const struct sym_debug_sections *sections = &unit->file->sections;
	uint64_t offset;

	if (!read_indexed(&sections->str_offsets, unit->str_offsets_base, index,
		    unit->header.encoding.offset_size, unit->file->swap, &offset))
		return NULL;
	return sym_section_text(&sections->str, offset);
}

const char *sym_attr_text(const struct sym_unit *unit, const struct sym_attr *attr)
{
	const struct sym_debug_file *file = unit->file;

	switch (attr->form) {
	case DW_FORM_string:
		return attr->text;
	case DW_FORM_strp:
		return sym_section_text(&file->sections.str, attr->value);
	case DW_FORM_line_strp:
		return sym_section_text(&file->sections.line_str, attr->value);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return file->supplement
			       ? sym_section_text(&file->supplement->sections.str, attr->value)
			       : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_text(unit, attr->value);
	default:
		return NULL;
	}
}

bool sym_unit_address(const struct sym_unit *unit, uint64_t index, uint64_t *ret)
{
	const struct sym_unit *owner = unit->skeleton ? unit->skeleton : unit;

	return read_indexed(&owner->file->sections.addr, owner->addr_base, index,
		owner->header.encoding.addr_size, owner->file->swap, ret);
}

bool sym_attr_address(const struct sym_unit *unit, const struct sym_attr *attr, uint64_t *ret)
{
	switch (attr->form) {
	case DW_FORM_addr:
		*ret = attr->value;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return sym_unit_address(unit, attr->value, ret);
	default:
		return false;
	}
}

bool sym_attr_number(const struct sym_attr *attr, uint64_t *ret)
{
	*ret = attr->value;
	return attr->form == DW_FORM_data1 || attr->form == DW_FORM_data2 ||
	       attr->form == DW_FORM_data4 || attr->form == DW_FORM_data8 ||
	       attr->form == DW_FORM_udata || attr->form == DW_FORM_sdata ||
	       attr->form == DW_FORM_implicit_const;
}

bool sym_attr_reference(struct sym_unit *unit, const struct sym_attr *attr, struct sym_entry *ret)
{
	struct sym_debug_file *file = unit->file;
	uint64_t offset = attr->value;

	switch (attr->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (offset >= unit->header.end - unit->header.offset)
			return false;
		return sym_entry_init(ret, unit, unit->header.offset + offset);
	case DW_FORM_ref_addr:
		break;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		file = file->supplement;
		break;
	default:
		return false;
	}
	unit = file ? sym_debug_file_unit(file, offset) : NULL;
	return unit && sym_entry_init(ret, unit, offset);
}
