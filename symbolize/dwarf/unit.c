#include "symbolize/dwarf/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/leb.h"
#include "base/limit.h"
#include "base/containers/map.h"
#include "base/lower_bound.h"
#include "symbolize/dwarf/containers.h"
#include "symbolize/file/image_sections.h"

enum {
	/*
	 * Attributes of abbreviations that may be kept, and the numbers above which they are
	 * dropped between units: while units are listed, and later.
	 */
	MAX_KEPT_SPECS = PD_LIMIT_KEPT_SPECS,
	TRIM_LISTED_SPECS = 1 << 19,
	TRIM_SPECS = 1 << 22,
	/* Size of a table in memory without its attributes, in attributes. */
	TABLE_SPECS = 64,
	/*
	 * Upper limit for reading abbreviations: in multiples of the size of the section, of which
	 * an attribute takes two bytes, and what may be read in addition. Tables that are not
	 * damaged do not overlap, and are read again only if they were dropped.
	 */
	ABBREVIATION_READS = PD_LIMIT_ABBREVIATION_READS,
	MORE_SPECS = 1 << 16,
	/*
	 * Upper limit for reading lists of ranges, in multiples of the size of their sections.
	 * Compilers share the lists of blocks that have the same code, and a unit is traversed
	 * twice at most.
	 */
	RANGE_LIST_READS = PD_LIMIT_RANGE_LIST_READS,
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

static void destroy_abbrevs(struct sym_debug_file *file)
{
	base_map_each(slot, &file->abbrevs)
	{
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
		struct sym_abbrevs *abbrevs = (void *)(uintptr_t)slot->value;

		if (!abbrevs)
			continue;
		sym_abbrevs_deinit(abbrevs);
		free(abbrevs);
	}
	base_map_deinit(&file->abbrevs);
	file->n_specs = 0;
}

/* Key of a unit's table. Sizes of attributes depend on the encoding of the unit. */
static uint64_t table_key(const struct sym_unit_header *header)
{
	const struct sym_encoding *e = &header->encoding;
	uint64_t encoding =
		e->addr_size | (uint64_t)e->offset_size << 4 | (uint64_t)(e->version == 2) << 8;

	return header->abbrev_offset ^ encoding << 48;
}

static struct sym_abbrevs *create_table(struct sym_unit *unit)
{
	struct sym_abbrevs *table = malloc(sizeof(*table));

	if (table)
		*table = sym_abbrevs_init(&unit->file->sections.abbrev, &unit->header);
	return table;
}

/*
 * Find the table of a unit, and read it up to the abbreviation with the code @p last, or to its end
 * if that is 0. Returns NULL if memory ran out.
 */
static const struct sym_abbrevs *read_table(struct sym_unit *unit, uint64_t last)
{
	struct sym_debug_file *file = unit->file;
	uint64_t *slot = base_map_add(&file->abbrevs, table_key(&unit->header), NULL);

	if (!slot)
		return NULL;
	if (!*slot) {
		*slot = (uintptr_t)create_table(unit);
		file->n_specs += TABLE_SPECS;
	}
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
	struct sym_abbrevs *table = (void *)(uintptr_t)*slot;
	if (!table)
		return NULL;
	size_t before = table->specs.n;
	bool ok = sym_abbrevs_read(table, last, &file->specs_left);
	file->n_specs += table->specs.n - before;
	return ok ? table : NULL;
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

	pd_cursor_bytes(&c, unit->header.offset + unit->header.size);
	uint64_t code = base_cursor_uleb(&c);
	if (!code || c.overrun)
		return true;
	if (unit->file->n_specs > TRIM_LISTED_SPECS)
		destroy_abbrevs(unit->file);
	/*
	 * sym_entry_init() would read the whole table if the unit had none. This one may end with
	 * the abbreviation of the unit's own entry, so it must not stay with the unit.
	 */
	unit->abbrevs = read_table(unit, code);
	if (!unit->abbrevs)
		return false;
	if (sym_entry_init(&entry, unit, unit->header.offset + unit->header.size)) {
		unit->tag = entry.abbrev->tag;
		read_root_attrs(unit, &entry);
	}
	unit->abbrevs = NULL;
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

	file->list_bytes_left = RANGE_LIST_READS * ((uint64_t)file->sections.ranges.size +
							   (uint64_t)file->sections.rnglists.size);
	file->specs_left = ABBREVIATION_READS * (uint64_t)file->sections.abbrev.size + MORE_SPECS;
	while (offset < file->sections.info.size &&
		(!file->max_units || file->units.n < file->max_units)) {
		bool is_known =
			sym_unit_header_read(&file->sections.info, offset, file->swap, &header);

		if (is_known && !add_unit(file, &header))
			return &pd_enomem;
		/* A unit of unknown length hides all units after it. */
		if (header.end <= offset)
			return NULL;
		offset = header.end;
	}
	if (offset < file->sections.info.size)
		base_limit_reach(PD_LIMIT_ID_SPLIT_UNITS);
	return NULL;
}

struct pd_error *sym_debug_file_init(struct sym_debug_file *file, const struct sym_image *image)
{
	*file = (struct sym_debug_file){ .swap = image->swap };
	sym_debug_sections_find(&file->sections, image, false);
	struct pd_error *err = sym_image_check(image);
	return err ? err : sym_debug_file_list(file);
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
	for (size_t i = 0; i < file->units.n; i++)
		file->units.data[i].abbrevs = NULL;
}

struct sym_unit *sym_debug_file_unit(struct sym_debug_file *file, uint64_t offset)
{
	size_t n = base_lower_bound(file->units.n, i, file->units.data[i].header.offset <= offset);

	struct sym_unit *unit = n ? &file->units.data[n - 1] : NULL;
	return unit && offset < unit->header.end ? unit : NULL;
}

const struct sym_abbrevs *sym_unit_abbrevs(struct sym_unit *unit)
{
	struct sym_debug_file *file = unit->file;

	if (unit->abbrevs)
		return unit->abbrevs;
	if (file->n_specs > MAX_KEPT_SPECS) {
		base_limit_reach(PD_LIMIT_ID_KEPT_SPECS);
		return NULL;
	}
	unit->abbrevs = read_table(unit, 0);
	file->nomem = file->nomem || !unit->abbrevs;
	return unit->abbrevs;
}
