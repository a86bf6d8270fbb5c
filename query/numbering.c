#include "query/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/waits/waits.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/number.h"

/* How well an event says where time went, 0: best. */
static unsigned rank_event(
	const struct profile *profile, struct prof_event_id waits, struct prof_event_id id)
{
	if (prof_same_event(id, waits))
		return 2;
	return prof_event(profile, id)->kind == PROF_EVENT_TRACEPOINT;
}

struct prof_event_id qry_main_event(const struct profile *profile)
{
	struct prof_event_id waits = ana_wait_event(profile), best = prof_no_event();

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (!prof_event(profile, id)->total.samples)
			continue;
		if (prof_is_none(best) ||
			rank_event(profile, waits, id) < rank_event(profile, waits, best))
			best = id;
	}
	return best;
}

struct pd_error *qry_count_functions(const struct profile *profile,
	const struct ana_symbols *symbols, struct prof_event_id event, struct ana_rows *ret)
{
	_cleanup_free_ uint32_t *columns = base_calloc_n(profile->samples.n, sizeof(*columns));

	if (!columns)
		return &pd_enomem;
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++)
		columns[id.i] =
			prof_same_event(prof_sample(profile, id)->event, event) ? 0 : PROF_NONE;
	*ret = (struct ana_rows){ .n_columns = 1 };
	return ana_rows_of_functions(profile, symbols, columns, 1, ret);
}

/* A function or a thread that gets a number. */
struct ranked {
	uint64_t first;
	uint64_t second;
	/* Functions: text by which equals are ordered. Threads: NULL. */
	const void *key;
	size_t len;
};

static int compare(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? 1 : -1;
	if (a->second != b->second)
		return a->second < b->second ? 1 : -1;
	int order = memcmp(a->key, b->key, a->len < b->len ? a->len : b->len);
	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

/* Intern the keys of @p list in their order. */
static struct pd_error *number(struct ranked *list, size_t n, struct base_intern *ret)
{
	qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; i < n; i++) {
		if (base_intern_add(ret, list[i].key, list[i].len) == PD_INTERN_NONE)
			return &pd_enomem;
	}
	return NULL;
}

/* Length of "NAME\0BINARY". */
static size_t key_len(const struct ana_symbols *symbols, uint32_t symbol)
{
	return strlen(ana_symbol_name(symbols, symbol)) + 1 +
	       strlen(ana_symbol_binary(symbols, symbol));
}

/* Write "NAME\0BINARY\0" to @p ret. */
static void write_key(const struct ana_symbols *symbols, uint32_t symbol, char *ret)
{
	const char *name = ana_symbol_name(symbols, symbol);
	const char *binary = ana_symbol_binary(symbols, symbol);
	size_t n_name = strlen(name) + 1;

	memcpy(ret, name, n_name);
	memcpy(ret + n_name, binary, strlen(binary) + 1);
}

static struct pd_error *rank_functions(const struct ana_symbols *symbols,
	const struct ana_rows *rows, struct ranked *list, struct qry_numbering *ret)
{
	size_t n = symbols->list.n;

	for (uint32_t i = 0; i < n; i++) {
		const struct ana_cell *cell = i < rows->n ? ana_rows_at(rows, i) : NULL;

		list[i].first = cell ? cell->self.period : 0;
		list[i].second = cell ? cell->total.period : 0;
		list[i].len = key_len(symbols, i);
		char *key = malloc(list[i].len + 1);
		if (!key)
			return &pd_enomem;
		write_key(symbols, i, key);
		list[i].key = key;
		if (list[i].len > ret->longest)
			ret->longest = list[i].len;
	}
	ret->key = malloc(ret->longest + 1);
	return ret->key ? number(list, n, &ret->functions) : &pd_enomem;
}

static struct pd_error *number_functions(
	const struct profile *profile, const struct ana_symbols *symbols, struct qry_numbering *ret)
{
	struct ana_rows rows = { 0 };
	struct pd_error *err =
		qry_count_functions(profile, symbols, qry_main_event(profile), &rows);
	struct ranked *list = base_calloc_n(symbols->list.n, sizeof(*list));

	if (!err)
		err = list ? rank_functions(symbols, &rows, list, ret) : &pd_enomem;
	for (size_t i = 0; list && i < symbols->list.n; i++)
		free((void *)list[i].key);
	free(list);
	ana_rows_deinit(&rows);
	return err;
}

/* Count the samples of each thread, whatever its names were. */
static struct pd_error *number_tasks(const struct profile *profile, struct base_intern *ret)
{
	_cleanup_(
		base_intern_deinit) struct base_intern tasks = { .width = sizeof(struct qry_task) };
	_cleanup_free_ struct ranked *list = base_calloc_n(profile->threads.n, sizeof(*list));
	_cleanup_free_ uint32_t *of_threads =
		base_calloc_n(profile->threads.n, sizeof(*of_threads));
	struct prof_event_id event = qry_main_event(profile);

	ret->width = sizeof(struct qry_task);
	if (!list || !of_threads)
		return &pd_enomem;
	for (struct prof_thread_id id = { 0 }; id.i < profile->threads.n; id.i++) {
		const struct prof_thread *thread = prof_thread(profile, id);
		const struct qry_task task = { thread->pid, thread->tid };
		uint32_t index = base_intern_add(&tasks, &task, sizeof(task));

		if (index == PD_INTERN_NONE)
			return &pd_enomem;
		of_threads[id.i] = index;
		/* Threads with as many samples are in the order of their numbers. */
		list[index].second = UINT32_MAX - (uint64_t)thread->tid;
	}
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);

		if (prof_same_event(sample->event, event))
			list[of_threads[sample->thread.i]].first += prof_value(profile, id)->period;
	}
	for (uint32_t i = 0; i < tasks.n; i++) {
		list[i].key = base_intern_bytes(&tasks, i);
		list[i].len = sizeof(struct qry_task);
	}
	return number(list, tasks.n, ret);
}

struct pd_error *qry_numbering_create(
	const struct profile *profile, const struct ana_symbols *symbols, struct qry_numbering *ret)
{
	struct pd_error *err = number_functions(profile, symbols, ret);

	return err ? err : number_tasks(profile, &ret->tasks);
}

void qry_numbering_deinit(struct qry_numbering *numbering)
{
	base_intern_deinit(&numbering->functions);
	base_intern_deinit(&numbering->tasks);
	free(take_ptr(numbering->key));
}

uint32_t qry_function_number(
	const struct qry_numbering *numbering, const struct ana_symbols *symbols, uint32_t symbol)
{
	size_t len = symbol == PROF_NONE ? 0 : key_len(symbols, symbol);

	if (!len || len > numbering->longest)
		return 0;
	write_key(symbols, symbol, numbering->key);
	uint32_t id = base_intern_find(&numbering->functions, numbering->key, len);
	return id == PD_INTERN_NONE ? 0 : id + 1;
}

uint32_t qry_function_at(
	const struct qry_numbering *numbering, const struct ana_symbols *symbols, uint32_t number)
{
	if (!number || number > numbering->functions.n)
		return PROF_NONE;
	const char *name = base_intern_bytes(&numbering->functions, number - 1);
	const char *binary = name + strlen(name) + 1;

	for (uint32_t i = 0; i < symbols->list.n; i++) {
		if (strcmp(ana_symbol_name(symbols, i), name) == 0 &&
			strcmp(ana_symbol_binary(symbols, i), binary) == 0)
			return i;
	}
	return PROF_NONE;
}

uint32_t qry_task_number(const struct qry_numbering *numbering, const struct prof_thread *thread)
{
	const struct qry_task task = { thread->pid, thread->tid };
	uint32_t id = base_intern_find(&numbering->tasks, &task, sizeof(task));

	return id == PD_INTERN_NONE ? 0 : id + 1;
}

uint32_t qry_id_parse(const char *text, char letter)
{
	const char *end;
	uint64_t number;

	if (text[0] != letter || text[1] != '-' ||
		!base_number_parse(text + 2, UINT32_MAX, &end, &number) || *end)
		return 0;
	return (uint32_t)number;
}
