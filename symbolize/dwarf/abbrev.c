#include "symbolize/dwarf/abbrev.h"

#include <dwarf.h>
#include "base/array.h"
#include "base/integer.h"
#include "base/leb.h"
#include "base/limit.h"

enum { SIZE_VARIES = -1, SIZE_OF_ADDR = -2, SIZE_OF_OFFSET = -3 };

enum {
	/* Upper limit for attributes in one table. */
	MAX_SPECS = PD_LIMIT_ABBREVIATION_SPECS,
	/*
	 * Upper limit for those of one entry, which has each attribute at most once. An attribute
	 * may take no bytes, so the size of the entry does not limit them.
	 */
	MAX_ATTRS = PD_LIMIT_ENTRY_ATTRIBUTES,
};

static bool is_layout_known(const struct sym_encoding *e)
{
	return e->version >= 2 && e->version <= 5 && (e->addr_size == 4 || e->addr_size == 8);
}

/* Read the fields between the common part of a version 5 header and the first entry. */
static bool read_unit_type(struct pd_cursor *c, struct sym_unit_header *ret)
{
	switch (ret->type) {
	case DW_UT_compile:
	case DW_UT_partial:
		return true;
	case DW_UT_skeleton:
	case DW_UT_split_compile:
		ret->dwo_id = pd_cursor_u64(c);
		return true;
	case DW_UT_type:
	case DW_UT_split_type:
		pd_cursor_u64(c);
		base_cursor_uint(c, ret->encoding.offset_size);
		return true;
	default:
		return false;
	}
}

bool sym_unit_header_read(
	const struct sym_section *info, uint64_t offset, bool swap, struct sym_unit_header *ret)
{
	*ret = (struct sym_unit_header){ .type = DW_UT_compile, .offset = offset };
	if (offset >= info->size)
		return false;
	const uint8_t *start = info->data + offset;
	struct pd_cursor c = pd_cursor_init(start, info->size - offset, swap);
	struct sym_encoding *e = &ret->encoding;
	uint64_t len = pd_cursor_u32(&c);

	*e = (struct sym_encoding){ .swap = swap, .offset_size = 4 };
	/* This length marks the 64-bit format of DWARF, in which the real length follows. */
	if (len == 0xffffffff) {
		len = pd_cursor_u64(&c);
		e->offset_size = 8;
	}
	if (len > pd_cursor_left(&c))
		return false;
	ret->end = offset + (uint64_t)(c.pos - start) + len;
	e->version = (uint8_t)pd_cursor_u16(&c);
	if (e->version >= 5) {
		ret->type = pd_cursor_u8(&c);
		e->addr_size = pd_cursor_u8(&c);
		ret->abbrev_offset = base_cursor_uint(&c, e->offset_size);
	} else {
		ret->abbrev_offset = base_cursor_uint(&c, e->offset_size);
		e->addr_size = pd_cursor_u8(&c);
	}
	bool is_known = read_unit_type(&c, ret);
	ret->size = (uint64_t)(c.pos - start);
	return is_known && !c.overrun && is_layout_known(e) && ret->size <= ret->end - offset;
}

/* Sizes of values by form. Forms that are not listed have size 0 and are unknown. */
static const int16_t FORM_SIZES[] = {
	[DW_FORM_addr] = SIZE_OF_ADDR,
	[DW_FORM_block2] = SIZE_VARIES,
	[DW_FORM_block4] = SIZE_VARIES,
	[DW_FORM_data2] = 2,
	[DW_FORM_data4] = 4,
	[DW_FORM_data8] = 8,
	[DW_FORM_string] = SIZE_VARIES,
	[DW_FORM_block] = SIZE_VARIES,
	[DW_FORM_block1] = SIZE_VARIES,
	[DW_FORM_data1] = 1,
	[DW_FORM_flag] = 1,
	[DW_FORM_sdata] = SIZE_VARIES,
	[DW_FORM_strp] = SIZE_OF_OFFSET,
	[DW_FORM_udata] = SIZE_VARIES,
	[DW_FORM_ref_addr] = SIZE_OF_OFFSET,
	[DW_FORM_ref1] = 1,
	[DW_FORM_ref2] = 2,
	[DW_FORM_ref4] = 4,
	[DW_FORM_ref8] = 8,
	[DW_FORM_ref_udata] = SIZE_VARIES,
	[DW_FORM_indirect] = SIZE_VARIES,
	[DW_FORM_sec_offset] = SIZE_OF_OFFSET,
	[DW_FORM_exprloc] = SIZE_VARIES,
	[DW_FORM_strx] = SIZE_VARIES,
	[DW_FORM_addrx] = SIZE_VARIES,
	[DW_FORM_ref_sup4] = 4,
	[DW_FORM_strp_sup] = SIZE_OF_OFFSET,
	[DW_FORM_data16] = 16,
	[DW_FORM_line_strp] = SIZE_OF_OFFSET,
	[DW_FORM_ref_sig8] = 8,
	[DW_FORM_loclistx] = SIZE_VARIES,
	[DW_FORM_rnglistx] = SIZE_VARIES,
	[DW_FORM_ref_sup8] = 8,
	[DW_FORM_strx1] = 1,
	[DW_FORM_strx2] = 2,
	[DW_FORM_strx3] = 3,
	[DW_FORM_strx4] = 4,
	[DW_FORM_addrx1] = 1,
	[DW_FORM_addrx2] = 2,
	[DW_FORM_addrx3] = 3,
	[DW_FORM_addrx4] = 4,
};

int sym_form_size(uint64_t form, const struct sym_encoding *encoding)
{
	int size = SIZE_VARIES;

	if (form == DW_FORM_flag_present || form == DW_FORM_implicit_const)
		return 0;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return encoding->offset_size;
	if (form < PD_ARRAY_LEN(FORM_SIZES))
		size = FORM_SIZES[form];
	/* In DWARF 2, DW_FORM_ref_addr has the size of an address. */
	if (size == SIZE_OF_ADDR || (form == DW_FORM_ref_addr && encoding->version == 2))
		return encoding->addr_size;
	if (size == SIZE_OF_OFFSET)
		return encoding->offset_size;
	return size > 0 ? size : SIZE_VARIES;
}

bool sym_form_is_leb(uint64_t form)
{
	return form == DW_FORM_udata || form == DW_FORM_ref_udata || form == DW_FORM_strx ||
	       form == DW_FORM_addrx || form == DW_FORM_loclistx || form == DW_FORM_rnglistx ||
	       form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index;
}

static void skip_varying(struct pd_cursor *c, uint64_t form)
{
	size_t len;

	switch (form) {
	case DW_FORM_block1:
		pd_cursor_bytes(c, pd_cursor_u8(c));
		break;
	case DW_FORM_block2:
		pd_cursor_bytes(c, pd_cursor_u16(c));
		break;
	case DW_FORM_block4:
		pd_cursor_bytes(c, pd_cursor_u32(c));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		pd_cursor_bytes(c, base_cursor_uleb(c));
		break;
	case DW_FORM_string:
		pd_cursor_str(c, &len);
		break;
	case DW_FORM_sdata:
		base_cursor_uleb(c);
		break;
	default:
		/*
		 * The size of an unknown form is not known either, so everything after it is
		 * unreadable.
		 */
		if (sym_form_is_leb(form))
			base_cursor_uleb(c);
		else
			pd_cursor_bytes(c, UINT64_MAX);
	}
}

void sym_skip_form(struct pd_cursor *c, uint64_t form, const struct sym_encoding *encoding)
{
	/* The form comes before the value, and must not be DW_FORM_indirect again. */
	if (form == DW_FORM_indirect)
		form = base_cursor_uleb(c);
	int size = sym_form_size(form, encoding);
	if (size >= 0)
		pd_cursor_bytes(c, (uint64_t)size);
	else
		skip_varying(c, form);
}

/*
 * Read one abbreviation with its attributes. Returns false at the end of the table, or if there is
 * no memory (*nomem_ret).
 */
static bool read_abbrev(struct sym_abbrevs *abbrevs, struct sym_abbrev *ret, bool *nomem_ret)
{
	struct pd_cursor *c = &abbrevs->rest;
	struct sym_abbrev abbrev = {
		.code = base_cursor_uleb(c),
		.first_spec = (uint32_t)abbrevs->specs.n,
	};

	if (!abbrev.code)
		return false;
	abbrev.tag = (uint16_t)base_cursor_uleb(c);
	abbrev.has_children = pd_cursor_u8(c);
	for (;;) {
		struct sym_attr_spec spec = { .name = (uint16_t)base_cursor_uleb(c) };
		uint64_t form = base_cursor_uleb(c);

		if (form == DW_FORM_implicit_const) {
			uint64_t constant = (uint64_t)base_cursor_sleb(c);

			spec.constant = constant <= UINT32_MAX ? (uint32_t)constant : 0;
		}
		if (c->overrun)
			return false;
		if (abbrevs->specs.n >= MAX_SPECS) {
			base_limit_reach(PD_LIMIT_ID_ABBREVIATION_SPECS);
			return false;
		}
		if (!spec.name && !form)
			break;
		if (abbrev.n_specs == MAX_ATTRS) {
			base_limit_reach(PD_LIMIT_ID_ENTRY_ATTRIBUTES);
			return false;
		}
		/* All known forms fit into 16 bits. Larger ones are unknown, and so is 0. */
		spec.form = form <= UINT16_MAX ? (uint16_t)form : 0;
		*nomem_ret = !pd_vec_push(&abbrevs->specs, spec);
		if (*nomem_ret)
			return false;
		int size = sym_form_size(spec.form, &abbrevs->encoding);
		abbrev.fixed_size =
			size < 0 || abbrev.fixed_size < 0 ? -1 : abbrev.fixed_size + size;
		abbrev.has_sibling |= spec.name == DW_AT_sibling;
		abbrev.n_specs++;
	}
	*ret = abbrev;
	return true;
}

/* Add the abbreviation at index @p i of the list to the map. The first one of a code is valid. */
static bool map_code(struct sym_abbrevs *abbrevs, size_t i)
{
	bool is_new;
	uint64_t *index = base_map_add(&abbrevs->by_code, abbrevs->list.data[i].code, &is_new);

	if (index && is_new)
		*index = i;
	return index != NULL;
}

/*
 * Compilers number abbreviations from 1 on, which makes them array elements. Other tables have a
 * map. Returns false if memory ran out.
 */
static bool add_abbrev(struct sym_abbrevs *abbrevs, struct sym_abbrev abbrev)
{
	size_t n = abbrevs->list.n;

	if (!pd_vec_push(&abbrevs->list, abbrev))
		return false;
	if (abbrevs->is_dense && abbrev.code == n + 1)
		return true;
	for (size_t i = 0; abbrevs->is_dense && i < n; i++) {
		if (!map_code(abbrevs, i))
			return false;
	}
	abbrevs->is_dense = false;
	return map_code(abbrevs, n);
}

struct sym_abbrevs sym_abbrevs_init(
	const struct sym_section *section, const struct sym_unit_header *unit)
{
	struct sym_abbrevs abbrevs = { .is_dense = true, .encoding = unit->encoding };

	if (unit->abbrev_offset < section->size)
		abbrevs.rest = pd_cursor_init(section->data + unit->abbrev_offset,
			section->size - unit->abbrev_offset, unit->encoding.swap);
	return abbrevs;
}

bool sym_abbrevs_read(struct sym_abbrevs *abbrevs, uint64_t last, uint64_t *left)
{
	struct sym_abbrev abbrev;
	bool nomem = false;

	/* Callers take the address of the list even if no abbreviation has attributes. */
	if (!pd_vec_reserve(&abbrevs->specs, 1))
		return false;
	if (last && sym_abbrevs_find(abbrevs, last))
		return true;
	while (*left && pd_cursor_left(&abbrevs->rest)) {
		if (!read_abbrev(abbrevs, &abbrev, &nomem)) {
			abbrevs->rest = (struct pd_cursor){ 0 };
			break;
		}
		uint64_t cost = 1 + (uint64_t)abbrev.n_specs;

		*left -= cost < *left ? cost : *left;
		if (!add_abbrev(abbrevs, abbrev))
			return false;
		if (abbrev.code == last)
			break;
	}
	if (!*left && pd_cursor_left(&abbrevs->rest))
		base_limit_reach(PD_LIMIT_ID_ABBREVIATION_READS);
	return !nomem;
}

void sym_abbrevs_deinit(struct sym_abbrevs *abbrevs)
{
	pd_vec_deinit(&abbrevs->list);
	pd_vec_deinit(&abbrevs->specs);
	base_map_deinit(&abbrevs->by_code);
}

const struct sym_abbrev *sym_abbrevs_find(const struct sym_abbrevs *abbrevs, uint64_t code)
{
	if (abbrevs->is_dense)
		return code && code <= abbrevs->list.n ? &abbrevs->list.data[code - 1] : NULL;
	const uint64_t *index = base_map_find(&abbrevs->by_code, code);
	return index ? &abbrevs->list.data[*index] : NULL;
}
