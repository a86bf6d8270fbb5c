#include "symbolize/go/go_names.h"

#include <string.h>

#include "base/limit.h"
#include "base/lower_bound.h"
#include "symbolize/symbols/demangle.h"

/* Values in all tables that are decoded for one binary. The largest programs have a tenth. */
static const uint64_t MAX_VALUES = PD_LIMIT_GO_VALUES;

enum {
	/*
	 * Functions may share tables, so the size of these does not limit the values. But a value
	 * is that of at least one byte of code, and functions do not overlap: each table is read at
	 * most this often, once for the end of the code and once for each kind of values.
	 */
	TABLE_READS = 4,
	/* Values that are decoded for a file of any size. */
	MIN_VALUES = 1 << 16,
};

/* Inlined calls around an address. Real ones nest a few dozen times. */
enum { MAX_DEPTH = PD_LIMIT_GO_INLINE_DEPTH };

/*
 * End of the code of @p func. The tables cover the code but not the padding after it, and functions
 * without tables were not compiled by Go.
 */
static uint64_t end_of_code(struct sym_go_reader *reader, const struct base_go_func *func)
{
	struct base_go_values lines =
		base_go_values_init(&reader->table->functions, func, func->line_table);

	if (!func->line_table)
		return func->end;
	while (base_go_values_next(&lines)) {
		if (!reader->values_left)
			return func->end;
		reader->values_left--;
	}
	return lines.end > func->start ? lines.end : func->end;
}

void sym_go_find_symbol(struct sym_go_reader *reader, uint64_t addr, struct sym_symbol *ret)
{
	const struct sym_go_table *table = reader->table;
	struct base_go_func func;

	*ret = (struct sym_symbol){ .start = 0, .end = UINT64_MAX, .outer = SYM_NO_SYMBOL };
	if (!table->functions.n_funcs)
		return;
	bool is_found = base_pclntab_find(&table->functions, addr, &func);
	ret->start = func.start;
	ret->end = func.end;
	if (!is_found)
		return;
	uint64_t end = end_of_code(reader, &func);
	if (addr >= end) {
		ret->start = end;
		return;
	}
	ret->end = end;
	ret->is_sized = true;
	if (!sym_name_is_long(func.name))
		ret->name = func.name;
}

void sym_go_reader_init(const struct sym_go_table *table, struct sym_ranges *ranges,
	struct sym_new_ranges *fresh, struct sym_go_reader *ret)
{
	uint64_t max = TABLE_READS * table->file_size + MIN_VALUES;

	*ret = (struct sym_go_reader){
		.table = table,
		.ranges = ranges,
		.fresh = fresh,
		.values_left = max < MAX_VALUES ? max : MAX_VALUES,
	};
}

void sym_go_reader_deinit(struct sym_go_reader *reader)
{
	pd_vec_deinit(&reader->files.values);
	pd_vec_deinit(&reader->lines.values);
	pd_vec_deinit(&reader->calls.values);
	base_map_deinit(&reader->scopes);
}

/* Decode table @p table of the function. Returns false if out of memory. */
static bool decode(struct sym_go_reader *reader, uint32_t table, struct sym_go_list *list)
{
	struct base_go_values values =
		base_go_values_init(&reader->table->functions, &reader->func, table);

	list->values.n = 0;
	while (reader->values_left && base_go_values_next(&values)) {
		struct sym_go_value value = { values.end, values.value };

		reader->values_left--;
		if (!pd_vec_push(&list->values, value))
			return false;
	}
	if (!reader->values_left)
		base_limit_reach(PD_LIMIT_ID_GO_VALUES);
	return true;
}

/*
 * Value of a list at @p addr, or -1. The range [*start, *end) is reduced to addresses that have the
 * same value.
 */
static int32_t value_at(const struct sym_go_reader *reader, const struct sym_go_list *list,
	uint64_t addr, uint64_t *start, uint64_t *end)
{
	const struct sym_go_value *values = list->values.data;
	size_t i = base_lower_bound(list->values.n, k, values[k].end <= addr);
	uint64_t value_start = i ? values[i - 1].end : reader->func.start;

	if (value_start > *start)
		*start = value_start;
	if (i == list->values.n)
		return -1;
	if (values[i].end < *end)
		*end = values[i].end;
	return values[i].value;
}

static struct pd_error *enter_text(struct sym_go_reader *reader, const char *text, uint32_t *ret)
{
	bool is_short = text && !sym_name_is_long(text);

	return sym_ranges_string(reader->ranges, is_short ? text : NULL, ret);
}

/* Add a scope of the function called @p name. @p scope has the location of its call. */
static struct pd_error *add_scope(struct sym_go_reader *reader, const char *name, uint32_t line,
	struct sym_range_scope scope, uint32_t *ret)
{
	struct sym_ranges *ranges = reader->ranges;
	struct sym_range_function function = { .line = line };
	struct pd_error *err = enter_text(reader, name, &function.linkage);

	if (err)
		return err;
	scope.function = (uint32_t)ranges->functions.n;
	*ret = (uint32_t)ranges->scopes.n;
	/* An index must not have the value that stands for none. */
	if (scope.function == SYM_NONE || *ret == SYM_NONE ||
		!pd_vec_push(&ranges->functions, function) || !pd_vec_push(&ranges->scopes, scope))
		return &pd_enomem;
	return NULL;
}

/* Make the function at @p addr the current one. */
static struct pd_error *read_func(struct sym_go_reader *reader, const struct base_go_func *func)
{
	const struct sym_range_scope outermost = { .outer = SYM_NONE };

	reader->func = *func;
	reader->tree = sym_go_tree_find(reader->table, func);
	base_map_deinit(&reader->scopes);
	reader->scopes = (struct base_map){ 0 };
	if (!decode(reader, func->file_table, &reader->files) ||
		!decode(reader, func->line_table, &reader->lines) ||
		!decode(reader, reader->tree.table, &reader->calls))
		return &pd_enomem;
	return add_scope(reader, func->name, func->line, outermost, &reader->scope);
}

/* Complete @p call, since Go 1.20 by the values at its address in the calling function. */
static void locate_call(const struct sym_go_reader *reader, struct sym_go_call *call)
{
	uint64_t start = 0, end = UINT64_MAX;

	if (call->has_location)
		return;
	call->parent = value_at(reader, &reader->calls, call->parent_pc, &start, &end);
	call->file = value_at(reader, &reader->files, call->parent_pc, &start, &end);
	int32_t line = value_at(reader, &reader->lines, call->parent_pc, &start, &end);
	call->line = line > 0 ? (uint32_t)line : 0;
}

/* Inlined calls around an address, the innermost one first. */
struct nest {
	int32_t numbers[MAX_DEPTH];
	struct sym_go_call calls[MAX_DEPTH];
	int n;
	/** Scope around the outermost of them. */
	uint32_t scope;
};

/*
 * Collect the inlined calls around call @p number, up to one that has a scope already. Returns
 * false if one of them is damaged, or if one is within itself.
 */
static bool collect(struct sym_go_reader *reader, int32_t number, struct nest *nest)
{
	for (nest->n = 0; number >= 0; nest->n++) {
		const uint64_t *known = base_map_find(&reader->scopes, (uint32_t)number);

		if (known) {
			nest->scope = (uint32_t)*known;
			return true;
		}
		if (nest->n == MAX_DEPTH)
			return !base_limit_reach(PD_LIMIT_ID_GO_INLINE_DEPTH);
		if (!sym_go_call_read(reader->table, &reader->func, &reader->tree, number,
			    &nest->calls[nest->n]))
			return false;
		locate_call(reader, &nest->calls[nest->n]);
		nest->numbers[nest->n] = number;
		number = nest->calls[nest->n].parent;
	}
	nest->scope = reader->scope;
	return true;
}

/* Add scopes for the collected calls, the outermost one first. */
static struct pd_error *add_scopes(struct sym_go_reader *reader, struct nest *nest)
{
	while (nest->n > 0) {
		const struct sym_go_call *call = &nest->calls[--nest->n];
		struct sym_range_scope scope = { .outer = nest->scope, .call_line = call->line };
		struct pd_error *err = enter_text(reader,
			base_go_file(&reader->table->functions, &reader->func, call->file),
			&scope.call_file);

		if (!err)
			err = add_scope(reader, call->name, call->start_line, scope, &nest->scope);
		if (err)
			return err;
		uint64_t *known =
			base_map_add(&reader->scopes, (uint32_t)nest->numbers[nest->n], NULL);
		if (!known)
			return &pd_enomem;
		*known = nest->scope;
	}
	return NULL;
}

/*
 * Find the scope of inlined call @p number, or of the function if that is negative. SYM_NONE: the
 * call is damaged.
 */
static struct pd_error *find_scope(struct sym_go_reader *reader, int32_t number, uint32_t *ret)
{
	struct nest nest;

	*ret = SYM_NONE;
	if (!collect(reader, number, &nest))
		return NULL;
	struct pd_error *err = add_scopes(reader, &nest);
	*ret = nest.scope;
	return err;
}

/* Fill in @p location, which is within the current function, for @p addr. */
static struct pd_error *locate(
	struct sym_go_reader *reader, uint64_t addr, struct sym_location_range *location)
{
	const struct base_pclntab *functions = &reader->table->functions;
	uint64_t *start = &location->start, *end = &location->end;
	int32_t call = value_at(reader, &reader->calls, addr, start, end);
	int32_t file = value_at(reader, &reader->files, addr, start, end);
	int32_t line = value_at(reader, &reader->lines, addr, start, end);

	struct pd_error *err = find_scope(reader, call, &location->scope);
	if (err)
		return err;
	/*
	 * File and line are those of the innermost call. If that cannot be read, they do not belong
	 * to the function that is named.
	 */
	if (location->scope == SYM_NONE) {
		location->scope = reader->scope;
		return NULL;
	}
	location->line = line > 0 ? (uint32_t)line : 0;
	return enter_text(reader, base_go_file(functions, &reader->func, file), &location->file);
}

/*
 * Locate @p addr, which is between the start of the current function and that of the next one.
 * Nothing is known about padding after the code.
 */
static struct pd_error *locate_in_func(
	struct sym_go_reader *reader, uint64_t addr, struct sym_location_range *location)
{
	const struct sym_go_list *lines = &reader->lines;
	size_t n = lines->values.n;
	uint64_t end = n ? lines->values.data[n - 1].end : reader->func.end;

	if (addr < end)
		return locate(reader, addr, location);
	if (end > location->start)
		location->start = end;
	return NULL;
}

struct pd_error *sym_go_read_location(
	struct sym_go_reader *reader, uint64_t addr, uint64_t *start, uint64_t *end)
{
	struct sym_location_range location = { .start = *start, .end = *end, .scope = SYM_NONE };
	struct pd_error *err = NULL;
	struct base_go_func func;

	if (reader->table->functions.n_funcs) {
		bool is_found = base_pclntab_find(&reader->table->functions, addr, &func);

		if (func.start > location.start)
			location.start = func.start;
		if (func.end < location.end)
			location.end = func.end;
		if (is_found && func.start != reader->func.start)
			err = read_func(reader, &func);
		if (!err && is_found)
			err = locate_in_func(reader, addr, &location);
	}
	if (err || !pd_vec_push(&reader->fresh->locations, location))
		return err ? err : &pd_enomem;
	*start = location.start;
	*end = location.end;
	return NULL;
}
