/* Tables of samples: each by itself, in groups, and summed up by function and by stack. */
#include <string.h>

#include <pdconv/unwind_end.h>

#include "tables/columns.h"
#include "tables/source.h"

static void set_stack(
	const struct tab_source *source, const struct prof_sample *sample, struct tab_cell *ret)
{
	ret->is_null = sample->stack.i == source->no_stack;
	ret->integer = sample->stack.i;
}

/* Groups. */

ARRAY_ROWS(groups, profile->samples)

static void get_group_stack(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	set_stack(source, row, ret);
}

static void get_group_frame(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	uint32_t n;
	const struct prof_frame_id *frames =
		prof_stack(source->profile, ((const struct prof_sample *)row)->stack, &n);

	(void)i;
	ret->is_null = !n;
	ret->integer = n ? source->symbols.places.starts.data[frames[0].i] : 0;
}

static const struct prof_value *value_of(const struct tab_source *source, size_t i)
{
	return prof_value(source->profile, (struct prof_sample_id){ (uint32_t)i });
}

static void get_group_samples(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	ret->integer = (int64_t)value_of(source, i)->samples;
}

static void get_group_period(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	ret->integer = (int64_t)value_of(source, i)->period;
}

static void get_group_cgroup(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_tags *tags =
		prof_tags(source->profile, ((const struct prof_sample *)row)->tags);

	(void)i;
	if (tags)
		tab_set_string(source, tags->cgroup, ret);
	ret->is_null = !ret->len;
}

static void get_group_parallelism(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_tags *tags =
		prof_tags(source->profile, ((const struct prof_sample *)row)->tags);

	(void)i;
	ret->integer = tags ? tags->parallelism : 0;
	ret->is_null = !ret->integer;
}

static void get_group_end(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	uint32_t end = ((const struct prof_sample *)row)->end;
	const char *name = pd_unwind_end_name((enum pd_unwind_end)end);

	(void)i;
	ret->is_null = end >= PD_N_UNWIND_ENDS;
	tab_set_text(source, name, strlen(name), ret);
}

static const struct tab_column group_columns[] = {
	ROW_ID("number of the group"),
	ID("event", "events", struct prof_sample, event, "event of the samples"),
	ID("thread", "threads", struct prof_sample, thread, "their thread"),
	GET_ID("stack", "stacks", true, get_group_stack, "their stack; NULL: they have none"),
	{ .name = "frame",
		.may_be_null = true,
		.refers_to = "frames",
		.help = "innermost frame of the stack",
		.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES,
		.get = get_group_frame },
	GET("samples", INTEGER, false, get_group_samples, "their number"),
	GET("period", INTEGER, false, get_group_period,
		"sum of their periods, in the unit of the event"),
	GET("cgroup", TEXT, true, get_group_cgroup, "path of their control group"),
	GET("parallelism", INTEGER, true, get_group_parallelism,
		"number of threads that were running; NULL: not known"),
	GET("stack_end", TEXT, true, get_group_end,
		"why unwinding their stack ended, ROOT if it is complete; NULL: it was not unwound"),
};

const struct tab_table tab_sample_groups = {
	.name = "sample_groups",
	.help = "samples of one event, thread and stack, counted",
	COLUMNS(group_columns),
	.has_id = true,
	.n_rows = n_groups,
	.row = row_of_groups,
};

/* Samples. */

SPILLED_ROWS(samples, profile->rows)

static const struct prof_sample *group_of(const struct tab_source *source, const void *row)
{
	return prof_sample(source->profile, ((const struct prof_row *)row)->sample);
}

static void get_event(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	ret->integer = group_of(source, row)->event.i;
}

static void get_thread(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	tab_set_id(group_of(source, row)->thread.i, ret);
}

static void get_stack(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	set_stack(source, group_of(source, row), ret);
}

static void get_trace(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const char *text = prof_trace_text(source->profile, ((const struct prof_row *)row)->trace);

	(void)i;
	tab_set_text(source, text, strlen(text), ret);
	ret->is_null = !ret->len;
}

static const struct tab_column sample_columns[] = {
	ROW_ID("number of the sample, in the order of the recording"),
	INTEGER("time", TIME, struct prof_row, time,
		"time in ns on the clock of the recording; NULL: not sampled"),
	GET_ID("event", "events", false, get_event, "its event"),
	GET_ID("thread", "threads", false, get_thread, "its thread"),
	INTEGER("cpu", ID, struct prof_row, cpu, "number of the CPU; NULL: not sampled"),
	GET_ID("stack", "stacks", true, get_stack, "its stack; NULL: it has none"),
	INTEGER("period", U64, struct prof_row, period, "its period, in the unit of the event"),
	ID("sample_group", "sample_groups", struct prof_row, sample,
		"its group, which has its control group"),
	GET("trace", TEXT, true, get_trace, "fields of a tracepoint, as text"),
};

const struct tab_table tab_samples = {
	.name = "samples",
	.help = "a sample; one with the counters of a group of events is a row for each of them",
	COLUMNS(sample_columns),
	.has_id = true,
	.needs = TAB_NEEDS_ROWS,
	.n_rows = n_samples,
	.row = row_of_samples,
	.pass = pass_samples,
};

/* Totals of functions and of stacks. */

ARRAY_ROWS(function_totals, function_totals)
ARRAY_ROWS(stack_totals, stack_totals)

#define TOTALS(of) \
	INTEGER("self_samples", U64, of, self.samples, "samples in it itself"), \
		INTEGER("self_period", U64, of, self.period, "sum of their periods"), \
		INTEGER("samples", U64, of, total.samples, "samples in it and in what it called"), \
		INTEGER("period", U64, of, total.period, "sum of their periods")

static const struct tab_column function_total_columns[] = {
	ID("event", "events", struct tab_function_total, event, "event of the samples"),
	ID("function", "functions", struct tab_function_total, function,
		"function in their stacks"),
	TOTALS(struct tab_function_total),
};

const struct tab_table tab_function_totals = {
	.name = "function_totals",
	.help = "samples of an event that have a function in their stack; each counts once",
	COLUMNS(function_total_columns),
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES | TAB_NEEDS_FUNCTION_TOTALS,
	.n_rows = n_function_totals,
	.row = row_of_function_totals,
};

static const struct tab_column stack_total_columns[] = {
	ID("stack", "stacks", struct tab_stack_total, stack, "stack"),
	ID("event", "events", struct tab_stack_total, event, "event of the samples"),
	TOTALS(struct tab_stack_total),
};

const struct tab_table tab_stack_totals = {
	.name = "stack_totals",
	.help = "samples of an event whose stack is this one, or goes on from it",
	COLUMNS(stack_total_columns),
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES | TAB_NEEDS_TREE | TAB_NEEDS_TREE_TOTALS,
	.n_rows = n_stack_totals,
	.row = row_of_stack_totals,
};
