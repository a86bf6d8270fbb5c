#include "profile/filter.h"

#include <string.h>

#include "base/cleanup.h"

void prof_filter_deinit(struct prof_filter *filter)
{
	pd_vec_deinit(&filter->pids.items);
	pd_vec_deinit(&filter->tids.items);
	pd_vec_deinit(&filter->cpus.items);
	prof_time_spans_deinit(&filter->times);
	pd_vec_deinit(&filter->events.items);
	pd_vec_deinit(&filter->comms.items);
	pd_vec_deinit(&filter->dsos.items);
	pd_vec_deinit(&filter->symbols.items);
}

bool prof_filter_is_active(const struct prof_filter *filter)
{
	return filter->pids.items.n || filter->tids.items.n || filter->cpus.items.n ||
	       filter->times.list.n || filter->events.items.n || filter->comms.items.n ||
	       filter->dsos.items.n || filter->symbols.items.n;
}

/* An empty list contains everything. */
static bool has_number(const struct prof_number_list *list, uint32_t number)
{
	for (size_t i = 0; i < list->items.n; i++) {
		const struct prof_number_range *range = &list->items.data[i];

		if (number >= range->first && number <= range->last)
			return true;
	}
	return !list->items.n;
}

static bool has_name(const struct prof_name_list *list, const char *name)
{
	for (size_t i = 0; i < list->items.n; i++) {
		if (strcmp(list->items.data[i], name) == 0)
			return true;
	}
	return !list->items.n;
}

/* Match "cycles" with "cycles:u", but not "sched" with "sched:sched_switch". */
static bool is_without_modifiers(const char *wanted, const char *name)
{
	size_t len = strlen(wanted);

	if (strncmp(wanted, name, len) != 0 || name[len] != ':')
		return false;
	return name[len + 1 + strspn(name + len + 1, "ukhHGpPSDIWeb")] == '\0';
}

bool prof_filter_is_event(const char *wanted, const char *name)
{
	return strcmp(wanted, name) == 0 || is_without_modifiers(wanted, name);
}

enum prof_filter_kind prof_filter_event(const struct prof_filter *filter, const char *name)
{
	for (size_t i = 0; i < filter->events.items.n; i++) {
		if (prof_filter_is_event(filter->events.items.data[i], name))
			return PROF_N_FILTERS;
	}
	return filter->events.items.n ? PROF_FILTER_EVENT : PROF_N_FILTERS;
}

static bool has_dso(const struct prof_filter *filter, const char *dso)
{
	const char *name = dso ? dso : "[unknown]";
	const char *slash = strrchr(name, '/');

	return has_name(&filter->dsos, name) || (slash && has_name(&filter->dsos, slash + 1));
}

enum prof_filter_kind prof_filter_sample(const struct prof_filter *filter,
	const struct prof_time_spans *times, const struct prof_filter_sample *sample)
{
	if (!prof_time_spans_contain(times, sample->time))
		return PROF_FILTER_TIME;
	if (filter->cpus.items.n && !(sample->has_cpu && has_number(&filter->cpus, sample->cpu)))
		return PROF_FILTER_CPU;
	if (!has_number(&filter->pids, sample->pid))
		return PROF_FILTER_PID;
	if (!has_number(&filter->tids, sample->tid))
		return PROF_FILTER_TID;
	if (!has_name(&filter->comms, sample->comm))
		return PROF_FILTER_COMM;
	if (filter->dsos.items.n && !has_dso(filter, sample->dso))
		return PROF_FILTER_DSO;
	return PROF_N_FILTERS;
}

/* Match the function at the leaf. Inlined functions come before it in the list of lines. */
static bool has_symbol(
	const struct prof_filter *filter, const struct profile *profile, struct prof_stack_id stack)
{
	const struct prof_line *lines = NULL;
	const char *name = "[unknown]";
	uint32_t n, n_lines;
	const struct prof_frame_id *frames = profile_stack(profile, stack, &n);

	if (n)
		lines = profile_frame_lines(profile, frames[0], &n_lines);
	if (lines)
		name = profile_string(
			profile, profile_function(profile, lines[n_lines - 1].function)->name);
	return has_name(&filter->symbols, name);
}

/*
 * Remove rows of samples that were left out. Details move with their rows, and notes refer to rows.
 */
static void renumber_rows(struct profile *profile, const struct prof_sample_id *new_ids)
{
	uint32_t n = 0;
	size_t n_details = 0;
	size_t note = 0;

	/*
	 * Notes are in the order of their rows. A note keeps its position: before the next row that
	 * remains.
	 */
	for (uint32_t i = 0; i < profile->rows.n; i++) {
		struct prof_row *row = &profile->rows.data[i];

		for (; note < profile->notes.n && profile->notes.data[note].row <= i; note++)
			profile->notes.data[note].row = n;
		row->sample = new_ids[row->sample.i];
		if (prof_is_none(row->sample))
			continue;
		/* Details end with the last row that has any. */
		if (i < profile->details.n)
			profile->details.data[n_details++] = profile->details.data[i];
		profile->rows.data[n++] = *row;
	}
	for (; note < profile->notes.n; note++)
		profile->notes.data[note].row = n;
	profile->rows.n = n;
	profile->details.n = n_details;
}

/* Add the samples of @p all that the filter includes. Their new ids go to @p new_ids. */
static struct pd_error *keep_some(const struct prof_filter *filter, struct profile *profile,
	const struct prof_samples *all, struct prof_sample_id *new_ids)
{
	for (uint32_t i = 0; i < all->samples.n; i++) {
		const struct prof_sample *sample = &all->samples.data[i];
		const struct prof_value *value = &all->values.data[i];

		new_ids[i] = prof_no_sample();
		if (!has_symbol(filter, profile, sample->stack)) {
			profile->stats.filtered[PROF_FILTER_SYMBOL] += value->samples;
			continue;
		}
		struct pd_error *err = profile_add_samples(profile, sample, value, &new_ids[i]);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *prof_filter_symbols(const struct prof_filter *filter, struct profile *profile)
{
	_cleanup_free_ struct prof_sample_id *new_ids = NULL;
	_cleanup_(prof_samples_deinit) struct prof_samples all = { 0 };

	if (!filter->symbols.items.n)
		return NULL;
	new_ids = calloc(profile->samples.n + 1, sizeof(*new_ids));
	if (!new_ids)
		return &pd_enomem;
	all = profile_take_samples(profile);
	struct pd_error *err = keep_some(filter, profile, &all, new_ids);
	if (err)
		return err;
	renumber_rows(profile, new_ids);
	return NULL;
}
