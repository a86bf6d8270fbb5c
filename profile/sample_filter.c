#include "profile/sample_filter.h"

#include <string.h>

static void deinit_patterns(struct prof_patterns *list)
{
	for (size_t i = 0; i < list->items.n; i++)
		base_pattern_destroy(list->items.data[i]);
	pd_vec_deinit(&list->items);
}

void prof_filter_deinit(struct prof_filter *filter)
{
#define DEINIT_ranges(from) pd_vec_deinit(&(from)->items)
#define DEINIT_times(from) prof_time_spans_deinit(from)
#define DEINIT_names(from) pd_vec_deinit(&(from)->items)
#define DEINIT_patterns(from) deinit_patterns(from)
#define DEINIT_LIST(name, text, type, list, ...) DEINIT_##type(&filter->list);
	PD_FILTERS(DEINIT_LIST)
	PD_FRAME_FILTERS(DEINIT_LIST)
#undef DEINIT_LIST
}

/* Whether the filter has lists of the stage that is named. */
#define LENGTH_ranges(from) ((from)->items.n)
#define LENGTH_times(from) ((from)->list.n)
#define LENGTH_names(from) ((from)->items.n)
#define LENGTH_patterns(from) ((from)->items.n)
enum stage { SAMPLE, NAMES };
static bool has_lists(const struct prof_filter *filter, enum stage wanted)
{
#define HAS_LIST(name, text, type, list, stage) \
	(stage == wanted && LENGTH_##type(&filter->list) > 0) ||
	return PD_FILTERS(HAS_LIST) PD_FRAME_FILTERS(HAS_LIST) false;
#undef HAS_LIST
}

bool prof_filter_needs_names(const struct prof_filter *filter)
{
	return has_lists(filter, NAMES) || filter->hides_scaffolding;
}

bool prof_filter_is_active(const struct prof_filter *filter)
{
	return has_lists(filter, SAMPLE) || prof_filter_needs_names(filter);
}

/* An empty list contains everything. */
static bool has_number(const struct prof_ranges *list, uint32_t number)
{
	for (size_t i = 0; i < list->items.n; i++) {
		const struct pd_number_range *range = &list->items.data[i];

		if (number >= range->first && number <= range->last)
			return true;
	}
	return !list->items.n;
}

static bool has_name(const struct prof_names *list, const char *name)
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

	return has_name(&filter->dsos, name) || (slash && has_name(&filter->dsos, slash + 1));
}

bool prof_filter_has_cpu(const struct prof_filter *filter, uint32_t cpu)
{
	return has_number(&filter->cpus, cpu);
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
	if (filter->comms.items.n && !has_name(&filter->comms, sample->comm))
		return PROF_FILTER_COMM;
	if (filter->dsos.items.n && !has_dso(filter, sample->dso))
		return PROF_FILTER_DSO;
	return PROF_N_FILTERS;
}
