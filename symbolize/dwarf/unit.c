#include "symbolize/dwarf/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/leb.h"
#include "base/map.h"
#include "base/search.h"
#include "symbolize/dwarf/containers.h"

enum {
	/*
	 * Attributes of abbreviations that may be kept, and the number above which they are dropped
	 * between units. Tables may overlap, so the size of the file does not limit them.
	 */
	MAX_KEPT_SPECS = 1 << 24,
	TRIM_SPECS = 1 << 22,
	/*
	 * Upper limit for attributes read to list the units. A hundred thousand units may need a
	 * thousand each.
	 */
	MAX_ROOT_SPECS = 1 << 28,
};

static const struct {
	const char *name;
	size_t offset;
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
	for (size_t i = 0; i < PD_ARRAY_LEN(SECTIONS); i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%s", SECTIONS[i].name, is_split ? ".dwo" : "");
		sym_image_section(
			image, name, (struct sym_section *)((char *)sections + SECTIONS[i].offset));
	}
}

/*
 * Default offset of a unit's part of a section, if the unit's own entry has none: after the
 * section's header.
 */
static uint64_t default_base(const struct sym_unit *unit, uint64_t header_size)
{
	bool has_header = unit->file->is_split && unit->header.encoding.version >= 5;

	if (!has_header)
		return 0;
	return unit->header.encoding.offset_size == 8 ? header_size + 8 : header_size;
}

/* Attributes of a unit's own entry that can only be evaluated after all bases are known. */
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
	/* The value is an address or an offset from DW_AT_low_pc, depending on its form. */
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
	/* From version 5 on, the id is in the header of the unit. */
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
	/* These may be indexes into sections, whose bases can come after them in the entry. */
	unit->comp_dir = sym_attr_text(unit, &root.comp_dir);
	unit->dwo_name = sym_attr_text(unit, &root.dwo_name);
	unit->has_low_pc = sym_attr_address(unit, &root.low_pc, &unit->low_pc);
}

/*
 * Read the unit's own entry, with no more abbreviations than it needs. Returns false if there is no
 * memory.
 */
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
	/*
	 * sym_entry_init() would read the whole table if the unit had none. This one ends with the
	 * abbreviation of the unit's own entry, so it must not stay with the unit.
	 */
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
		/* A unit of unknown length hides all units after it. */
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
	pd_map_each (slot, &file->abbrevs) {
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
		struct sym_abbrevs *abbrevs = (void *)(uintptr_t)slot->value;

		if (!abbrevs)
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
	size_t n = pd_lower_bound(file->units.n, i, file->units.data[i].header.offset <= offset);

	struct sym_unit *unit = n ? &file->units.data[n - 1] : NULL;
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
