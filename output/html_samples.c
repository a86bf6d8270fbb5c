/* Samples and threads of the html format. */
#include <stdlib.h>

#include <pdconv/record.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "output/html_private.h"
#include "output/tracks.h"

/* Return the index of the process @p pid, which has a thread called @p name. */
static uint32_t add_process(struct html *h, uint32_t pid, struct prof_string_id name)
{
	const struct html_process process = { .pid = pid, .name = name };
	bool is_new;
	uint64_t *id = pd_map_add(&h->process_ids, pid, &is_new);

	if (!id || (is_new && !pd_vec_push(&h->processes, process))) {
		h->no_memory = true;
		return 0;
	}
	if (is_new)
		*id = h->processes.n - 1;
	return (uint32_t)*id;
}

/* Return the index of a thread. Its name becomes that of @p thread, which comes later in time. */
static uint32_t add_thread(struct html *h, const struct prof_thread *thread)
{
	struct html_thread entry = {
		.pid = thread->pid, .tid = thread->tid, .start = PD_NO_TIME, .end = PD_NO_TIME
	};
	bool is_new;
	uint64_t *id =
		pd_map_add(&h->thread_ids, (uint64_t)thread->pid << 32 | thread->tid, &is_new);

	if (!id) {
		h->no_memory = true;
		return 0;
	}
	if (is_new) {
		*id = h->threads.n;
		entry.process = add_process(h, thread->pid, thread->comm);
		h->no_memory |= !pd_vec_push(&h->threads, entry);
	}
	if (h->no_memory)
		return 0;
	struct html_thread *known = &h->threads.data[*id];
	known->name = thread->comm;
	if (thread->pid == thread->tid)
		h->processes.data[known->process].name = thread->comm;
	return (uint32_t)*id;
}

/* Number of the reason why the unwind ended. They are numbered as they are met. */
static uint32_t end_of(struct html *h, uint32_t end)
{
	if (end >= PD_N_UNWIND_ENDS)
		return 0;
	if (!h->ends[end])
		h->ends[end] = ++h->n_ends;
	return h->ends[end];
}

uint64_t html_time(const struct html *h, uint64_t time)
{
	return time > h->base_ns ? (time - h->base_ns) / h->unit_ns : 0;
}

/* Time of a sample in the unit of the page. Those without a time are at the end, with the last. */
static uint64_t shown_time(const struct html *h, uint64_t time)
{
	if (time == PD_NO_TIME)
		return h->columns.list[HTML_SAMPLE_TIME].last;
	return html_time(h, time);
}

static void put_sample(struct html *h, uint64_t time, struct prof_sample_id id)
{
	const struct prof_sample *sample = profile_sample(h->profile, id);
	const struct prof_value *value = profile_value(h->profile, id);
	const struct prof_tags *tags = profile_tags(h->profile, sample->tags);
	bool has_cpu = tags && tags->cpu != PROF_NONE;
	struct html_columns *columns = &h->columns;

	html_put(columns, HTML_SAMPLE_TIME, shown_time(h, time));
	html_put(columns, HTML_SAMPLE_NODE, html_leaf(h, sample->stack));
	html_put(columns, HTML_SAMPLE_THREAD,
		add_thread(h, profile_thread(h->profile, sample->thread)));
	html_put(columns, HTML_SAMPLE_CPU, has_cpu ? (uint64_t)tags->cpu + 1 : 0);
	html_put(columns, HTML_SAMPLE_EVENT, sample->event.i);
	html_put(columns, HTML_SAMPLE_WEIGHT, value->period);
	html_put(columns, HTML_SAMPLE_COUNT, value->samples);
	html_put(columns, HTML_SAMPLE_END, end_of(h, sample->end));
}

/*
 * Find the unit and the base of times. Long recordings have a coarser unit, because the lowest
 * digits of times are what compresses worst.
 */
static void find_times(struct html *h, const struct pd_keyed *order, size_t n)
{
	const uint64_t max_units = 100000000;

	h->unit_ns = 1000;
	h->base_ns = n ? order[0].key : PD_NO_TIME;
	if (h->base_ns == PD_NO_TIME)
		return;
	while (order[n - 1].key == PD_NO_TIME)
		n--;
	while ((order[n - 1].key - h->base_ns) / h->unit_ns > max_units)
		h->unit_ns *= 10;
	h->base_ns -= h->base_ns % h->unit_ns;
}

/*
 * Add the nodes of all stacks, those of the stacks with most samples first: the numbers of their
 * leaves are then small, and compress well.
 */
static void add_stacks(struct html *h)
{
	size_t n = h->profile->stacks.n;
	_cleanup_free_ struct pd_keyed *order = calloc(n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct pd_keyed){ UINT64_MAX, i };
	for (size_t i = 0; order && i < h->profile->samples.n; i++)
		order[h->profile->samples.data[i].stack.i].key--;
	if (!order || !pd_sort_keyed(order, n)) {
		h->no_memory = true;
		return;
	}
	for (size_t i = 0; i < n && order[i].key != UINT64_MAX && !h->no_memory; i++)
		html_leaf(h, (struct prof_stack_id){ order[i].index });
}

void html_put_samples(struct html *h)
{
	size_t n = h->profile->samples.n;
	_cleanup_free_ struct pd_keyed *order = calloc(n + 1, sizeof(*order));

	for (struct prof_sample_id id = { 0 }; order && id.i < n; id.i++)
		order[id.i] = (struct pd_keyed){ out_sample_time(h->profile, id), id.i };
	if (!order || !pd_sort_keyed(order, n)) {
		h->no_memory = true;
		return;
	}
	find_times(h, order, n);
	add_stacks(h);
	for (size_t i = 0; i < n && !h->no_memory; i++)
		put_sample(h, order[i].key, (struct prof_sample_id){ order[i].index });
}
