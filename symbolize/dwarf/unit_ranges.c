#include "symbolize/dwarf/unit_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "base/containers/map.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/demangle_rewrite.h"
#include "symbolize/symbols/languages.h"
#include "symbolize/dwarf/line_table.h"
#include "symbolize/dwarf/containers.h"
#include "symbolize/dwarf/traversal.h"
#include "symbolize/table/ranges.h"

/* An attribute of calls that clang writes, and the header of elfutils lacks. */
#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator 0x2136
#endif

/*
 * Maximum length of a chain of references: from an inlined call to its function, its definition and
 * its declaration it is 3.
 */
enum { MAX_ORIGINS = PD_LIMIT_DIE_ORIGINS };

enum {
	/*
	 * Upper limit for locations read at once. Units may share lists of ranges, so the size of
	 * the file does not limit it. All functions of the largest programs have a few million.
	 */
	MAX_LOCATIONS = PD_LIMIT_UNIT_LOCATIONS,
	/* Entries from the parameter "this" to its class: constants, a pointer, and the class. */
	MAX_TYPES = 6,
	/* Bytes of temporary names at which their arena is emptied. */
	MAX_NAMES = 1 << 20,
};

/* Attributes of a function, collected from all entries that describe it. */
struct function {
	const char *name;
	const char *linkage;
	uint32_t line;
	uint32_t file;
	/** Entry of the parameter "this", if there is one. */
	struct sym_entry object;
	bool has_object;
	/** Last entry of the chain, which is the declaration. */
	struct sym_entry declaration;
};

struct reader {
	struct sym_dwarf *dwarf;
	/** Unit of the main file, which has the addresses, the lines and the file names. */
	uint32_t number;
	struct sym_unit *unit;
	/** Unit with the entries: the same one, or the split unit that belongs to it. */
	struct sym_unit *entries;
	struct sym_split split;
	const struct sym_dwarf_target *target;
	/** Names that are not yet among the strings of the table. */
	struct base_arena arena;
	struct sym_traversal traversal;
	struct sym_lines lines;
	struct sym_line_rows rows;
	/** Address of an entry in memory -> index in the table's functions. */
	struct base_map known;
	/** Index of the first new scope in the table. */
	uint32_t first_scope;
	/** Address that was looked up last, and the first range of the unit that ends after it. */
	uint64_t searched;
	struct sym_extent extent;
};

static uint32_t to_line(const struct sym_attr *attr)
{
	uint64_t line;

	return sym_attr_number(attr, &line) && line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* Find the path of the file number in @p attr among the strings of the table. */
static struct pd_error *to_file(struct reader *r, const struct sym_attr *attr, uint32_t *ret)
{
	uint64_t file;

	if (!sym_attr_number(attr, &file))
		return NULL;
	return sym_lines_file(&r->lines, file, r->target->ranges, ret);
}

/*
 * Collect the attributes of @p entry that the entries before it in the chain did not have.
 * *origin_ret is the reference to the next entry, if there is one.
 */
static struct pd_error *gather(
	struct reader *r, struct sym_entry *entry, struct function *f, struct sym_attr *origin_ret)
{
	struct sym_attr attr;

	while (sym_entry_next(entry, &attr)) {
		struct pd_error *err = NULL;

		switch (attr.name) {
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			if (!f->linkage)
				f->linkage = sym_attr_text(entry->unit, &attr);
			break;
		case DW_AT_name:
			if (!f->name)
				f->name = sym_attr_text(entry->unit, &attr);
			break;
		case DW_AT_decl_line:
			if (!f->line)
				f->line = to_line(&attr);
			break;
		case DW_AT_decl_file:
			/* File numbers of another unit belong to another line table. */
			if (!f->file && entry->unit == r->entries)
				err = to_file(r, &attr, &f->file);
			break;
		case DW_AT_object_pointer:
			f->has_object = sym_attr_reference(entry->unit, &attr, &f->object);
			break;
		case DW_AT_abstract_origin:
		case DW_AT_specification:
			*origin_ret = attr;
			break;
		default:
			break;
		}
		if (err)
			return err;
	}
	return NULL;
}

static bool is_class(const struct sym_entry *entry)
{
	return entry->abbrev->tag == DW_TAG_structure_type ||
	       entry->abbrev->tag == DW_TAG_class_type;
}

/*
 * Take the location of a closure from its class: gcc gives none to its operator(). The parameter
 * "this" leads to the class, through types of pointers and constants.
 */
static struct pd_error *locate_closure(struct reader *r, struct function *f)
{
	struct sym_entry entry = f->object;

	for (int hops = 0; f->has_object && hops < MAX_TYPES; hops++) {
		struct sym_attr attr, type = { 0 };
		struct sym_unit *unit = entry.unit;
		bool is_found = is_class(&entry);

		while (sym_entry_next(&entry, &attr)) {
			struct pd_error *err = NULL;

			if (attr.name == DW_AT_type)
				type = attr;
			else if (is_found && attr.name == DW_AT_decl_line)
				f->line = to_line(&attr);
			else if (is_found && attr.name == DW_AT_decl_file && unit == r->entries)
				err = to_file(r, &attr, &f->file);
			if (err)
				return err;
		}
		if (is_found || !type.form || !sym_attr_reference(unit, &type, &entry))
			return NULL;
	}
	return NULL;
}

static struct pd_error *gather_all(struct reader *r, struct sym_entry *entry, struct function *f)
{
	for (int hops = 0; hops < MAX_ORIGINS; hops++) {
		struct sym_attr origin = { 0 };

		f->declaration = *entry;
		struct pd_error *err = gather(r, entry, f, &origin);
		if (err)
			return err;
		if (!origin.form || !sym_attr_reference(f->declaration.unit, &origin, entry))
			return f->line ? NULL : locate_closure(r, f);
	}
	base_limit_reach(PD_LIMIT_ID_DIE_ORIGINS);
	return NULL;
}

/*
 * Whether the linkage name of a function shows how the source names it, with namespaces and types.
 * Fortran's "solve_" and "MAIN__" do not, nor do Haskell's "r2MX_info" of local functions, nor what
 * a newer compiler has mangled in a way that is not known here.
 */
static bool has_full_linkage(struct reader *r, const struct function *f, uint16_t language)
{
	uint32_t languages = sym_languages_of_unit(language, 0);

	if (!f->linkage ||
		(!(languages & (SYM_FORTRAN | SYM_HASKELL)) && !sym_is_unusual(f->linkage)))
		return f->linkage;
	/* Long names are shown in short, and would take long if many functions shared one. */
	if (strnlen(f->linkage, PD_LIMIT_MANGLED_BYTES) == PD_LIMIT_MANGLED_BYTES)
		return true;
	return sym_demangle(&r->arena, f->linkage, PD_NAME_FORM_TEMPLATES, languages) != f->linkage;
}

/* Add the name of a function with the namespaces and types around it, if it needs them. */
static struct pd_error *add_qualified(
	struct reader *r, const struct function *f, uint16_t language, uint32_t *ret)
{
	const char *name = f->name;

	if (!name || has_full_linkage(r, f, language))
		return NULL;
	struct pd_error *err = sym_qualify(&f->declaration, language, &name, &r->arena);
	/* Names of languages without such scopes stay as they are, and may be mangled. */
	if (err || name == f->name)
		return err;
	return sym_ranges_string(r->target->ranges, name, ret);
}

/* Add a function to the table. */
static struct pd_error *add_function(struct reader *r, const struct function *f, uint64_t *ret)
{
	struct sym_ranges *ranges = r->target->ranges;
	const struct sym_unit *unit = f->declaration.unit;
	uint16_t language = unit->language ? unit->language : r->entries->language;
	struct sym_range_function function = {
		.file = f->file,
		.line = f->line,
		.languages = sym_languages_of_unit(language, ranges->languages),
	};
	const char *name = f->linkage ? f->linkage : f->name;

	if (name) {
		size_t len = sym_name_is_long(name) ? SYM_NAME_MAX : strlen(name);

		name = base_arena_strndup(&r->arena, name, len);
		if (!name)
			return &pd_enomem;
		struct pd_error *err = sym_ranges_string(ranges, name, &function.linkage);
		if (err)
			return err;
	}
	struct pd_error *err = add_qualified(r, f, language, &function.qualified);
	if (err)
		return err;
	*ret = ranges->functions.n;
	return pd_vec_push(&ranges->functions, function) ? NULL : &pd_enomem;
}

/* Find or add the function at @p entry. *ret is its index in the table. */
static struct pd_error *read_function(struct reader *r, struct sym_entry *entry, uint32_t *ret)
{
	const uint8_t *die = entry->unit->file->sections.info.data + entry->offset;
	struct function f = { 0 };
	bool is_new;

	uint64_t *number = base_map_add(&r->known, (uintptr_t)die, &is_new);
	if (!number)
		return &pd_enomem;
	if (is_new) {
		/* Names in the arena were copied to the table by now. */
		if (r->arena.used > MAX_NAMES)
			base_arena_deinit(&r->arena);
		struct pd_error *err = gather_all(r, entry, &f);
		if (err)
			return err;
		err = add_function(r, &f, number);
		if (err)
			return err;
	}
	*ret = (uint32_t)*number;
	return NULL;
}

/* Read an inlined call. All calls of a function share the entry of the abstract function. */
static struct pd_error *read_call(
	struct reader *r, struct sym_entry *entry, struct sym_range_scope *ret)
{
	struct sym_entry callee = *entry, origin;
	struct sym_attr attr;

	while (sym_entry_next(entry, &attr)) {
		if (attr.name == DW_AT_call_line) {
			ret->call_line = to_line(&attr);
		} else if (attr.name == DW_AT_GNU_discriminator) {
			ret->call_discriminator = to_line(&attr);
		} else if (attr.name == DW_AT_call_file) {
			struct pd_error *err = to_file(r, &attr, &ret->call_file);
			if (err)
				return err;
		} else if (attr.name == DW_AT_abstract_origin &&
			   sym_attr_reference(entry->unit, &attr, &origin)) {
			callee = origin;
		}
	}
	return read_function(r, &callee, &ret->function);
}

static struct pd_error *read_scope(
	struct reader *r, const struct sym_scope *scope, struct sym_range_scope *ret)
{
	struct sym_entry entry;

	*ret = (struct sym_range_scope){ .function = SYM_NONE, .outer = SYM_NONE };
	if (scope->outer != SYM_NO_SCOPE)
		ret->outer = r->first_scope + scope->outer;
	if (!sym_entry_init(&entry, r->entries, scope->die_offset))
		return NULL;
	if (scope->outer != SYM_NO_SCOPE)
		return read_call(r, &entry, ret);
	return read_function(r, &entry, &ret->function);
}

static struct pd_error *read_scopes(struct reader *r)
{
	struct sym_ranges *ranges = r->target->ranges;

	if (ranges->scopes.n + r->traversal.scopes.n >= SYM_NONE)
		return &pd_enomem;
	r->first_scope = (uint32_t)ranges->scopes.n;
	for (size_t i = 0; i < r->traversal.scopes.n; i++) {
		struct sym_range_scope scope;
		struct pd_error *err = read_scope(r, &r->traversal.scopes.data[i], &scope);

		if (err)
			return err;
		if (!pd_vec_push(&ranges->scopes, scope))
			return &pd_enomem;
	}
	return NULL;
}

static bool is_same_location(const struct sym_location_range *a, const struct sym_location_range *b)
{
	return a->scope == b->scope && a->file == b->file && a->line == b->line &&
	       a->discriminator == b->discriminator;
}

/* Add a location, or extend the previous one if they differ in nothing but the address. */
static struct pd_error *add_location(
	const struct sym_dwarf_target *target, struct sym_location_range location)
{
	struct sym_new_ranges *fresh = target->fresh;
	struct sym_location_range *last =
		fresh->locations.n ? &fresh->locations.data[fresh->locations.n - 1] : NULL;

	PD_IS_TRUE(fresh->locations.data || !fresh->locations.cap,
		"a vector without data has no room");
	location.start += target->bias;
	location.end += target->bias;
	/* A range that would wrap around ends at the end of the address space. */
	if (location.end <= location.start)
		location.end = UINT64_MAX;
	if (last && last->end == location.start && is_same_location(last, &location)) {
		last->end = location.end;
		return NULL;
	}
	return pd_vec_push(&fresh->locations, location) ? NULL : &pd_enomem;
}

struct pd_error *sym_dwarf_note_nothing(
	const struct sym_dwarf_target *target, const struct sym_extent *extent)
{
	struct sym_location_range location = {
		.start = extent->start,
		.end = extent->end,
		.scope = SYM_NONE,
	};

	return add_location(target, location);
}

/*
 * Make r->extent the range of the unit that contains @p addr, or the next one. Units may claim code
 * of each other, in any number of parts.
 */
static struct pd_error *find_own_extent(struct reader *r, uint64_t addr)
{
	if (addr >= r->searched && addr < r->extent.end)
		return NULL;
	r->searched = addr;
	if (sym_dwarf_find_unit(r->dwarf, addr, &r->extent) == r->number)
		return NULL;
	return sym_dwarf_next_own(r->dwarf, r->number, addr, &r->extent);
}

/* Add the parts of @p location that belong to this unit according to the index of units. */
static struct pd_error *add_own_part(struct reader *r, struct sym_location_range location)
{
	uint64_t end = location.end;

	while (location.start < end) {
		struct pd_error *err = find_own_extent(r, location.start);

		if (err || r->extent.start >= end)
			return err;
		if (location.start < r->extent.start)
			location.start = r->extent.start;
		location.end = end < r->extent.end ? end : r->extent.end;
		err = add_location(r->target, location);
		if (err)
			return err;
		location.start = location.end;
	}
	return NULL;
}

/*
 * Add a piece of code, divided by the rows of the line table, of which *next is the first that may
 * matter.
 */
static struct pd_error *add_piece(struct reader *r, const struct sym_piece *piece, size_t *next)
{
	struct sym_location_range location = { .start = piece->start, .scope = SYM_NONE };
	const struct sym_line_row *rows = r->rows.list.data;

	if (piece->scope != SYM_NO_SCOPE)
		location.scope = r->first_scope + piece->scope;
	while (location.start < piece->end) {
		struct pd_error *err = NULL;
		const struct sym_line_row *row;

		while (*next < r->rows.list.n && rows[*next].end <= location.start)
			++*next;
		row = *next < r->rows.list.n && rows[*next].start < piece->end ? &rows[*next]
									       : NULL;
		location.end = piece->end;
		location.file = location.line = location.discriminator = 0;
		/* Code before the row has no line, but may be in a scope. */
		if (row && row->start > location.start) {
			location.end = row->start;
		} else if (row) {
			location.end = row->end < piece->end ? row->end : piece->end;
			location.line = row->line;
			location.discriminator = row->discriminator;
			err = sym_lines_file(
				&r->lines, row->file, r->target->ranges, &location.file);
		}
		if (err)
			return err;
		err = add_own_part(r, location);
		if (err)
			return err;
		location.start = location.end;
	}
	return NULL;
}

static struct pd_error *add_locations(struct reader *r)
{
	const struct sym_claims *claims = &r->traversal.claims;
	size_t next = 0;

	for (size_t i = 0; i < claims->done.n; i++) {
		struct pd_error *err = add_piece(r, &claims->done.data[i], &next);

		if (err)
			return err;
	}
	return NULL;
}

/* Read the line table for the pieces of code. Adjacent pieces are joined. */
static struct pd_error *read_lines(struct reader *r)
{
	const struct sym_claims *claims = &r->traversal.claims;
	_cleanup_free_ struct sym_extent *code =
		reallocarray(NULL, claims->done.n + 1, sizeof(*code));
	size_t n = 0;

	if (!code)
		return &pd_enomem;
	for (size_t i = 0; i < claims->done.n; i++) {
		const struct sym_piece *piece = &claims->done.data[i];

		if (n && code[n - 1].end == piece->start)
			code[n - 1].end = piece->end;
		else if (!n || code[n - 1].end < piece->start)
			code[n++] = (struct sym_extent){ piece->start, piece->end };
	}
	return sym_lines_run(&r->lines, &r->dwarf->code, code, n, &r->rows);
}

static void reader_deinit(struct reader *r)
{
	sym_traversal_deinit(&r->traversal);
	sym_split_deinit(&r->split);
	sym_lines_deinit(&r->lines);
	base_map_deinit(&r->known);
	pd_vec_deinit(&r->rows.list);
	base_arena_deinit(&r->arena);
}

/*
 * Find the split unit that belongs to a skeleton. Without it, symbols and lines remain, and the
 * functions that clang leaves in the skeleton for this case.
 */
static struct pd_error *open_split(struct reader *r)
{
	struct sym_dwarf *dwarf = r->dwarf;
	struct sym_ranges *ranges = r->target->ranges;
	bool had_package = dwarf->package.image != NULL;

	if (!r->unit->dwo_name)
		return NULL;
	struct pd_error *err = sym_package_find(&dwarf->package, &dwarf->split_search);
	if (err)
		return err;
	if (dwarf->package.image && !had_package) {
		err = sym_note_range_file(
			ranges, SYM_RANGE_FILE_PACKAGE, dwarf->package.image, NULL, 0);
		if (err)
			return err;
	}
	err = sym_split_init(&r->split, &dwarf->package, &dwarf->split_search, r->unit);
	if (err)
		return err;
	if (r->split.unit)
		r->entries = r->split.unit;
	/* The package was recorded once, when it was found. */
	if (r->split.unit && !r->split.image)
		return NULL;
	return sym_note_range_file(ranges, SYM_RANGE_FILE_SPLIT, r->split.image,
		r->split.wanted.text, r->unit->dwo_id);
}

/* Record that nothing is known about the code around the addresses. */
static struct pd_error *note_unknown(
	const struct sym_dwarf_target *target, const struct sym_extent *code, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i && code[i].start == code[i - 1].start)
			continue;
		struct pd_error *err = sym_dwarf_note_nothing(target, &code[i]);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *read_unit(
	struct reader *r, const uint64_t *addrs, const struct sym_extent *code, size_t n)
{
	struct pd_error *err = open_split(r);

	if (err)
		return err;
	err = sym_traverse(&r->traversal, r->entries, &r->dwarf->code, addrs, code, n);
	if (err)
		return err;
	/*
	 * The skeleton has the line program, also for the code of its split unit. Lines are read
	 * after the traversal, because only those of claimed code are kept.
	 */
	err = sym_lines_init(&r->lines, r->unit, &r->dwarf->line_bytes_left);
	if (err)
		return err;
	err = read_lines(r);
	if (err)
		return err;
	err = read_scopes(r);
	if (err)
		return err;
	err = add_locations(r);
	if (err)
		return err;
	/* Functions that read entries cannot return this error. */
	bool nomem = r->dwarf->main.nomem || r->dwarf->alt.nomem || r->split.file.nomem;

	return nomem ? &pd_enomem : sym_image_check(r->split.image);
}

struct pd_error *sym_unit_read(struct sym_dwarf *dwarf, uint32_t unit, const uint64_t *addrs,
	size_t n, const struct sym_dwarf_target *target)
{
	struct sym_unit *own = &dwarf->main.units.data[unit];
	struct reader r = {
		.dwarf = dwarf,
		.number = unit,
		.unit = own,
		.entries = own,
		.target = target,
	};
	_cleanup_free_ struct sym_extent *code = reallocarray(NULL, n + 1, sizeof(*code));

	if (!code)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		sym_dwarf_find_unit(dwarf, addrs[i], &code[i]);
	if (target->fresh->locations.n > MAX_LOCATIONS) {
		base_limit_reach(PD_LIMIT_ID_UNIT_LOCATIONS);
		return note_unknown(target, code, n);
	}
	/* Abbreviations are dropped here because no entry refers to them between two units. */
	sym_debug_file_trim(&dwarf->main);
	sym_debug_file_trim(&dwarf->alt);
	struct pd_error *err = read_unit(&r, addrs, code, n);
	reader_deinit(&r);
	return err;
}
