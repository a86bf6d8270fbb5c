/* The table of folded stacks: everything that is asked of many recordings at once, with names. */
#include <string.h>

#include "tables/columns.h"
#include "tables/source.h"

static size_t n_folded(const struct tab_source *s)
{
	return s->folded.values.n;
}

static const void *row_of_folded(const struct tab_source *s, size_t i)
{
	return base_intern_bytes(&s->folded.groups, (uint32_t)i);
}

static const struct prof_event *event_of(const struct tab_source *source, const void *row)
{
	const struct tab_folded_group *group = row;

	return prof_event(source->profile, (struct prof_event_id){ group->event });
}

static void get_event(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	tab_set_string(source, event_of(source, row)->name, ret);
}

static void get_unit(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	tab_set_string(source, event_of(source, row)->unit, ret);
	ret->is_null = !ret->len;
}

static void get_stack(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	struct tab_folded_groups *folded = &source->folded;
	const struct tab_folded_group *group = row;

	(void)i;
	if (tab_folded_groups_write(folded, &source->symbols, group->stack))
		tab_set_text(source, folded->text.n ? folded->text.data : "", folded->text.n, ret);
	else
		source->no_memory = true;
}

/* The innermost function of a group, or NULL if its stack has no frames. */
static const struct ana_symbol *symbol_of(const struct tab_source *source, const void *row)
{
	uint32_t stack = ((const struct tab_folded_group *)row)->stack;
	const uint32_t *ids = base_intern_bytes(&source->folded.stacks, stack);
	size_t n = base_intern_len(&source->folded.stacks, stack) / sizeof(*ids);

	return n ? base_intern_bytes(&source->symbols.list, ids[n - 1]) : NULL;
}

static void get_function(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct ana_symbol *symbol = symbol_of(source, row);
	const struct base_intern *texts = &source->symbols.texts;

	(void)i;
	ret->is_null = !symbol;
	if (symbol)
		tab_set_text(source, base_intern_bytes(texts, symbol->name),
			base_intern_len(texts, symbol->name), ret);
}

static void get_unnamed(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct ana_symbol *symbol = symbol_of(source, row);

	(void)i;
	ret->integer = symbol && symbol->is_unnamed;
}

static const struct prof_binary *binary_of(const struct tab_source *source, const void *row)
{
	uint32_t id = ((const struct tab_folded_group *)row)->binary;

	return id == PROF_NONE ? NULL : &source->profile->binaries.data[id];
}

static void get_binary(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	uint32_t id = ((const struct tab_folded_group *)row)->binary;
	const char *name = prof_binary_base(source->profile, (struct prof_binary_id){ id });

	(void)i;
	tab_set_text(source, name, strlen(name), ret);
	ret->is_null = id == PROF_NONE;
}

static void get_build_id(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_binary *binary = binary_of(source, row);

	(void)i;
	ret->is_null = !binary || !binary->build_id.len;
	if (ret->is_null)
		return;
	ret->bytes = binary->build_id.bytes;
	ret->len = binary->build_id.len;
}

static void get_samples(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	ret->integer = (int64_t)source->folded.values.data[i].samples;
}

static void get_period(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	ret->integer = (int64_t)source->folded.values.data[i].period;
}

static const struct tab_column folded_columns[] = {
	GET("event", TEXT, false, get_event, "name of the event, with modifiers"),
	GET("unit", TEXT, true, get_unit, "unit of periods: nanoseconds, count, ..."),
	TEXT("comm", struct tab_folded_group, comm, "name of the threads"),
	MAYBE_TEXT("cgroup", struct tab_folded_group, cgroup, "path of their control group"),
	GET("stack", TEXT, false, get_stack, "names of the functions: root;...;leaf"),
	GET("function", TEXT, true, get_function,
		"innermost function; NULL: the stack has no frames"),
	GET("binary", TEXT, true, get_binary, "file name of its binary, without folders"),
	GET("build_id", BLOB, true, get_build_id, "build id of that"),
	GET("is_unnamed", INTEGER, false, get_unnamed,
		"1: it stands for all code of the binary without names"),
	GET("samples", INTEGER, false, get_samples, "number of samples"),
	GET("period", INTEGER, false, get_period, "sum of their periods, in the unit"),
};

const struct tab_table tab_folded = {
	.name = "folded",
	.help = "samples of one event, thread name, control group and stack of functions, with names",
	COLUMNS(folded_columns),
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES | TAB_NEEDS_FOLDED,
	.n_rows = n_folded,
	.row = row_of_folded,
};
