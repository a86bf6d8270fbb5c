#include "symbolize/dwarf/containers.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/leb.h"
#include "base/limit.h"
#include "base/lower_bound.h"
#include "symbolize/symbols/demangle.h"

enum { MAX_DEPTH = PD_LIMIT_DIE_DEPTH, MAX_PARTS = PD_LIMIT_NAME_PARTS };

/* Languages whose functions have qualified names, and the separator in these. */
static const struct {
	uint16_t language;
	const char *separator;
} LANGUAGES[] = {
	{ DW_LANG_C_plus_plus, "::" },
	{ DW_LANG_C_plus_plus_03, "::" },
	{ DW_LANG_C_plus_plus_11, "::" },
	{ DW_LANG_C_plus_plus_14, "::" },
	{ 0x002a /* C++17 */, "::" },
	{ 0x002b /* C++20 */, "::" },
	{ DW_LANG_ObjC_plus_plus, "::" },
	{ DW_LANG_Rust, "::" },
	{ DW_LANG_Fortran90, "::" },
	{ DW_LANG_Fortran95, "::" },
	{ DW_LANG_Fortran03, "::" },
	{ DW_LANG_Fortran08, "::" },
	{ 0x002d /* Fortran 2018 */, "::" },
	{ DW_LANG_D, "." },
	{ DW_LANG_Haskell, "." },
	{ DW_LANG_Swift, "." },
};

struct reader {
	struct sym_containers *result;
	const struct sym_unit_header *unit;
	const struct sym_abbrevs *abbrevs;
	const uint8_t *info;
	struct pd_cursor c;
	uint32_t depth;
	/** Innermost container around the entries of each depth. */
	uint32_t around[MAX_DEPTH];
};

void sym_containers_destroy(struct sym_containers *containers)
{
	if (!containers)
		return;
	pd_vec_deinit(&containers->list);
	free(containers);
}

static bool is_container(uint16_t tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_interface_type || tag == DW_TAG_enumeration_type;
}

static uint64_t position(const struct reader *r)
{
	return (uint64_t)(r->c.pos - r->info);
}

/* Skip the attributes of an entry. Returns the offset of its sibling, or 0 if it has none. */
static uint64_t skip_attrs(struct reader *r, const struct sym_abbrev *abbrev)
{
	const struct sym_attr_spec *specs = r->abbrevs->specs.data + abbrev->first_spec;
	uint64_t sibling = 0;

	if (abbrev->fixed_size >= 0 && !abbrev->has_sibling) {
		pd_cursor_bytes(&r->c, (uint64_t)abbrev->fixed_size);
		return 0;
	}
	for (uint32_t i = 0; i < abbrev->n_specs && !r->c.overrun; i++) {
		if (specs[i].name == DW_AT_sibling && specs[i].form == DW_FORM_ref4)
			sibling = r->unit->offset + pd_cursor_u32(&r->c);
		else
			sym_skip_form(&r->c, specs[i].form, &r->unit->encoding);
	}
	return sibling;
}

/* Enter the children of an entry. */
static bool descend(struct reader *r, const struct sym_abbrev *abbrev, uint64_t start)
{
	uint32_t around = r->depth < MAX_DEPTH ? r->around[r->depth] : SYM_NO_CONTAINER;

	if (is_container(abbrev->tag)) {
		struct sym_container container = { start, UINT64_MAX, around };

		if (!pd_vec_push(&r->result->list, container))
			return false;
		around = (uint32_t)r->result->list.n - 1;
	}
	if (++r->depth < MAX_DEPTH)
		r->around[r->depth] = around;
	else
		base_limit_reach(PD_LIMIT_ID_DIE_DEPTH);
	return true;
}

/* Leave the children of an entry. */
static void ascend(struct reader *r)
{
	if (r->depth < MAX_DEPTH && r->around[r->depth] != SYM_NO_CONTAINER &&
		r->around[r->depth] != r->around[r->depth - 1])
		r->result->list.data[r->around[r->depth]].end = position(r);
	r->depth--;
}

/*
 * Read one entry. Returns false at the end of the unit, at damage, or without memory (*nomem_ret).
 */
static bool step(struct reader *r, bool *nomem_ret)
{
	uint64_t start = position(r);
	uint64_t code = base_cursor_uleb(&r->c);

	if (r->c.overrun)
		return false;
	if (!code) {
		if (r->depth)
			ascend(r);
		return r->depth > 0;
	}
	const struct sym_abbrev *abbrev = sym_abbrevs_find(r->abbrevs, code);
	if (!abbrev)
		return false;
	uint64_t sibling = skip_attrs(r, abbrev);
	if (!abbrev->has_children)
		return true;
	/*
	 * Only the children of containers matter: types within functions are not part of qualified
	 * names.
	 */
	if (!is_container(abbrev->tag) && sibling > position(r) && sibling < r->unit->end) {
		r->c.pos = r->info + sibling;
		return true;
	}
	*nomem_ret = !descend(r, abbrev, start);
	return !*nomem_ret;
}

/* Find the containers of @p unit, on first use. Returns NULL if there is no memory. */
static const struct sym_containers *containers_of(struct sym_unit *unit)
{
	struct reader r = {
		.unit = &unit->header,
		.abbrevs = sym_unit_abbrevs(unit),
		.info = unit->file->sections.info.data,
		.around = { SYM_NO_CONTAINER },
	};
	bool nomem = false;

	if (unit->containers)
		return unit->containers;
	r.result = calloc(1, sizeof(*r.result));
	PD_IS_OWNED(r.result, "sym_containers_destroy() frees it with the unit");
	unit->containers = r.result;
	if (!r.result || !r.abbrevs)
		return r.result;
	/*
	 * The cursor starts at the section instead of the unit, so that positions are offsets in
	 * .debug_info, like those of entries. Damage ends the loop: a container that is still open
	 * then extends to the end of the unit.
	 */
	r.c = pd_cursor_init(r.info, unit->header.end, unit->file->swap);
	pd_cursor_bytes(&r.c, unit->header.offset + unit->header.size);
	while (step(&r, &nomem))
		;
	return nomem ? NULL : r.result;
}

/* Index of the innermost container around the entry at @p offset. */
static uint32_t find_container(const struct sym_containers *containers, uint64_t offset)
{
	const struct sym_container *list = containers->list.data;
	size_t n = base_lower_bound(containers->list.n, i, list[i].start < offset);

	uint32_t i = n ? (uint32_t)(n - 1) : SYM_NO_CONTAINER;
	while (i != SYM_NO_CONTAINER && list[i].end <= offset)
		i = list[i].outer;
	return i;
}

static const char *container_name(struct sym_unit *unit, uint64_t offset)
{
	struct sym_entry entry;
	struct sym_attr attr;
	const char *name = NULL;

	if (!sym_entry_init(&entry, unit, offset))
		return NULL;
	while (!name && sym_entry_next(&entry, &attr)) {
		if (attr.name == DW_AT_name)
			name = sym_attr_text(unit, &attr);
	}
	if (name)
		return sym_name_is_long(name) ? NULL : name;
	return entry.abbrev->tag == DW_TAG_namespace ? "(anonymous namespace)" : "(anonymous)";
}

/*
 * Join the names of containers, outermost first, and @p name, with the separator after each
 * container.
 */
static char *join(const char *const *parts, size_t n, const char *separator, const char *name,
	struct base_arena *arena)
{
	size_t size = strlen(name) + 1;

	for (size_t i = 0; i < n; i++)
		size += strlen(parts[i]) + strlen(separator);
	/* If the result would be too long, the name stays unqualified. */
	if (size > SYM_NAME_MAX && base_limit_reach(PD_LIMIT_ID_FUNCTION_NAME_BYTES)) {
		size = strlen(name) + 1;
		n = 0;
	}
	char *text = base_arena_alloc(arena, size);
	if (!text)
		return NULL;
	char *end = text;
	while (n--)
		end = stpcpy(stpcpy(end, parts[n]), separator);
	memcpy(end, name, strlen(name) + 1);
	return text;
}

static const char *separator_of(uint16_t language)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(LANGUAGES); i++) {
		if (LANGUAGES[i].language == language)
			return LANGUAGES[i].separator;
	}
	return NULL;
}

struct pd_error *sym_qualify(const struct sym_entry *entry, uint16_t language, const char **name,
	struct base_arena *arena)
{
	const char *separator = separator_of(language);
	const char *parts[MAX_PARTS];
	size_t n = 0;

	if (!separator)
		return NULL;
	const struct sym_containers *containers = containers_of(entry->unit);
	if (!containers)
		return &pd_enomem;
	uint32_t i = find_container(containers, entry->offset);
	for (; i != SYM_NO_CONTAINER && n < MAX_PARTS; i = containers->list.data[i].outer) {
		PD_IS_TRUE(containers->list.data, "the container is in the list");
		/* A container whose name is damaged or too long is left out of the name. */
		parts[n] = container_name(entry->unit, containers->list.data[i].start);
		n += parts[n] != NULL;
	}
	if (i != SYM_NO_CONTAINER)
		base_limit_reach(PD_LIMIT_ID_NAME_PARTS);
	const char *text = join(parts, n, separator, *name, arena);
	if (!text)
		return &pd_enomem;
	*name = text;
	return NULL;
}
