#include "profile/filter.h"

#include <string.h>

#include "profile/filter_names.h"

static void deinit_patterns(struct prof_pattern_list *list)
{
	for (size_t i = 0; i < list->items.n; i++)
		pd_pattern_destroy(list->items.data[i]);
	pd_vec_deinit(&list->items);
}

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
	deinit_patterns(&filter->focus);
	deinit_patterns(&filter->ignore);
	deinit_patterns(&filter->hide);
	pd_vec_deinit(&filter->roots.items);
}

bool prof_filter_is_active(const struct prof_filter *filter)
{
	return filter->pids.items.n || filter->tids.items.n || filter->cpus.items.n ||
	       filter->times.list.n || filter->events.items.n || filter->comms.items.n ||
	       filter->dsos.items.n || prof_filter_needs_names(filter);
}

/* An empty list contains everything. */
static bool has_number(const struct prof_number_list *list, uint32_t number)
{
	for (size_t i = 0; i < list->items.n; i++) {
		const struct pd_number_range *range = &list->items.data[i];

		if (number >= range->first && number <= range->last)
			return true;
	}
	return !list->items.n;
}

bool prof_name_list_has(const struct prof_name_list *list, const char *name)
{
	for (size_t i = 0; i < list->items.n; i++) {
		if (strcmp(list->items.data[i], name) == 0)
			return true;
	}
	return false;
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

	return prof_name_list_has(&filter->dsos, name) ||
	       (slash && prof_name_list_has(&filter->dsos, slash + 1));
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
	if (filter->comms.items.n && !prof_name_list_has(&filter->comms, sample->comm))
		return PROF_FILTER_COMM;
	if (filter->dsos.items.n && !has_dso(filter, sample->dso))
		return PROF_FILTER_DSO;
	return PROF_N_FILTERS;
}
