/* Tools about threads and time: threads, timeline. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/layout.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/system/libc.h"
#include "output/report/report_cells.h"
#include "query/call.h"
#include "query/thread_table.h"

/* A thread, whatever its names were. */
struct task {
	/* Under the name with most samples. */
	struct prof_thread_id thread;
	struct prof_value value;
	uint64_t largest;
	uint64_t ns[PROF_N_LEDGER_STATES];
	uint64_t n_waits;
};

struct tasks {
	struct qry_call *call;
	/* Indexed by the number of the thread, less 1. */
	struct task *list;
	struct task **order;
	size_t n;
	bool has_ledger;
};

static struct task *task_of(const struct tasks *t, struct prof_thread_id thread)
{
	uint32_t number =
		qry_task_number(t->call->numbering, prof_thread(t->call->profile, thread));

	return number ? &t->list[number - 1] : NULL;
}

static void count_samples(struct tasks *t)
{
	const struct profile *profile = t->call->profile;

	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		const struct prof_value *value = prof_value(profile, id);
		struct task *task = prof_same_event(sample->event, t->call->event)
					    ? task_of(t, sample->thread)
					    : NULL;

		if (!task)
			continue;
		task->value.samples += value->samples;
		task->value.period += value->period;
		if (value->period >= task->largest) {
			task->largest = value->period;
			task->thread = sample->thread;
		}
	}
}

static void count_states(struct tasks *t)
{
	const struct profile *profile = t->call->profile;

	for (size_t i = 0; i < profile->ledger_threads.n; i++) {
		const struct prof_ledger_thread *life = &profile->ledger_threads.data[i];
		struct task *task = task_of(t, life->thread);

		if (!task)
			continue;
		for (size_t k = 0; k < PROF_N_LEDGER_STATES; k++)
			task->ns[k] += life->ns[k];
		task->n_waits += life->n_waits;
		if (prof_is_none(task->thread))
			task->thread = life->thread;
	}
	t->has_ledger = profile->ledger_threads.n;
}

/* Names of the states by which a table can be sorted. */
static const char *const orders[] = {
	[PROF_LEDGER_RUNNING] = "running",
	[PROF_LEDGER_RUNNABLE] = "runnable",
	[PROF_LEDGER_BLOCKED] = "blocked",
};

/* Sort by this state; negative: by samples. */
static uint64_t amount(const struct task *task, int state)
{
	return state < 0 ? task->value.period : task->ns[state];
}

static int compare_tasks(const void *x, const void *y, void *ctx)
{
	const struct task *a = *(struct task *const *)x, *b = *(struct task *const *)y;
	uint64_t of_a = amount(a, *(const int *)ctx), of_b = amount(b, *(const int *)ctx);

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	/* They are in the order of their ids. */
	return a < b ? -1 : a > b;
}

static bool is_active(const struct task *task)
{
	return !prof_is_none(task->thread);
}

static struct pd_error *count(struct tasks *t)
{
	size_t n = t->call->numbering->tasks.n;

	t->list = base_calloc_n(n, sizeof(*t->list));
	t->order = base_calloc_n(n, sizeof(*t->order));
	if (!t->list || !t->order)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		t->list[i].thread = prof_no_thread();
	count_samples(t);
	count_states(t);
	for (size_t i = 0; i < n; i++) {
		if (is_active(&t->list[i]))
			t->order[t->n++] = &t->list[i];
	}
	return NULL;
}

static void add_times(struct out_table *table, const struct task *task, bool has_ledger)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(orders); i++) {
		if (has_ledger)
			out_report_add_number(table, task->ns[i]);
		else
			out_table_empty(table);
	}
	if (has_ledger)
		out_table_count(table, task->n_waits);
	else
		out_table_empty(table);
}

static void add_task(const struct tasks *t, struct out_table *table, const struct task *task)
{
	const struct prof_thread *thread = prof_thread(t->call->profile, task->thread);

	out_table_row(table, NULL);
	out_table_text(table, qry_call_thread_id(t->call, task->thread));
	out_table_share(table, task->value.period, t->call->whole.period);
	out_table_text(table, qry_call_interval(t->call, task->value.period));
	out_table_count(table, task->value.samples);
	add_times(table, task, t->has_ledger);
	out_table_count(table, thread->pid);
	out_table_count(table, thread->tid);
	out_table_text(table, prof_string(t->call->profile, thread->comm));
}

static void add_tasks(const struct tasks *t)
{
	static const struct out_column columns[] = {
		{ .key = "id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
		{ .key = "interval", .title = "95 % interval", .kind = OUT_CELL_TEXT },
		{ .key = "samples", .title = "samples", .kind = OUT_CELL_COUNT },
		OUT_TIME_COLUMN("running"),
		OUT_TIME_COLUMN("runnable"),
		OUT_TIME_COLUMN("blocked"),
		{ .key = "waits", .title = "waits", .kind = OUT_CELL_COUNT },
		{ .key = "pid", .title = "pid", .kind = OUT_CELL_COUNT },
		{ .key = "tid", .title = "tid", .kind = OUT_CELL_COUNT },
		{ .key = "thread", .title = "thread", .kind = OUT_CELL_TEXT },
	};
	struct out_table *table =
		out_doc_table(t->call->doc, "threads", "", columns, PD_ARRAY_LEN(columns));

	for (size_t i = 0; i < t->n && i < t->call->limit; i++)
		add_task(t, table, t->order[i]);
	out_table_set_noun(table, "thread");
	qry_call_cut(t->call, table, t->n);
}

struct pd_error *qry_add_threads(struct qry_call *call, int state)
{
	struct tasks t = { .call = call };
	struct pd_error *err = count(&t);

	if (!err && t.n)
		base_sort_with(t.order, t.n, sizeof(struct task *), compare_tasks, &state);
	if (!err)
		add_tasks(&t);
	free(t.list);
	free(t.order);
	return err;
}

static struct pd_error *take_order(const struct qry_call *call, int *ret)
{
	const char *sort = qry_call_arg(call, QRY_PARAM_SORT);

	*ret = -1;
	if (!sort || strcmp(sort, "samples") == 0)
		return NULL;
	for (size_t i = 0; i < PD_ARRAY_LEN(orders); i++) {
		if (strcmp(sort, orders[i]) == 0) {
			*ret = (int)i;
			return NULL;
		}
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"invalid sort '%s': expected samples, running, runnable or blocked", sort);
}

struct pd_error *qry_answer_threads(struct qry_call *call)
{
	int state;
	struct pd_error *err = take_order(call, &state);

	if (!err)
		err = qry_call_begin(call, &qry_format_ledger, NULL);
	if (err)
		return err;
	bool has_ledger = call->profile->ledger_threads.n;
	if (state >= 0 && !has_ledger)
		return pd_error_create(PD_ERROR_NOTHING, NULL,
			"the recording does not say for how long threads were %s: ask why_not, "
			"question=threads",
			orders[state]);
	err = qry_add_threads(call, state);
	if (!err && !has_ledger)
		qry_call_suggest(call, "times of threads were not recorded: why_not, "
				       "question=threads, has the command");
	return err;
}

/* timeline */

static struct pd_error *prepare_timeline(
	const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->tags = 1u << PROF_TAG_TIME;
	request->pattern_names = true;
	return NULL;
}

static const struct out_format format_timeline = {
	.name = "timeline",
	.prepare = prepare_timeline,
};

struct slice {
	struct prof_value value;
	/* Busiest leaf and thread, and what they have. */
	uint32_t symbol;
	uint64_t of_symbol;
	uint32_t thread;
	uint64_t of_thread;
};

/* Slices of the time of a call. */
struct timeline {
	const struct qry_call *call;
	uint64_t begin;
	uint64_t end;
	struct slice *slices;
	size_t n;
	/* Sums of one slice, by symbol and by thread. */
	uint64_t *by_symbol;
	uint64_t *by_thread;
	/* Slices of samples: PROF_NONE: not counted. */
	uint32_t *of_samples;
};

static bool is_counted(const struct timeline *t, struct prof_sample_id id)
{
	return prof_same_event(prof_sample(t->call->profile, id)->event, t->call->event) &&
	       prof_sample_time(t->call->profile, id) != PD_NO_TIME;
}

static void find_span(struct timeline *t)
{
	t->begin = UINT64_MAX;
	for (struct prof_sample_id id = { 0 }; id.i < t->call->profile->samples.n; id.i++) {
		uint64_t time = prof_sample_time(t->call->profile, id);

		if (!is_counted(t, id))
			continue;
		t->begin = time < t->begin ? time : t->begin;
		t->end = time > t->end ? time : t->end;
	}
}

/* The slice of a time within the span. */
static size_t slice_at(const struct timeline *t, uint64_t time)
{
	double share = (double)(time - t->begin) / ((double)(t->end - t->begin) + 1);
	size_t i = (size_t)(share * (double)t->n);

	return i < t->n ? i : t->n - 1;
}

static void assign(struct timeline *t)
{
	const struct profile *profile = t->call->profile;

	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		t->of_samples[id.i] = PROF_NONE;
		if (!is_counted(t, id))
			continue;
		size_t i = slice_at(t, prof_sample_time(profile, id));
		t->of_samples[id.i] = (uint32_t)i;
		t->slices[i].value.samples += prof_value(profile, id)->samples;
		t->slices[i].value.period += prof_value(profile, id)->period;
	}
}

/* Return the leaf of a sample; PROF_NONE: it has no stack. */
static uint32_t leaf_of(const struct timeline *t, struct prof_sample_id id)
{
	uint32_t n, n_symbols;
	const struct prof_frame_id *frames =
		prof_stack(t->call->profile, prof_sample(t->call->profile, id)->stack, &n);

	return n ? ana_symbols_at(t->call->symbols, frames[0], &n_symbols)[0] : PROF_NONE;
}

/* Find what is busiest in the slice @p i. Samples are few, and slices as well. */
static void find_busiest(struct timeline *t, uint32_t i)
{
	const struct profile *profile = t->call->profile;
	struct slice *slice = &t->slices[i];

	memset(t->by_symbol, 0, t->call->symbols->list.n * sizeof(*t->by_symbol));
	memset(t->by_thread, 0, profile->threads.n * sizeof(*t->by_thread));
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		if (t->of_samples[id.i] != i)
			continue;
		uint64_t period = prof_value(profile, id)->period;
		uint32_t symbol = leaf_of(t, id), thread = prof_sample(profile, id)->thread.i;

		if (symbol != PROF_NONE)
			t->by_symbol[symbol] += period;
		t->by_thread[thread] += period;
		if (symbol != PROF_NONE && t->by_symbol[symbol] > slice->of_symbol) {
			slice->symbol = symbol;
			slice->of_symbol = t->by_symbol[symbol];
		}
		if (t->by_thread[thread] > slice->of_thread) {
			slice->thread = thread;
			slice->of_thread = t->by_thread[thread];
		}
	}
}

static const char *seconds(const struct timeline *t, size_t slice)
{
	double length = (double)(t->end - t->begin) / 1e9;

	return out_doc_format(t->call->doc, "%.3fs", length * (double)slice / (double)t->n);
}

static void add_slice(const struct timeline *t, struct out_table *table, size_t i)
{
	const struct qry_call *call = t->call;
	const struct slice *slice = &t->slices[i];
	bool is_idle = !slice->value.samples;

	out_table_row(table, NULL);
	out_table_text(table, out_doc_format(call->doc, "%s-%s", seconds(t, i), seconds(t, i + 1)));
	out_table_count(table, slice->value.samples);
	out_table_share(table, slice->value.period, call->whole.period);
	if (is_idle)
		return;
	const struct prof_thread_id thread = { slice->thread };
	out_table_text(table, qry_call_thread_id(call, thread));
	out_table_text(table, prof_string(call->profile, prof_thread(call->profile, thread)->comm));
	out_table_share(table, slice->of_symbol, slice->value.period);
	qry_call_add_function(call, table, slice->of_symbol ? slice->symbol : PROF_NONE);
}

static void add_slices(const struct timeline *t)
{
	static const struct out_column columns[] = {
		{ .key = "time", .title = "time", .kind = OUT_CELL_TEXT },
		{ .key = "samples", .title = "samples", .kind = OUT_CELL_COUNT },
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
		{ .key = "thread_id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "thread", .title = "busiest thread", .kind = OUT_CELL_TEXT },
		{ .key = "function_percent", .title = "of slice", .kind = OUT_CELL_SHARE },
		{ .key = "function_id", .title = "id", .kind = OUT_CELL_TEXT },
		{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
	};
	struct out_table *table = out_doc_table(
		t->call->doc, "slices", "busiest function", columns, PD_ARRAY_LEN(columns));

	for (size_t i = 0; i < t->n; i++)
		add_slice(t, table, i);
}

static struct pd_error *fill(struct timeline *t)
{
	t->slices = base_calloc_n(t->n, sizeof(*t->slices));
	t->by_symbol = base_calloc_n(t->call->symbols->list.n, sizeof(*t->by_symbol));
	t->by_thread = base_calloc_n(t->call->profile->threads.n, sizeof(*t->by_thread));
	t->of_samples = base_calloc_n(t->call->profile->samples.n, sizeof(*t->of_samples));
	if (!t->slices || !t->by_symbol || !t->by_thread || !t->of_samples)
		return &pd_enomem;
	assign(t);
	for (uint32_t i = 0; i < t->n; i++)
		find_busiest(t, i);
	add_slices(t);
	return NULL;
}

struct pd_error *qry_answer_timeline(struct qry_call *call)
{
	enum { DEFAULT_SLICES = 20, MAX_SLICES = 100 };
	struct pd_error *err = qry_call_begin(call, &format_timeline, NULL);
	size_t n = qry_args_count(call->args, QRY_PARAM_SLICES, DEFAULT_SLICES);
	struct timeline t = { .call = call, .n = n < MAX_SLICES ? n : MAX_SLICES };

	if (err)
		return err;
	/* An answer that is too long gets fewer slices. */
	t.n = call->limit < t.n && !qry_call_arg(call, QRY_PARAM_SLICES) ? call->limit : t.n;
	find_span(&t);
	if (t.begin == UINT64_MAX)
		return pd_error_create(PD_ERROR_NOTHING, NULL,
			"the samples have no times: ask why_not, question=timeline");
	err = fill(&t);
	free(t.slices);
	free(t.by_symbol);
	free(t.by_thread);
	free(t.of_samples);
	if (!err)
		qry_call_suggest(call,
			"time=FROM-TO, such as %s-%s, selects a slice in other tools",
			seconds(&t, 0), seconds(&t, 1));
	return err;
}
