#include "symbolize/dwarf/traversal.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/leb.h"
#include "base/limit.h"
#include "symbolize/dwarf/extents.h"

enum {
	/*
	 * Maximum depth of entries. Source code is not nested as deeply; deeper entries are
	 * skipped.
	 */
	MAX_DEPTH = PD_LIMIT_DIE_DEPTH,
	/*
	 * Upper limit for ranges read in one unit. Entries may share a list of ranges, so the size
	 * of the file does not limit it.
	 */
	MAX_RANGES = PD_LIMIT_UNIT_RANGES,
};

/* Treatment of an entry whose children may contain functions and inlined calls. */
enum treatment {
	STEP_OVER,
	/** Traverse them. */
	ENTER,
	/** Traverse them in the second pass, for functions that were not found in the first one. */
	ENTER_THOROUGHLY,
	/** Traverse them. In the second pass the entry may be a part of the function around it. */
	BLOCK,
	/** Traverse them if the entry's code contains a wanted address. */
	FUNCTION,
	INLINED,
};

/* Tags of entries whose children matter. Children of all others are skipped. */
static const struct {
	uint16_t tag;
	enum treatment treatment;
} TREATMENTS[] = {
	{ DW_TAG_compile_unit, ENTER },
	{ DW_TAG_skeleton_unit, ENTER },
	{ DW_TAG_namespace, ENTER },
	{ DW_TAG_module, ENTER },
	{ DW_TAG_lexical_block, BLOCK },
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

static enum treatment treatment_of(uint16_t tag)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(TREATMENTS); i++) {
		if (TREATMENTS[i].tag == tag)
			return TREATMENTS[i].treatment;
	}
	return STEP_OVER;
}

/* Attributes of an entry that matter here. */
struct entry {
	uint64_t offset;
	const struct sym_abbrev *abbrev;
	uint64_t low;
	bool has_low;
	struct sym_attr high;
	struct sym_attr ranges;
	/** Offset of the sibling in .debug_info; 0 if the entry has none. */
	uint64_t sibling;
};

struct traverser {
	struct sym_traversal *result;
	struct sym_unit *unit;
	/** Where code is: see sym_dwarf.code. */
	const struct sym_extents *all_code;
	const struct sym_abbrevs *abbrevs;
	struct pd_cursor c;
	bool is_thorough;
	bool nomem;
	/** Ranges of the current entry. */
	struct sym_extents ranges;
	/** Current depth, and the depth at which skipping began (0: not skipping). */
	uint32_t depth;
	uint32_t skip_depth;
	/** Innermost scope around the entries of each depth. */
	uint32_t scopes[MAX_DEPTH];
	/** Offset of the innermost function around the entries of each depth; 0 outside of them. */
	uint64_t functions[MAX_DEPTH];
};

static void read_ranges(struct traverser *t, const struct entry *e)
{
	t->ranges.list.n = 0;
	bool ok = e->ranges.form ? sym_extents_add_list(&t->ranges, t->unit, &e->ranges)
				 : sym_extents_add_bounds(
					   &t->ranges, t->unit, e->has_low, e->low, &e->high);
	t->nomem = t->nomem || !ok;
	if (t->ranges.is_cut)
		base_limit_reach(PD_LIMIT_ID_UNIT_RANGES);
}

/* Leave out the ranges of a function that the linker has removed. */
static void drop_removed(struct traverser *t)
{
	struct sym_extent *list = t->ranges.list.data;
	size_t n = 0;

	for (size_t i = 0; i < t->ranges.list.n; i++) {
		if (sym_extents_have_code(t->all_code, list[i].start))
			list[n++] = list[i];
	}
	t->ranges.list.n = n;
}

static uint32_t add_scope(struct traverser *t, uint64_t die_offset, uint32_t outer)
{
	struct sym_scope scope = { .die_offset = die_offset, .outer = outer };

	t->nomem = t->nomem || t->result->scopes.n >= SYM_NO_SCOPE - 1 ||
		   !pd_vec_push(&t->result->scopes, scope);
	return t->nomem ? SYM_NO_SCOPE : (uint32_t)t->result->scopes.n - 1;
}

/*
 * Create the scope of a function, whose entry is at @p function, with the code of @p e. Returns
 * SYM_NO_SCOPE if that contains no wanted address. A nested function has separate code. Folded
 * functions share their code, so an address belongs to the first function that claims it.
 */
static uint32_t function_scope(
	struct traverser *t, const struct entry *e, uint64_t function, uint32_t outer)
{
	struct sym_claims *claims = &t->result->claims;

	read_ranges(t, e);
	drop_removed(t);
	if (!sym_claims_is_hit(claims, t->ranges.list.data, t->ranges.list.n))
		return SYM_NO_SCOPE;
	/* A function that is not nested ends the one before it, whose pieces are complete now. */
	if (outer == SYM_NO_SCOPE)
		sym_claims_close(claims);
	uint32_t scope = add_scope(t, function, SYM_NO_SCOPE);
	if (scope != SYM_NO_SCOPE)
		sym_claims_take(claims, t->ranges.list.data, t->ranges.list.n, scope);
	return scope;
}

/*
 * Create the scope of an inlined call. Returns SYM_NO_SCOPE if it has no code of the enclosing
 * scope.
 */
static uint32_t call_scope(struct traverser *t, const struct entry *e, uint32_t outer)
{
	read_ranges(t, e);
	if (!sym_claims_paint(&t->result->claims, t->ranges.list.data, t->ranges.list.n, outer,
		    (uint32_t)t->result->scopes.n))
		return SYM_NO_SCOPE;
	return add_scope(t, e->offset, outer);
}

static bool is_local_reference(uint16_t form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

static void read_attr(struct traverser *t, const struct sym_attr_spec *spec, struct entry *e)
{
	const struct sym_encoding *encoding = &t->unit->header.encoding;
	struct sym_attr attr;

	switch (spec->name) {
	case DW_AT_low_pc:
		sym_attr_read(&t->c, spec, encoding, &attr);
		e->has_low = sym_attr_address(t->unit, &attr, &e->low);
		break;
	case DW_AT_high_pc:
		sym_attr_read(&t->c, spec, encoding, &e->high);
		break;
	case DW_AT_ranges:
		sym_attr_read(&t->c, spec, encoding, &e->ranges);
		break;
	case DW_AT_sibling:
		sym_attr_read(&t->c, spec, encoding, &attr);
		if (is_local_reference(attr.form))
			e->sibling = t->unit->header.offset + attr.value;
		break;
	/* Most attributes do not matter here, and skipping them is faster than reading them. */
	default:
		sym_skip_form(&t->c, spec->form, encoding);
	}
}

/* Read the attributes of an entry, or only skip them. */
static void read_attrs(struct traverser *t, struct entry *e, bool is_needed)
{
	const struct sym_abbrev *abbrev = e->abbrev;
	const struct sym_attr_spec *specs = t->abbrevs->specs.data + abbrev->first_spec;

	if (!is_needed && abbrev->fixed_size >= 0) {
		pd_cursor_bytes(&t->c, (uint64_t)abbrev->fixed_size);
		return;
	}
	for (uint32_t i = 0; i < abbrev->n_specs && !t->c.overrun; i++) {
		if (is_needed)
			read_attr(t, &specs[i], e);
		else
			sym_skip_form(&t->c, specs[i].form, &t->unit->header.encoding);
	}
}

static uint64_t position(const struct traverser *t)
{
	return (uint64_t)(t->c.pos - t->unit->file->sections.info.data);
}

/* Skip the children of @p e: jump to its sibling or, if that is not known, read on to their end. */
static void skip_children(struct traverser *t, const struct entry *e)
{
	if (e->sibling > position(t) && e->sibling < t->unit->header.end) {
		t->c.pos = t->unit->file->sections.info.data + e->sibling;
		return;
	}
	t->skip_depth = ++t->depth;
}

static void enter(struct traverser *t, const struct entry *e, uint32_t scope)
{
	if (t->depth + 1 >= MAX_DEPTH) {
		base_limit_reach(PD_LIMIT_ID_DIE_DEPTH);
		skip_children(t, e);
		return;
	}
	uint64_t function = t->functions[t->depth];

	t->scopes[++t->depth] = scope;
	t->functions[t->depth] = e->abbrev->tag == DW_TAG_subprogram ? e->offset : function;
}

static void visit(struct traverser *t, struct entry *e)
{
	enum treatment treatment = treatment_of(e->abbrev->tag);
	uint32_t outer = t->scopes[t->depth], inner = outer;
	uint64_t function = t->functions[t->depth];
	bool is_part = treatment == BLOCK && t->is_thorough && function && outer == SYM_NO_SCOPE;
	bool enters = treatment == ENTER || treatment == BLOCK ||
		      (treatment == ENTER_THOROUGHLY && t->is_thorough);

	read_attrs(t, e, treatment >= FUNCTION || is_part || e->abbrev->has_sibling);
	if (t->c.overrun)
		return;
	/*
	 * A function without a wanted address is entered in the thorough pass only, for the
	 * functions nested in it. Its inlined calls contain no wanted address either.
	 */
	if (treatment == FUNCTION) {
		inner = function_scope(t, e, e->offset, outer);
		enters = inner != SYM_NO_SCOPE || t->is_thorough;
	} else if (is_part) {
		inner = function_scope(t, e, function, outer);
	} else if (treatment == INLINED && outer != SYM_NO_SCOPE) {
		inner = call_scope(t, e, outer);
		enters = inner != SYM_NO_SCOPE;
	}
	if (!e->abbrev->has_children)
		return;
	if (enters)
		enter(t, e, inner);
	else
		skip_children(t, e);
}

/* Process one entry. Returns false at the end of the unit or at damage. */
static bool step(struct traverser *t)
{
	struct entry e = { .offset = position(t) };
	uint64_t code = base_cursor_uleb(&t->c);

	if (t->c.overrun || t->nomem || t->result->claims.nomem)
		return false;
	/*
	 * Code 0 ends a list of children. At depth 1 it ends those of the unit's own entry, and
	 * with that the unit.
	 */
	if (!code) {
		if (!t->depth)
			return false;
		if (t->skip_depth == t->depth)
			t->skip_depth = 0;
		t->depth--;
		return t->depth > 0;
	}
	e.abbrev = sym_abbrevs_find(t->abbrevs, code);
	if (!e.abbrev)
		return false;
	if (!t->skip_depth) {
		visit(t, &e);
		return true;
	}
	read_attrs(t, &e, false);
	t->depth += e.abbrev->has_children;
	return true;
}

static void traverse_once(struct traverser *t)
{
	const struct sym_unit_header *header = &t->unit->header;

	t->c = pd_cursor_init(
		t->unit->file->sections.info.data, header->end, header->encoding.swap);
	pd_cursor_bytes(&t->c, header->offset + header->size);
	t->depth = 0;
	t->skip_depth = 0;
	t->scopes[0] = SYM_NO_SCOPE;
	t->ranges.left = MAX_RANGES;
	t->ranges.is_cut = false;
	while (step(t))
		;
}

struct pd_error *sym_traverse(struct sym_traversal *traversal, struct sym_unit *unit,
	const struct sym_extents *all_code, const uint64_t *addrs, const struct sym_extent *code,
	size_t n)
{
	struct traverser t = { .result = traversal,
		.unit = unit,
		.all_code = all_code,
		.abbrevs = sym_unit_abbrevs(unit) };

	*traversal = (struct sym_traversal){ 0 };
	t.nomem = !sym_claims_init(
		&traversal->claims, unit->header.end - unit->header.offset, addrs, code, n);
	if (!t.nomem && t.abbrevs)
		traverse_once(&t);
	/*
	 * Fortran, Ada and GNU C have nested functions, whose addresses the outer function does not
	 * claim, and some compilers put functions into types. GHC divides a function into blocks,
	 * and gives the function itself only the code of the first one. All of this is rare, so it
	 * gets a second pass.
	 */
	if (!t.nomem && t.abbrevs && sym_claims_are_missing(&traversal->claims)) {
		t.is_thorough = true;
		traverse_once(&t);
	}
	if (!t.nomem)
		sym_claims_finish(&traversal->claims);
	pd_vec_deinit(&t.ranges.list);
	if (!t.nomem && !traversal->claims.nomem)
		return NULL;
	sym_traversal_deinit(traversal);
	return &pd_enomem;
}

void sym_traversal_deinit(struct sym_traversal *traversal)
{
	pd_vec_deinit(&traversal->scopes);
	sym_claims_deinit(&traversal->claims);
	*traversal = (struct sym_traversal){ 0 };
}
