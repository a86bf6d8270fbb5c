#include "symbolize/dwarf/traversal.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/leb.h"
#include "symbolize/dwarf/extents.h"

enum {
	/* Entries nest no deeper than source does; what is deeper is stepped over. */
	MAX_DEPTH = 256,
	/*
	 * Ranges read in one unit. Entries may share a list of ranges, so the file's size is no
	 * bound.
	 */
	MAX_RANGES = 1 << 24,
};

/* Whose children may be, or lie below, a scope. */
enum passage {
	STEP_OVER,
	/** Entered. */
	ENTER,
	/** Entered when functions were not found elsewhere. */
	ENTER_THOROUGHLY,
	/** Entered if it holds an address. */
	FUNCTION,
	INLINED,
};

/* All others are stepped over. */
static const struct {
	uint16_t tag;
	enum passage passage;
} PASSAGES[] = {
	{ DW_TAG_compile_unit, ENTER },
	{ DW_TAG_skeleton_unit, ENTER },
	{ DW_TAG_namespace, ENTER },
	{ DW_TAG_module, ENTER },
	{ DW_TAG_lexical_block, ENTER },
	{ DW_TAG_try_block, ENTER },
	{ DW_TAG_catch_block, ENTER },
	{ DW_TAG_with_stmt, ENTER },
	{ DW_TAG_class_type, ENTER_THOROUGHLY },
	{ DW_TAG_structure_type, ENTER_THOROUGHLY },
	{ DW_TAG_union_type, ENTER_THOROUGHLY },
	{ DW_TAG_interface_type, ENTER_THOROUGHLY },
	{ DW_TAG_variant_part, ENTER_THOROUGHLY },
	{ DW_TAG_variant, ENTER_THOROUGHLY },
	{ DW_TAG_subprogram, FUNCTION },
	{ DW_TAG_inlined_subroutine, INLINED },
};

static enum passage passage_of(uint16_t tag)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(PASSAGES); i++) {
		if (PASSAGES[i].tag == tag)
			return PASSAGES[i].passage;
	}
	return STEP_OVER;
}

/* What the walk reads of an entry. */
struct entry {
	uint64_t offset;
	const struct sym_abbrev *abbrev;
	uint64_t low;
	bool has_low;
	struct sym_attr high;
	struct sym_attr ranges;
	/** In .debug_info; 0 if it does not say. */
	uint64_t sibling;
};

struct walker {
	struct sym_walk *result;
	struct sym_unit *unit;
	const struct sym_abbrevs *abbrevs;
	struct pd_cursor c;
	bool is_thorough;
	bool nomem;
	/** Of the entry that is looked at. */
	struct sym_extents ranges;
	/** How deep the walk is, and how deep it was where it began to step over (0: it does not).
	 */
	uint32_t depth;
	uint32_t skip_depth;
	/** The scope around the entries of each depth. */
	uint32_t scopes[MAX_DEPTH];
};

static void read_ranges(struct walker *w, const struct entry *e)
{
	w->ranges.list.n = 0;
	bool ok = e->ranges.form ? sym_extents_add_list(&w->ranges, w->unit, &e->ranges)
				 : sym_extents_add_bounds(
					   &w->ranges, w->unit, e->has_low, e->low, &e->high);
	w->nomem = w->nomem || !ok;
}

static uint32_t add_scope(struct walker *w, const struct entry *e, uint32_t outer)
{
	struct sym_scope scope = { .die_offset = e->offset, .outer = outer };

	w->nomem = w->nomem || w->result->scopes.n >= SYM_NO_SCOPE - 1 ||
		   !pd_vec_push(&w->result->scopes, scope);
	return w->nomem ? SYM_NO_SCOPE : (uint32_t)w->result->scopes.n - 1;
}

/*
 * The scope of a function; SYM_NO_SCOPE if it holds no wanted address. One within a function has
 * code of its own. An address belongs to the first function that claims it: folded functions share
 * theirs.
 */
static uint32_t function_scope(struct walker *w, const struct entry *e, uint32_t outer)
{
	struct sym_claims *claims = &w->result->claims;

	read_ranges(w, e);
	if (!sym_claims_is_hit(claims, w->ranges.list.data, w->ranges.list.n))
		return SYM_NO_SCOPE;
	if (outer == SYM_NO_SCOPE)
		sym_claims_close(claims);
	uint32_t scope = add_scope(w, e, SYM_NO_SCOPE);
	if (scope != SYM_NO_SCOPE)
		sym_claims_take(claims, w->ranges.list.data, w->ranges.list.n, scope);
	return scope;
}

/* The scope of an inlined call; SYM_NO_SCOPE if the scope around it has none of its code. */
static uint32_t call_scope(struct walker *w, const struct entry *e, uint32_t outer)
{
	read_ranges(w, e);
	if (!sym_claims_paint(&w->result->claims, w->ranges.list.data, w->ranges.list.n, outer,
		    (uint32_t)w->result->scopes.n))
		return SYM_NO_SCOPE;
	return add_scope(w, e, outer);
}

static bool is_local_reference(uint16_t form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

static void read_attr(struct walker *w, const struct sym_attr_spec *spec, struct entry *e)
{
	const struct sym_encoding *encoding = &w->unit->header.encoding;
	struct sym_attr attr;

	switch (spec->name) {
	case DW_AT_low_pc:
		sym_attr_read(&w->c, spec, encoding, &attr);
		e->has_low = sym_attr_address(w->unit, &attr, &e->low);
		break;
	case DW_AT_high_pc:
		sym_attr_read(&w->c, spec, encoding, &e->high);
		break;
	case DW_AT_ranges:
		sym_attr_read(&w->c, spec, encoding, &e->ranges);
		break;
	case DW_AT_sibling:
		sym_attr_read(&w->c, spec, encoding, &attr);
		if (is_local_reference(attr.form))
			e->sibling = w->unit->header.offset + attr.value;
		break;
	default:
		sym_skip_form(&w->c, spec->form, encoding);
	}
}

/* Read the attributes of an entry, or only move past them. */
static void read_attrs(struct walker *w, struct entry *e, bool is_needed)
{
	const struct sym_abbrev *abbrev = e->abbrev;
	const struct sym_attr_spec *specs = w->abbrevs->specs.data + abbrev->first_spec;

	if (!is_needed && abbrev->fixed_size >= 0) {
		pd_cursor_bytes(&w->c, (uint64_t)abbrev->fixed_size);
		return;
	}
	for (uint32_t i = 0; i < abbrev->n_specs && !w->c.overrun; i++) {
		if (is_needed)
			read_attr(w, &specs[i], e);
		else
			sym_skip_form(&w->c, specs[i].form, &w->unit->header.encoding);
	}
}

static uint64_t position(const struct walker *w)
{
	return (uint64_t)(w->c.pos - w->unit->file->sections.info.data);
}

/* Step over the children of @p e: jump if it says where they end, else read on to their end. */
static void skip_children(struct walker *w, const struct entry *e)
{
	if (e->sibling > position(w) && e->sibling < w->unit->header.end) {
		w->c.pos = w->unit->file->sections.info.data + e->sibling;
		return;
	}
	w->skip_depth = ++w->depth;
}

static void enter(struct walker *w, const struct entry *e, uint32_t scope)
{
	if (w->depth + 1 >= MAX_DEPTH) {
		skip_children(w, e);
		return;
	}
	w->scopes[++w->depth] = scope;
}

static void visit(struct walker *w, struct entry *e)
{
	enum passage passage = passage_of(e->abbrev->tag);
	uint32_t outer = w->scopes[w->depth], inner = outer;
	bool enters = passage == ENTER || (passage == ENTER_THOROUGHLY && w->is_thorough);

	read_attrs(w, e, passage >= FUNCTION || e->abbrev->has_sibling);
	if (w->c.overrun)
		return;
	if (passage == FUNCTION) {
		inner = function_scope(w, e, outer);
		enters = inner != SYM_NO_SCOPE || w->is_thorough;
	} else if (passage == INLINED && outer != SYM_NO_SCOPE) {
		inner = call_scope(w, e, outer);
		enters = inner != SYM_NO_SCOPE;
	}
	if (!e->abbrev->has_children)
		return;
	if (enters)
		enter(w, e, inner);
	else
		skip_children(w, e);
}

/* False at the end of the unit, or where it is damaged. */
static bool step(struct walker *w)
{
	struct entry e = { .offset = position(w) };
	uint64_t code = pd_cursor_uleb(&w->c);

	if (w->c.overrun || w->nomem || w->result->claims.nomem)
		return false;
	if (!code) {
		if (!w->depth)
			return false;
		if (w->skip_depth == w->depth)
			w->skip_depth = 0;
		w->depth--;
		return w->depth > 0;
	}
	e.abbrev = sym_abbrevs_find(w->abbrevs, code);
	if (!e.abbrev)
		return false;
	if (!w->skip_depth) {
		visit(w, &e);
		return true;
	}
	read_attrs(w, &e, false);
	w->depth += e.abbrev->has_children;
	return true;
}

static void walk_once(struct walker *w)
{
	const struct sym_unit_header *header = &w->unit->header;

	w->c = pd_cursor_init(
		w->unit->file->sections.info.data, header->end, header->encoding.swap);
	pd_cursor_bytes(&w->c, header->offset + header->size);
	w->depth = 0;
	w->skip_depth = 0;
	w->scopes[0] = SYM_NO_SCOPE;
	w->ranges.left = MAX_RANGES;
	while (step(w))
		;
}

struct pd_error *sym_walk_init(struct sym_walk *walk, struct sym_unit *unit, const uint64_t *addrs,
	const struct sym_extent *code, size_t n)
{
	struct walker w = { .result = walk, .unit = unit, .abbrevs = sym_unit_abbrevs(unit) };

	*walk = (struct sym_walk){ 0 };
	w.nomem = !sym_claims_init(&walk->claims, addrs, code, n);
	if (!w.nomem && w.abbrevs)
		walk_once(&w);
	/*
	 * Fortran, Ada and GNU C have functions inside functions, whose addresses the outer one
	 * does not claim; some compilers put them inside types. They are rare enough to come second.
	 */
	if (!w.nomem && w.abbrevs && sym_claims_are_missing(&walk->claims)) {
		w.is_thorough = true;
		walk_once(&w);
	}
	if (!w.nomem)
		sym_claims_finish(&walk->claims);
	pd_vec_deinit(&w.ranges.list);
	if (!w.nomem && !walk->claims.nomem)
		return NULL;
	sym_walk_deinit(walk);
	return &pd_enomem;
}

void sym_walk_deinit(struct sym_walk *walk)
{
	pd_vec_deinit(&walk->scopes);
	sym_claims_deinit(&walk->claims);
	*walk = (struct sym_walk){ 0 };
}
