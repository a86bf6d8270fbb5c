/* Samples and threads of the html format; losses and life times of threads between samples. */
#include "output/html/html_samples.h"

#include <stdlib.h>

#include <pdconv/record.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/sort.h"
#include "output/html/html_ledger.h"
#include "output/html/html_tree.h"
#include "output/tracks.h"

/* Kinds of marks in the page. */
enum { MARK_LOST, MARK_THROTTLED };

/* Return the index of a thread, or PROF_NONE if it has no samples. */
static uint32_t find_thread(const struct html *h, uint32_t pid, uint32_t tid)
{
	const uint64_t *id = base_map_find(&h->thread_ids, (uint64_t)pid << 32 | tid);

	return id ? (uint32_t)*id : PROF_NONE;
}

static void begin_or_end(struct html *h, const struct prof_note *note, const struct out_note *read)
{
	uint32_t thread = find_thread(h, read->pid, read->tid);

	if (thread == PROF_NONE)
		return;
	if (read->kind == OUT_NOTE_FORK)
		h->threads.data[thread].start = note->time;
	else
		h->threads.data[thread].end = note->time;
}

static void put_mark(struct html *h, const struct prof_note *note, unsigned kind, uint64_t n)
{
	uint32_t thread = find_thread(h, note->pid, note->tid);
	struct html_columns *columns = &h->columns;

	html_put(columns, HTML_MARK_TIME, html_time(h, note->time));
	html_put(columns, HTML_MARK_THREAD, thread == PROF_NONE ? 0 : (uint64_t)thread + 1);
	html_put(columns, HTML_MARK_KIND, kind);
	html_put(columns, HTML_MARK_COUNT, n);
}

void html_put_marks(struct html *h)
{
	for (size_t i = 0; i < h->profile->notes.n; i++) {
		const struct prof_note *note = &h->profile->notes.data[i];
		const struct out_note read = out_note_read(prof_note_text(h->profile, note->text));

		/* Losses without a time are totals that perf adds at the end of a recording. */
		if (!note->time || h->base_ns == PD_NO_TIME)
			continue;
		if (read.kind == OUT_NOTE_FORK || read.kind == OUT_NOTE_EXIT)
			begin_or_end(h, note, &read);
		else if (read.kind == OUT_NOTE_LOST)
			put_mark(h, note, MARK_LOST, read.n);
		else if (read.kind == OUT_NOTE_THROTTLED)
			put_mark(h, note, MARK_THROTTLED, 1);
	}
}

/* Return the index of the process @p pid, which has a thread called @p name. */
static uint32_t add_process(struct html *h, uint32_t pid, struct prof_string_id name)
{
	struct html_process process = { .pid = pid, .name = name };
	bool is_new;

	prof_find_process(h->profile, pid, &process.name);
	uint64_t *id = base_map_add(&h->process_ids, pid, &is_new);

	if (!id || (is_new && !pd_vec_push(&h->processes, process))) {
		h->no_memory = true;
		return 0;
	}
	if (is_new)
		*id = h->processes.n - 1;
	return (uint32_t)*id;
}

/* Return the row of the thread with the pid and tid of @p thread. */
static uint32_t row_of_task(struct html *h, const struct prof_thread *thread)
{
	struct html_thread entry = {
		.pid = thread->pid, .tid = thread->tid, .start = PD_NO_TIME, .end = PD_NO_TIME
	};
	bool is_new;
	uint64_t *id =
		base_map_add(&h->thread_ids, (uint64_t)thread->pid << 32 | thread->tid, &is_new);

	if (!id) {
		h->no_memory = true;
		return 0;
	}
	if (is_new) {
		*id = h->threads.n;
		entry.name = thread->comm;
		entry.process = add_process(h, thread->pid, thread->comm);
		h->no_memory |= !pd_vec_push(&h->threads, entry);
	}
	return (uint32_t)*id;
}

uint32_t html_thread_row(struct html *h, struct prof_thread_id id)
{
	return row_of_task(h, prof_thread(h->profile, id));
}

/* Add a thread. Its name becomes that of the thread @p id, which comes later in time. */
static void add_thread(struct html *h, struct prof_thread_id id)
{
	const struct prof_thread *thread = prof_thread(h->profile, id);
	uint32_t *row = &h->thread_rows[id.i];

	if (!*row)
		*row = row_of_task(h, thread) + 1;
	if (h->no_memory)
		return;
	struct html_thread *known = &h->threads.data[*row - 1];
	known->name = thread->comm;
	if (thread->pid == thread->tid)
		h->processes.data[known->process].name = thread->comm;
}

/* Number of the reason why the stack ends. They are numbered as they are met. */
static uint32_t end_of(struct html *h, const struct prof_sample *sample)
{
	uint32_t end = sample->end;

	if (end >= PD_N_UNWIND_ENDS) {
		enum advice_chain_end chain =
			advice_chain_end_of(h->profile, &h->chain_ends, sample);

		if (chain == ADVICE_CHAIN_NONE)
			return 0;
		end = PD_N_UNWIND_ENDS + chain;
	}
	if (!h->ends[end])
		h->ends[end] = ++h->n_ends;
	return h->ends[end];
}

uint64_t html_time(const struct html *h, uint64_t time)
{
	return time > h->base_ns ? (time - h->base_ns) / h->unit_ns : 0;
}

/*
 * Find the unit and the base of times. Long recordings have a coarser unit, because the lowest
 * digits of times are what compresses worst.
 */
static void find_times(struct html *h, const struct base_keyed *order, size_t n)
{
	const uint64_t max_units = 100000000;

	uint64_t last;

	h->unit_ns = 1000;
	h->base_ns = n ? order[0].key : PD_NO_TIME;
	if (h->base_ns == PD_NO_TIME)
		return;
	while (order[n - 1].key == PD_NO_TIME)
		n--;
	last = order[n - 1].key;
	for (size_t i = 0; html_has_ledger(h->profile) && i < h->profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &h->profile->ledgers.data[i];

		h->base_ns = ledger->begin_ns < h->base_ns ? ledger->begin_ns : h->base_ns;
		last = ledger->end_ns > last ? ledger->end_ns : last;
	}
	while ((last - h->base_ns) / h->unit_ns > max_units)
		h->unit_ns *= 10;
	h->base_ns -= h->base_ns % h->unit_ns;
	h->last_time = html_time(h, order[n - 1].key);
}

/* List the samples in order of time, those without a time last, and find the unit of times. */
static uint32_t *sort_by_time(struct html *h)
{
	size_t n = h->profile->samples.n;
	_cleanup_free_ struct base_keyed *order = base_calloc_n(n, sizeof(*order));

	for (struct prof_sample_id id = { 0 }; order && id.i < n; id.i++)
		order[id.i] = (struct base_keyed){ prof_sample_time(h->profile, id), id.i };
	if (!order || !base_sort_keyed(order, n))
		return NULL;
	find_times(h, order, n);
	uint32_t *list = base_calloc_n(n, sizeof(*list));
	for (size_t i = 0; list && i < n; i++)
		list[i] = order[i].index;
	return list;
}

/*
 * List the samples of @p from by what @p group_of returns, which is less than @p n_groups. Samples
 * of one group remain in their order.
 */
static uint32_t *group_samples(const struct html *h, const uint32_t *from, size_t n_groups,
	uint32_t (*group_of)(const struct html *h, const struct prof_sample *sample))
{
	size_t n = h->profile->samples.n;
	const struct prof_sample *samples = h->profile->samples.data;
	uint32_t *list = base_calloc_n(n, sizeof(*list));
	_cleanup_free_ uint32_t *next = calloc(n_groups + 1, sizeof(*next));

	if (!list || !next) {
		free(list);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		next[group_of(h, &samples[i]) + 1]++;
	for (size_t i = 0; i < n_groups; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < n; i++)
		list[next[group_of(h, &samples[from[i]])]++] = from[i];
	return list;
}

/* Number of the CPU plus 1; 0: not known. */
static uint64_t cpu_of(const struct html *h, const struct prof_sample *sample)
{
	const struct prof_tags *tags = prof_tags(h->profile, sample->tags);

	return tags && tags->cpu != PROF_NONE ? (uint64_t)tags->cpu + 1 : 0;
}

/* Few machines have more CPUs. Samples of CPUs in one group are in order of time. */
enum { N_CPU_GROUPS = 4096 };

static uint32_t group_of_cpu(const struct html *h, const struct prof_sample *sample)
{
	return (uint32_t)(cpu_of(h, sample) % N_CPU_GROUPS);
}

static uint32_t thread_of(const struct html *h, const struct prof_sample *sample)
{
	return h->thread_rows[sample->thread.i] - 1;
}

/* Put what is predicted best by the sample before it on the same CPU. */
static void put_sample(struct html *h, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(h->profile, id);
	const struct prof_value *value = prof_value(h->profile, id);
	uint64_t time = prof_sample_time(h->profile, id);
	struct html_columns *columns = &h->columns;

	html_put(columns, HTML_SAMPLE_TIME, time == PD_NO_TIME ? h->last_time : html_time(h, time));
	html_put(columns, HTML_SAMPLE_THREAD, thread_of(h, sample));
	html_put(columns, HTML_SAMPLE_CPU, cpu_of(h, sample));
	html_put(columns, HTML_SAMPLE_EVENT, sample->event.i);
	html_put(columns, HTML_SAMPLE_WEIGHT, value->period);
	html_put(columns, HTML_SAMPLE_COUNT, value->samples);
}

/* Put what is predicted best by the sample before it of the same thread. */
static void put_stack(struct html *h, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(h->profile, id);

	html_put(&h->columns, HTML_SAMPLE_LEAF, h->leaves[sample->stack.i]);
	html_put(&h->columns, HTML_SAMPLE_END, end_of(h, sample));
}

/*
 * Add all stacks, those with most samples first: the numbers of their frames are then small, and
 * compress well.
 */
static void add_stacks(struct html *h)
{
	size_t n = h->profile->stacks.n, n_sampled = 0;
	_cleanup_free_ struct base_keyed *order = base_calloc_n(n, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct base_keyed){ UINT64_MAX, i };
	for (size_t i = 0; order && i < h->profile->samples.n; i++)
		order[h->profile->samples.data[i].stack.i].key--;
	if (!order || !base_sort_keyed(order, n)) {
		h->no_memory = true;
		return;
	}
	while (n_sampled < n && order[n_sampled].key != UINT64_MAX && !h->no_memory)
		html_add_stack(h, (struct prof_stack_id){ order[n_sampled++].index });
	if (!h->no_memory)
		html_put_nodes(h, order, n_sampled);
}

/* Put the samples of @p list, which is freed: by CPU, and their stacks by thread. */
static void put_samples(struct html *h, uint32_t *list)
{
	size_t n = h->profile->samples.n;
	_cleanup_free_ uint32_t *by_cpu = group_samples(h, list, N_CPU_GROUPS, group_of_cpu);

	free(list);
	h->no_memory |= !by_cpu;
	for (size_t i = 0; i < n && !h->no_memory; i++)
		put_sample(h, (struct prof_sample_id){ by_cpu[i] });
	if (h->no_memory)
		return;
	_cleanup_free_ uint32_t *by_thread = group_samples(h, by_cpu, h->threads.n, thread_of);
	h->no_memory |= !by_thread;
	for (size_t i = 0; i < n && !h->no_memory; i++)
		put_stack(h, (struct prof_sample_id){ by_thread[i] });
}

void html_put_samples(struct html *h)
{
	uint32_t *list = sort_by_time(h);

	h->thread_rows = base_calloc_n(h->profile->threads.n, sizeof(*h->thread_rows));
	h->no_memory |= !list || !h->thread_rows;
	for (size_t i = 0; i < h->profile->samples.n && !h->no_memory; i++) {
		PD_IS_TRUE(list, "no_memory is set without it");
		add_thread(h, prof_sample(h->profile, (struct prof_sample_id){ list[i] })->thread);
	}
	if (!h->no_memory)
		add_stacks(h);
	if (h->no_memory)
		free(list);
	else
		put_samples(h, list);
}
