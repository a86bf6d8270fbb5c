#include "symbolize/dwarf/extents.h"

#include "base/integer.h"
#include "base/leb.h"
#include "base/limit.h"

bool sym_extents_have_code(const struct sym_extents *code, uint64_t addr)
{
	for (size_t i = 0; i < code->list.n; i++) {
		if (addr >= code->list.data[i].start && addr < code->list.data[i].end)
			return true;
	}
	return code->list.n == 0;
}

bool sym_extents_add(struct sym_extents *extents, uint64_t start, uint64_t end)
{
	struct sym_extent extent = { start, end };

	return start >= end || pd_vec_push(&extents->list, extent);
}

/* State of reading one list. */
struct reader {
	struct sym_extents *extents;
	const struct sym_unit *unit;
	struct pd_cursor c;
	uint64_t base;
	uint8_t addr_size;
	bool nomem;
};

static uint64_t all_ones(const struct reader *r)
{
	return r->addr_size == 8 ? UINT64_MAX : UINT32_MAX;
}

static void add(struct reader *r, uint64_t start, uint64_t end)
{
	/* Linkers write the highest address for code that they removed. */
	if (start >= all_ones(r))
		return;
	if (r->extents->left)
		r->nomem = !sym_extents_add(r->extents, start, end);
	else
		r->extents->is_cut = r->extents->is_cut || start < end;
}

static bool read_pair(struct reader *r)
{
	uint64_t start = base_cursor_uint(&r->c, r->addr_size);
	uint64_t end = base_cursor_uint(&r->c, r->addr_size);

	if (r->c.overrun || (!start && !end))
		return false;
	if (start == all_ones(r))
		r->base = end;
	else
		add(r, r->base + start, r->base + end);
	return true;
}

static uint64_t read_index(struct reader *r)
{
	uint64_t addr = UINT64_MAX;

	if (!sym_unit_address(r->unit, base_cursor_uleb(&r->c), &addr))
		r->c.overrun = true;
	return addr;
}

static bool read_entry(struct reader *r)
{
	uint64_t start, end;

	switch (pd_cursor_u8(&r->c)) {
	case DW_RLE_base_addressx:
		r->base = read_index(r);
		return true;
	case DW_RLE_base_address:
		r->base = base_cursor_uint(&r->c, r->addr_size);
		return true;
	case DW_RLE_startx_endx:
		start = read_index(r);
		end = read_index(r);
		break;
	case DW_RLE_startx_length:
		start = read_index(r);
		end = start + base_cursor_uleb(&r->c);
		break;
	case DW_RLE_offset_pair:
		start = r->base + base_cursor_uleb(&r->c);
		end = r->base + base_cursor_uleb(&r->c);
		/* The range is relative to code that the linker removed. */
		if (r->base >= all_ones(r) - 1)
			return true;
		break;
	case DW_RLE_start_end:
		start = base_cursor_uint(&r->c, r->addr_size);
		end = base_cursor_uint(&r->c, r->addr_size);
		break;
	case DW_RLE_start_length:
		start = base_cursor_uint(&r->c, r->addr_size);
		end = start + base_cursor_uleb(&r->c);
		break;
	default:
		return false;
	}
	if (!r->c.overrun)
		add(r, start, end);
	return true;
}

/* Read the list at @p offset of a section of @p file. */
static bool read_list(struct reader *r, struct sym_debug_file *file,
	const struct sym_section *section, uint64_t offset, bool (*read)(struct reader *))
{
	if (offset >= section->size)
		return true;
	const uint8_t *start = section->data + offset;
	uint64_t size = section->size - offset;
	r->c.pos = start;
	r->c.end = start + (size < file->list_bytes_left ? size : file->list_bytes_left);
	while (!r->c.overrun && !r->nomem && !r->extents->is_cut && read(r)) {
		if (r->extents->left)
			r->extents->left--;
	}
	if (r->c.overrun && size > file->list_bytes_left)
		base_limit_reach(PD_LIMIT_ID_RANGE_LIST_READS);
	file->list_bytes_left -= (uint64_t)(r->c.pos - start);
	return !r->nomem;
}

/* Offset of list number @p index. The unit's part of the section begins with a table of offsets. */
static uint64_t offset_at(const struct sym_unit *unit, uint64_t index)
{
	const struct sym_section *section = &unit->file->sections.rnglists;
	unsigned size = unit->header.encoding.offset_size;

	if (unit->rnglists_base > section->size ||
		index >= (section->size - unit->rnglists_base) / size)
		return UINT64_MAX;
	struct pd_cursor c = pd_cursor_init(
		section->data + unit->rnglists_base + index * size, size, unit->file->swap);
	return unit->rnglists_base + base_cursor_uint(&c, size);
}

bool sym_extents_add_list(
	struct sym_extents *extents, const struct sym_unit *unit, const struct sym_attr *attr)
{
	const struct sym_unit *owner = unit->skeleton ? unit->skeleton : unit;
	struct reader r = {
		.extents = extents,
		.unit = unit,
		.c = { .swap = unit->file->swap },
		.base = owner->low_pc,
		.addr_size = unit->header.encoding.addr_size,
	};

	if (unit->header.encoding.version >= 5) {
		uint64_t offset =
			attr->form == DW_FORM_rnglistx ? offset_at(unit, attr->value) : attr->value;
		return read_list(
			&r, unit->file, &unit->file->sections.rnglists, offset, read_entry);
	}
	/* In GNU split units of version 4 the lists are in the main file. */
	r.c.swap = owner->file->swap;
	uint64_t base = unit->skeleton ? owner->ranges_base : 0;
	return read_list(
		&r, owner->file, &owner->file->sections.ranges, base + attr->value, read_pair);
}

bool sym_extents_add_bounds(struct sym_extents *extents, const struct sym_unit *unit, bool has_low,
	uint64_t low, const struct sym_attr *high)
{
	uint64_t end;

	if (!has_low)
		return true;
	if (!sym_attr_address(unit, high, &end)) {
		if (!sym_attr_number(high, &end))
			return true;
		end += low;
	}
	if (!extents->left) {
		extents->is_cut = extents->is_cut || low < end;
		return true;
	}
	extents->left--;
	return sym_extents_add(extents, low, end);
}
