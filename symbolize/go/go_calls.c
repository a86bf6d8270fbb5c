#include "symbolize/go/go_calls.h"

#include "base/array.h"
#include "base/limit.h"

/*
 * PCDATA_InlTreeIndex, FUNCDATA_InlTree and the size of runtime.inlinedCall. The indexes changed in
 * Go 1.13, 1.14 and 1.16, within one layout of the table.
 */
static const struct sym_go_tree_format formats[] = {
	{ PD_GO_1_20, 2, 3, 16 },
	{ PD_GO_1_18, 2, 3, 20 },
	{ PD_GO_1_16, 2, 3, 20 },
	{ PD_GO_1_2, 2, 4, 20 },
	{ PD_GO_1_2, 2, 3, 20 },
	{ PD_GO_1_2, 1, 2, 20 },
};

enum {
	/* Functions with a tree that are examined to find out how trees are stored. */
	N_SAMPLES = 64,
	/* Functions that are searched for them, and values that are examined in each. */
	MAX_SEARCHED = PD_LIMIT_GO_TREE_FUNCTIONS,
	MAX_VALUES = PD_LIMIT_GO_TREE_VALUES,
};

/* Cursor over data about functions at @p vaddr; an empty one if no section contains them. */
static struct pd_cursor data_at(const struct sym_go_table *table, uint64_t vaddr)
{
	for (size_t i = 0; i < table->data.n; i++) {
		const struct sym_section *section = &table->data.data[i];
		uint64_t off = vaddr - section->vaddr;

		if (off < section->size)
			return pd_cursor_init(
				section->data + off, section->size - off, table->swap);
	}
	return pd_cursor_init(NULL, 0, table->swap);
}

/* Format of trees, or the most likely one if no tree could be read. */
static const struct sym_go_tree_format *format_of(const struct sym_go_table *table)
{
	const struct sym_go_tree_format *format = formats;

	if (table->tree_format)
		return table->tree_format;
	while (format->layout != table->functions.layout)
		format++;
	return format;
}

struct sym_go_tree sym_go_tree_find(
	const struct sym_go_table *table, const struct base_go_func *func)
{
	const struct sym_go_tree_format *format = format_of(table);
	struct sym_go_tree tree = { 0 };
	uint64_t offset;

	if (!base_go_funcdata(&table->functions, func, format->funcdata, &offset))
		return tree;
	tree.table = base_go_table(&table->functions, func, format->table);
	if (tree.table && table->tree_format)
		tree.vaddr = table->funcdata_base + offset;
	return tree;
}

/* Read a call in the format of Go 1.12. Returns false if it is damaged. */
static bool read_old_call(struct pd_cursor *c, int32_t i, uint32_t *name, struct sym_go_call *ret)
{
	ret->parent = (int16_t)pd_cursor_u16(c);
	pd_cursor_u8(c); /* function id */
	uint8_t padding = pd_cursor_u8(c);
	ret->file = (int32_t)pd_cursor_u32(c);
	ret->line = pd_cursor_u32(c);
	*name = pd_cursor_u32(c);
	ret->has_location = true;
	/* A call comes after the one around it. */
	return !padding && ret->parent < i && ret->line <= INT32_MAX;
}

/* Read a call in the format of Go 1.20. Returns false if it is damaged. */
static bool read_new_call(struct pd_cursor *c, uint32_t *name)
{
	pd_cursor_u8(c); /* function id */
	uint8_t padding = pd_cursor_u8(c);

	padding |= pd_cursor_u8(c);
	padding |= pd_cursor_u8(c);
	*name = pd_cursor_u32(c);
	return !padding;
}

bool sym_go_call_read(const struct sym_go_table *table, const struct base_go_func *func,
	const struct sym_go_tree *tree, int32_t i, struct sym_go_call *ret)
{
	const struct sym_go_tree_format *format = table->tree_format;
	uint32_t name;

	if (i < 0 || !tree->vaddr)
		return false;
	bool is_new = format->layout >= PD_GO_1_20;
	*ret = (struct sym_go_call){ 0 };
	struct pd_cursor c = data_at(table, tree->vaddr + (uint64_t)i * format->size);
	bool ok = is_new ? read_new_call(&c, &name) : read_old_call(&c, i, &name, ret);
	uint32_t parent_pc = pd_cursor_u32(&c);
	if (is_new)
		ret->start_line = pd_cursor_u32(&c);
	if (!ok || c.overrun || parent_pc >= func->end - func->start)
		return false;
	ret->parent_pc = func->start + parent_pc;
	ret->name = base_go_name(&table->functions, name);
	return ret->name &&
	       (!ret->has_location || base_go_file(&table->functions, func, ret->file));
}

/* Whether the calls that the values of the function refer to are valid. */
static bool is_tree_sound(const struct sym_go_table *table, const struct base_go_func *func,
	const struct sym_go_tree *tree)
{
	struct base_go_values values = base_go_values_init(&table->functions, func, tree->table);
	struct sym_go_call call;

	for (int i = 0; base_go_values_next(&values); i++) {
		if (i == MAX_VALUES)
			return base_limit_reach(PD_LIMIT_ID_GO_TREE_VALUES);
		if (values.value >= 0 && !sym_go_call_read(table, func, tree, values.value, &call))
			return false;
	}
	return true;
}

/* Whether the trees of many functions are valid with the present format and base. */
static bool are_trees_sound(const struct sym_go_table *table)
{
	struct base_go_func func;
	int n_samples = 0;

	for (uint64_t i = 0; i < table->functions.n_funcs; i++) {
		if (i == MAX_SEARCHED && base_limit_reach(PD_LIMIT_ID_GO_TREE_FUNCTIONS))
			break;
		if (!base_pclntab_func(&table->functions, i, &func))
			continue;
		struct sym_go_tree tree = sym_go_tree_find(table, &func);
		if (!tree.vaddr)
			continue;
		if (!is_tree_sound(table, &func, &tree))
			return false;
		if (++n_samples == N_SAMPLES)
			return true;
	}
	return n_samples > 0;
}

void sym_go_trees_detect(struct sym_go_table *table, const uint64_t *bases, size_t n)
{
	static const uint64_t no_base = 0;

	if (table->functions.layout < PD_GO_1_18) {
		bases = &no_base;
		n = 1;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(formats); i++) {
		if (formats[i].layout != table->functions.layout)
			continue;
		table->tree_format = &formats[i];
		for (size_t k = 0; k < n; k++) {
			table->funcdata_base = bases[k];
			if (are_trees_sound(table))
				return;
		}
	}
	table->tree_format = NULL;
	table->funcdata_base = 0;
}
