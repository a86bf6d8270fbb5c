#include "symbolize/dwarf_names.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "symbolize/demangle.h"
#include "symbolize/dwarf_lines.h"
#include "symbolize/dwarf_scopes.h"
#include "symbolize/dwarf_walk.h"

/* From an inlined call to its function, to the definition, to the declaration: 3 in practice. */
enum { MAX_ORIGINS = 8 };

/* A function, as the entries that describe it say. */
struct function {
	const char *name;
	const char *linkage;
	uint32_t line;
};

/* What was read of a scope; scopes are shared by many addresses. */
struct scope_facts {
	bool is_read;
	/** In namer.functions. */
	uint32_t function;
	uint32_t call_line;
	uint64_t call_file;
};

struct namer {
	struct sym_dwarf *dwarf;
	Dwarf_Die *unit_die;
	const struct sym_opts *opts;
	struct pd_arena *arena;
	struct sym_containers containers;
	struct sym_walk walk;
	struct sym_lines lines;
	/** One for each of walk.scopes. */
	struct scope_facts *facts;
	/** Entry (its address in memory) -> number in functions. */
	struct pd_map known;
	PD_VEC(struct function) functions;
};

/* A place in the source. */
struct place {
	const char *file;
	uint32_t line;
};

static uint32_t to_line(uint64_t line)
{
	return line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* Take from @p die what those before it in the chain did not give. */
static void gather(struct namer *nm, Dwarf_Die *die, struct function *f)
{
	if (!f->linkage)
		f->linkage = sym_dwarf_text(nm->dwarf, die, DW_AT_linkage_name);
	if (!f->linkage)
		f->linkage = sym_dwarf_text(nm->dwarf, die, DW_AT_MIPS_linkage_name);
	if (!f->name)
		f->name = sym_dwarf_text(nm->dwarf, die, DW_AT_name);
	if (!f->line)
		f->line = to_line(sym_dwarf_number(nm->dwarf, die, DW_AT_decl_line, 0));
}

/* The entry that @p die refers to for what it does not say itself. */
static bool follow(struct namer *nm, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die next;

	if (!sym_dwarf_attr(nm->dwarf, die, DW_AT_abstract_origin, &attr) &&
		!sym_dwarf_attr(nm->dwarf, die, DW_AT_specification, &attr))
		return false;
	if (!dwarf_formref_die(&attr, &next))
		return false;
	*die = next;
	return true;
}

/* From names in the file to names in the arena, as a person reads them. @p die declares it. */
static struct pd_error *keep_names(struct namer *nm, Dwarf_Die *die, struct function *f)
{
	const char *linkage = f->linkage ? f->linkage : f->name;
	bool is_plain = !f->linkage;

	f->linkage = NULL;
	f->name = NULL;
	if (!linkage)
		return NULL;
	f->linkage = pd_arena_strndup(nm->arena, linkage, strnlen(linkage, SYM_NAME_MAX));
	if (!f->linkage)
		return &pd_enomem;
	f->name = f->linkage;
	if (nm->opts->no_demangle)
		return NULL;
	if (is_plain)
		return sym_qualify(
			&nm->containers, nm->dwarf, nm->unit_die, die, &f->name, nm->arena);
	f->name = sym_demangle(nm->arena, f->linkage);
	return f->name ? NULL : &pd_enomem;
}

static struct pd_error *read_function(struct namer *nm, Dwarf_Die die, uint32_t *ret)
{
	struct function f = { 0 };
	Dwarf_Die origin = die;
	bool is_new;

	/* A concrete function has an entry of its own; calls share that of what they call. */
	if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
		follow(nm, &origin);
	uint64_t *number = pd_map_add(&nm->known, (uintptr_t)origin.addr, &is_new);
	if (!number)
		return &pd_enomem;
	if (is_new) {
		int hops = 0;

		do
			gather(nm, &origin, &f);
		while (++hops < MAX_ORIGINS && follow(nm, &origin));
		*number = nm->functions.n;
		struct pd_error *err = keep_names(nm, &origin, &f);
		if (err)
			return err;
		if (!pd_vec_push(&nm->functions, f))
			return &pd_enomem;
	}
	*ret = (uint32_t)*number;
	return NULL;
}

static struct pd_error *read_scope(struct namer *nm, uint32_t scope)
{
	struct scope_facts *facts = &nm->facts[scope];
	Dwarf_Die die;

	if (facts->is_read)
		return NULL;
	facts->is_read = true;
	facts->function = UINT32_MAX;
	if (!dwarf_offdie(nm->dwarf->dw, nm->walk.scopes.data[scope].die_offset, &die))
		return NULL;
	facts->call_line = to_line(sym_dwarf_number(nm->dwarf, &die, DW_AT_call_line, 0));
	facts->call_file = sym_dwarf_number(nm->dwarf, &die, DW_AT_call_file, UINT64_MAX);
	return read_function(nm, die, &facts->function);
}

static struct pd_error *to_place(struct namer *nm, uint64_t file, uint32_t line, struct place *ret)
{
	*ret = (struct place){ .line = line };
	return sym_lines_file(&nm->lines, file, nm->arena, &ret->file);
}

/* Fill in one scope's name, and move @p place out to where it was called. */
static struct pd_error *name_scope(
	struct namer *nm, uint32_t scope, struct place *place, struct sym_name *ret)
{
	struct pd_error *err = read_scope(nm, scope);
	const struct scope_facts *facts = &nm->facts[scope];

	*ret = (struct sym_name){ .file = place->file, .line = place->line };
	if (err)
		return err;
	if (facts->function != UINT32_MAX) {
		const struct function *f = &nm->functions.data[facts->function];

		ret->function = f->name;
		ret->linkage = f->linkage;
		ret->start_line = f->line;
	}
	if (nm->walk.scopes.data[scope].outer == SYM_NO_SCOPE || nm->opts->no_lines)
		return NULL;
	return to_place(nm, facts->call_file, facts->call_line, place);
}

static uint32_t depth_of(const struct namer *nm, uint32_t scope)
{
	uint32_t depth = 0;

	for (; scope != SYM_NO_SCOPE; scope = nm->walk.scopes.data[scope].outer)
		depth++;
	return depth;
}

/* The names at one address, whose innermost scope and place are given. */
static struct pd_error *name_address(
	struct namer *nm, uint32_t scope, struct place place, struct sym_names *ret)
{
	uint32_t n = depth_of(nm, scope);
	bool only_outermost = nm->opts->no_inline || !n;

	if (!n && !place.line && !place.file)
		return NULL;
	ret->names = pd_arena_alloc(nm->arena, (only_outermost ? 1 : n) * sizeof(*ret->names));
	if (!ret->names)
		return &pd_enomem;
	ret->names[0] = (struct sym_name){ .file = place.file, .line = place.line };
	for (uint32_t i = 0; scope != SYM_NO_SCOPE; i++) {
		struct pd_error *err =
			name_scope(nm, scope, &place, &ret->names[only_outermost ? 0 : i]);

		if (err)
			return err;
		scope = nm->walk.scopes.data[scope].outer;
	}
	ret->n = only_outermost ? 1 : n;
	return NULL;
}

static struct pd_error *name_all(struct namer *nm, const struct sym_wanted *wanted,
	const uint64_t *addrs, size_t n, struct sym_names *ret)
{
	_cleanup_free_ struct sym_line *lines = calloc(n, sizeof(*lines));
	struct place place = { 0 };

	nm->facts = calloc(nm->walk.scopes.n + 1, sizeof(*nm->facts));
	if (!lines || !nm->facts)
		return &pd_enomem;
	if (!nm->opts->no_lines)
		sym_lines_find(&nm->lines, addrs, n, lines);
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = NULL;

		if (!nm->opts->no_lines)
			err = to_place(nm, (uint64_t)lines[i].file - 1, lines[i].line, &place);
		if (!err)
			err = name_address(nm, nm->walk.innermost[i], place, &ret[wanted[i].index]);
		if (err)
			return err;
	}
	return NULL;
}

static void namer_deinit(struct namer *nm)
{
	sym_walk_deinit(&nm->walk);
	sym_lines_deinit(&nm->lines);
	sym_containers_deinit(&nm->containers);
	pd_map_deinit(&nm->known);
	pd_vec_deinit(&nm->functions);
	free(nm->facts);
}

struct pd_error *sym_unit_names(struct sym_dwarf *dwarf, const struct sym_opts *opts,
	const struct sym_wanted *wanted, size_t n, struct pd_arena *arena, struct sym_names *ret)
{
	Dwarf_Die *die = &dwarf->units[wanted->unit].die;
	struct namer nm = { .dwarf = dwarf, .unit_die = die, .opts = opts, .arena = arena };
	_cleanup_free_ uint64_t *addrs = reallocarray(NULL, n, sizeof(*addrs));
	struct sym_unit_header unit;

	if (!addrs)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		addrs[i] = wanted[i].addr;
	if (!sym_unit_header_read(&dwarf->info, dwarf_dieoffset(die) - dwarf_cuoffset(die),
		    dwarf->image->swap, &unit))
		return NULL;
	struct pd_error *err = sym_walk_init(&nm.walk, dwarf, &unit, addrs, n);
	if (!err && !opts->no_lines)
		err = sym_lines_init(&nm.lines, dwarf, die);
	if (!err)
		err = name_all(&nm, wanted, addrs, n, ret);
	namer_deinit(&nm);
	return err;
}
