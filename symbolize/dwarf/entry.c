#include "symbolize/dwarf/entry.h"

#include <string.h>

#include "base/integer.h"
#include "base/leb.h"
#include "base/limit.h"
#include "symbolize/dwarf/unit.h"

/*
 * Upper limit for the length of texts. Thousands of entries may share a very long one; names are
 * cut at SYM_NAME_MAX anyway.
 */
enum { MAX_TEXT = PD_LIMIT_NAME_BYTES };

bool sym_entry_init(struct sym_entry *entry, struct sym_unit *unit, uint64_t offset)
{
	const struct sym_abbrevs *abbrevs = sym_unit_abbrevs(unit);

	*entry = (struct sym_entry){ .unit = unit, .offset = offset };
	entry->c =
		pd_cursor_init(unit->file->sections.info.data, unit->header.end, unit->file->swap);
	pd_cursor_bytes(&entry->c, offset);
	uint64_t code = base_cursor_uleb(&entry->c);
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

	/* The form comes before the value, and must not be DW_FORM_indirect again. */
	if (form == DW_FORM_indirect)
		form = base_cursor_uleb(c);
	*ret = (struct sym_attr){ .name = spec->name, .form = (uint16_t)form };
	int size = sym_form_size(form, encoding);
	if (form == DW_FORM_implicit_const)
		ret->value = spec->constant;
	else if (form == DW_FORM_string)
		ret->text = pd_cursor_str(c, &len);
	else if (form == DW_FORM_sdata)
		ret->value = (uint64_t)base_cursor_sleb(c);
	else if (sym_form_is_leb(form))
		ret->value = base_cursor_uleb(c);
	else if (size == 3)
		ret->value = read_u24(c);
	else if (size == 1 || size == 2 || size == 4 || size == 8)
		ret->value = base_cursor_uint(c, (unsigned)size);
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

	if (!left)
		return NULL;
	if (!memchr(section->data + offset, 0, left < MAX_TEXT ? left : MAX_TEXT)) {
		if (left > MAX_TEXT)
			base_limit_reach(PD_LIMIT_ID_NAME_BYTES);
		return NULL;
	}
	return (const char *)section->data + offset;
}

/* Read element @p index of a table of @p size-byte numbers that begins at @p base of a section. */
static bool read_indexed(const struct sym_section *section, uint64_t base, uint64_t index,
	unsigned size, bool swap, uint64_t *ret)
{
	if (base > section->size || index >= (section->size - base) / size)
		return false;
	struct pd_cursor c = pd_cursor_init(section->data + base + index * size, size, swap);
	*ret = base_cursor_uint(&c, size);
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
	/* Texts of these forms are in the supplementary file. */
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
	/* .debug_addr stays in the main file, since the linker has to relocate it. */
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
		/*
		 * These forms count from the start of the unit, the ones below from that of
		 * .debug_info.
		 */
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
