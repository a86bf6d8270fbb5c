#include "output/event_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

bool out_event_is_listed(const struct prof_event *event)
{
	return event->total.samples || (event->is_wanted && !event->is_dummy);
}

size_t out_count_listed_events(const struct profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->events.n; i++)
		n += out_event_is_listed(&profile->events.data[i]);
	return n;
}

/*
 * Return the short name of the event. The caller frees it; NULL if out of memory.
 */
static char *short_name(const struct profile *profile, const struct prof_event *event)
{
	const char *name = prof_string(profile, event->name);
	const char *colon = strrchr(name, ':');

	if (strcmp(prof_string(profile, event->unit), "nanoseconds") == 0 &&
		(strncmp(name, "cpu-clock", 9) == 0 || strncmp(name, "task-clock", 10) == 0))
		return strdup("cpu");
	/* In the name of a tracepoint the colon separates system and event, not the modifiers. */
	if (event->kind == PROF_EVENT_TRACEPOINT || !colon || colon == name)
		return strdup(name);
	return strndup(name, (size_t)(colon - name));
}

void out_event_names_deinit(struct out_event_names *names)
{
	base_intern_deinit(&names->texts);
	free(names->short_names);
	free(names->counts);
}

bool out_event_names_init(struct out_event_names *names, const struct profile *profile)
{
	size_t n = profile->events.n;

	*names = (struct out_event_names){
		.short_names = base_calloc_n(n, sizeof(*names->short_names)),
		.counts = base_calloc_n(n, sizeof(*names->counts)),
	};
	if (!names->short_names || !names->counts)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (!out_event_is_listed(event))
			continue;
		_cleanup_free_ char *name = short_name(profile, event);
		uint32_t id = name ? base_intern_str(&names->texts, name) : PD_INTERN_NONE;
		if (id == PD_INTERN_NONE)
			return false;
		names->short_names[i] = id;
		names->counts[id]++;
	}
	return true;
}

const char *out_event_name(
	const struct out_event_names *names, const struct profile *profile, struct prof_event_id id)
{
	uint32_t name = names->short_names[id.i];

	return names->counts[name] > 1 ? prof_string(profile, prof_event(profile, id)->name)
				       : base_intern_bytes(&names->texts, name);
}

struct prof_event_id out_main_event(const struct profile *profile)
{
	struct prof_event_id found = prof_no_event();

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (prof_event(profile, id)->total.samples)
			return id;
		if (prof_is_none(found) && out_event_is_listed(prof_event(profile, id)))
			found = id;
	}
	return found;
}

int64_t out_event_period(const struct prof_event *event)
{
	if (event->sample_period && event->sample_period <= INT64_MAX)
		return (int64_t)event->sample_period;
	if (event->total.samples)
		return (int64_t)(event->total.period / event->total.samples);
	return 0;
}

uint64_t out_recording_start(const struct profile *profile)
{
	const struct prof_stats *stats = &profile->stats;
	uint64_t before = stats->begin_ns ? stats->first_ns - stats->begin_ns : 0;

	/* A recording without samples has no time of the first one. */
	return stats->first_ns && profile->about.start_ns ? profile->about.start_ns - before : 0;
}
