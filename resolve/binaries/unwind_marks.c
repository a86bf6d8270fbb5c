#include "resolve/binaries/unwind_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limit.h"
#include "resolve/binaries/root_defs.h"
#include "symbolize/binary.h"

/* Instruction sets of 32-bit ARM code. */

/* Marks of symbols. */
struct listing {
	PD_VEC(struct sym_mapping_symbol) list;
	bool has_failed;
};

static void take_mark(void *ctx, const struct sym_mapping_symbol *mark)
{
	struct listing *listing = ctx;

	/*
	 * Symbols of functions say nothing about the functions between them, of which a stripped
	 * file has no symbols. Data between code does not change the instruction set.
	 */
	if (mark->is_mapping && mark->kind != SYM_CODE_DATA)
		listing->has_failed |= !pd_vec_push(&listing->list, *mark);
}

static int compare(const void *a, const void *b)
{
	const struct sym_mapping_symbol *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

struct pd_error *resolve_mapping_symbols_create(
	const struct sym_binary *binary, struct resolve_mapping_symbols *ret)
{
	const struct pd_arch *arch = sym_binary_arch(binary);
	struct listing all = { 0 };

	*ret = (struct resolve_mapping_symbols){ 0 };
	if (arch != &base_arch_arm)
		return NULL;
	sym_binary_visit_mapping_symbols(binary, take_mark, &all);
	if (all.list.n)
		qsort(all.list.data, all.list.n, sizeof(*all.list.data), compare);
	for (size_t i = 0; i < all.list.n && !all.has_failed; i++) {
		const struct sym_mapping_symbol *mark = &all.list.data[i];
		uint64_t value = mark->vaddr | (mark->kind == SYM_CODE_THUMB);

		if (i + 1 == all.list.n || mark[1].vaddr != mark->vaddr)
			all.has_failed = !pd_vec_push(&ret->list, value);
	}
	pd_vec_deinit(&all.list);
	if (!all.has_failed)
		return NULL;
	resolve_mapping_symbols_deinit(ret);
	return &pd_enomem;
}

void resolve_mapping_symbols_deinit(struct resolve_mapping_symbols *marks)
{
	pd_vec_deinit(&marks->list);
}

/* Functions at the base of a stack. */

struct known_root {
	const char *name;
	uint8_t len;
	bool switches;
};

#define ROOT(name, switches) { (name), sizeof(name) - 1, (switches) },
static const struct known_root known_roots[] = { RESOLVE_ROOTS(ROOT) };
#undef ROOT

/* Whether @p name is that of the root, with or without the suffix of Go's assembly functions. */
static bool is_name_of(const struct known_root *root, const char *name)
{
	return strncmp(name, root->name, root->len) == 0 &&
	       (!name[root->len] || strcmp(name + root->len, ".abi0") == 0);
}

void resolve_roots_add(struct resolve_roots *roots, const char *name, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(known_roots); i++) {
		if (!is_name_of(&known_roots[i], name))
			continue;
		if (roots->n == UNW_MAX_ROOTS && base_limit_reach(PD_LIMIT_ID_ROOT_FUNCTIONS))
			return;
		roots->list[roots->n++] = (struct unw_root){
			.start = start, .end = end, .switches = known_roots[i].switches
		};
		return;
	}
}
