#include "advice/unwind_summary.h"

#include <stdlib.h>

void advice_unwind_summary_deinit(struct advice_unwind_summary *summary)
{
	pd_vec_deinit(&summary->events);
	pd_vec_deinit(&summary->threads);
	pd_vec_deinit(&summary->worst_threads);
}

static void add(struct prof_value *to, const struct prof_value *value)
{
	to->samples += value->samples;
	to->period += value->period;
}

static void count(struct advice_unwind_stats *stats, uint32_t end, const struct prof_value *value)
{
	add(&stats->walked, value);
	add(&stats->ends[end], value);
}

static bool make_room(const struct profile *profile, struct advice_unwind_summary *summary)
{
	const struct advice_unwind_stats none = { 0 };

	for (size_t i = 0; i < profile->events.n; i++) {
		if (!pd_vec_push(&summary->events, none))
			return false;
	}
	for (size_t i = 0; i < profile->threads.n; i++) {
		if (!pd_vec_push(&summary->threads, none))
			return false;
	}
	return true;
}

static void add_samples(const struct profile *profile, struct advice_unwind_summary *summary)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		const struct prof_value *value = prof_value(profile, id);

		if (sample->end >= PD_N_UNWIND_ENDS)
			continue;
		count(&summary->all, sample->end, value);
		count(&summary->events.data[sample->event.i], sample->end, value);
		count(&summary->threads.data[sample->thread.i], sample->end, value);
	}
}

static int compare_threads(const void *a, const void *b, void *threads)
{
	const struct advice_unwind_stats *list = threads;
	const struct prof_thread_id *x = a;
	const struct prof_thread_id *y = b;
	uint64_t n_x = advice_unwind_stats_not_rooted(&list[x->i]);
	uint64_t n_y = advice_unwind_stats_not_rooted(&list[y->i]);

	if (n_x != n_y)
		return n_x > n_y ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static bool sort_threads(struct advice_unwind_summary *summary)
{
	for (struct prof_thread_id id = { 0 }; id.i < summary->threads.n; id.i++) {
		if (advice_unwind_stats_not_rooted(&summary->threads.data[id.i]) &&
			!pd_vec_push(&summary->worst_threads, id))
			return false;
	}
	if (summary->worst_threads.n)
		qsort_r(summary->worst_threads.data, summary->worst_threads.n,
			sizeof(*summary->worst_threads.data), compare_threads,
			summary->threads.data);
	return true;
}

static bool add_all(const struct profile *profile, struct advice_unwind_summary *summary)
{
	if (!make_room(profile, summary))
		return false;
	add_samples(profile, summary);
	return sort_threads(summary);
}

struct pd_error *advice_unwind_summary_create(
	const struct profile *profile, struct advice_unwind_summary *ret)
{
	*ret = (struct advice_unwind_summary){ 0 };
	if (add_all(profile, ret))
		return NULL;
	advice_unwind_summary_deinit(ret);
	*ret = (struct advice_unwind_summary){ 0 };
	return &pd_enomem;
}
