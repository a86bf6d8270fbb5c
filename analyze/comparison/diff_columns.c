#include "analyze/comparison/diff_columns.h"

#include <stdlib.h>

#include "base/array.h"
struct builder {
	const struct profile *profile;
	const struct ana_symbols *symbols;
	/** Symbols whose paths are columns, too; NULL: none. */
	const bool *has_paths;
	struct ana_columns *columns;
	/** Symbols of the current stack, leaf first. */
	PD_VEC(uint32_t) path;
	/** Stack number + 1 in which a symbol was counted last, by symbol. */
	uint32_t *last_stack;
};

static bool add(struct builder *b, enum ana_column_kind kind, uint32_t symbol, uint32_t path)
{
	const struct ana_column column = { .kind = kind, .symbol = symbol, .path = path };
	uint32_t id = base_intern_add(&b->columns->list, &column, sizeof(column));

	return id != PD_INTERN_NONE && pd_vec_push(&b->columns->of_stacks, id);
}

static bool list_path(struct builder *b, struct prof_stack_id stack)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(b->profile, stack, &n);

	b->path.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_symbols;
		const uint32_t *symbols = ana_symbols_at(b->symbols, frames[i], &n_symbols);

		for (uint32_t k = 0; k < n_symbols; k++) {
			bool repeats = b->path.n && b->path.data[b->path.n - 1] == symbols[k];

			if (!repeats && !pd_vec_push(&b->path, symbols[k]))
				return false;
		}
	}
	return true;
}

static bool add_path(struct builder *b)
{
	if (!b->path.n || !b->has_paths || !b->has_paths[b->path.data[0]])
		return true;
	uint32_t path = base_intern_add(
		&b->columns->paths, b->path.data, b->path.n * sizeof(*b->path.data));
	return path != PD_INTERN_NONE && add(b, ANA_COLUMN_PATH, b->path.data[0], path);
}

/* A recursive function is in its TOTAL once. */
static bool add_functions(struct builder *b, uint32_t stack)
{
	if (b->path.n && !add(b, ANA_COLUMN_SELF, b->path.data[0], 0))
		return false;
	for (size_t i = 0; i < b->path.n; i++) {
		uint32_t symbol = b->path.data[i];

		if (b->last_stack[symbol] == stack + 1)
			continue;
		b->last_stack[symbol] = stack + 1;
		if (!add(b, ANA_COLUMN_TOTAL, symbol, 0))
			return false;
	}
	return true;
}

static bool add_stack(struct builder *b, struct prof_stack_id stack)
{
	return list_path(b, stack) && add(b, ANA_COLUMN_ALL, PROF_NONE, 0) &&
	       add_functions(b, stack.i) && add_path(b) &&
	       pd_vec_push(&b->columns->starts, (uint32_t)b->columns->of_stacks.n);
}

static struct pd_error *build(struct builder *b)
{
	b->last_stack = base_calloc_n(b->symbols->list.n, sizeof(*b->last_stack));
	bool ok = b->last_stack && pd_vec_push(&b->columns->starts, 0);

	for (struct prof_stack_id id = { 0 }; ok && id.i < b->profile->stacks.n; id.i++)
		ok = add_stack(b, id);
	free(b->last_stack);
	pd_vec_deinit(&b->path);
	if (ok)
		return NULL;
	ana_columns_deinit(b->columns);
	return &pd_enomem;
}

struct pd_error *ana_columns_create(const struct profile *profile,
	const struct ana_symbols *symbols, const bool *has_paths, struct ana_columns *ret)
{
	struct builder b = {
		.profile = profile, .symbols = symbols, .has_paths = has_paths, .columns = ret
	};

	*ret = (struct ana_columns){ 0 };
	return build(&b);
}

void ana_columns_deinit(struct ana_columns *columns)
{
	base_intern_deinit(&columns->list);
	base_intern_deinit(&columns->paths);
	pd_vec_deinit(&columns->starts);
	pd_vec_deinit(&columns->of_stacks);
}
