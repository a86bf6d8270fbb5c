#include "output/report/events.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/keys.h"
#include "output/report/waits.h"

/* Tracepoints and output of BPF programs are not amounts that can be compared by function. */
static bool is_counter(const struct prof_event *event)
{
	return event->total.samples && event->kind != PROF_EVENT_TRACEPOINT && !event->is_dummy &&
	       !event->is_bpf_output;
}

static bool go_together(const struct prof_event *a, const struct prof_event *b)
{
	return is_counter(a) && is_counter(b) && a->has_stacks == b->has_stacks;
}

static bool has_key(const char *const *names, size_t n, enum ana_key key)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], ana_key_row(key)->name) == 0)
			return true;
	}
	return false;
}

struct out_report_events out_report_events(const struct profile *profile,
	const struct out_write_opts *opts, struct prof_event_id event)
{
	const struct pd_report_opts *report = &opts->format.report;
	struct out_report_events ret = { .list = { event }, .n = 1 };

	if (opts->has_all_events || !prof_is_none(opts->event))
		return ret;
	ret.are_rows = has_key(report->sort, report->n_sort, ANA_KEY_EVENT) ||
		       has_key(report->group_by, report->n_group_by, ANA_KEY_EVENT);
	if (ret.are_rows)
		return ret;
	struct prof_event_id waits = out_report_wait_event(profile, opts);
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (!prof_same_event(id, event) && !prof_same_event(id, waits) &&
			ret.n < OUT_MAX_EVENTS &&
			go_together(prof_event(profile, event), prof_event(profile, id)))
			ret.list[ret.n++] = id;
	}
	return ret;
}

void out_report_find_shown(
	const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret)
{
	struct prof_event_id first = out_event(profile, opts);
	struct prof_event_id waits = out_report_wait_event(profile, opts);

	out_find_shown(profile, opts, shown_ret);
	if (!opts->has_all_events && !prof_is_none(first)) {
		const struct out_report_events events = out_report_events(profile, opts, first);

		for (size_t i = 0; i < profile->events.n; i++)
			shown_ret[i] = events.are_rows;
		for (size_t i = 0; i < events.n; i++)
			shown_ret[events.list[i].i] = true;
	}
	if (!prof_is_none(waits))
		shown_ret[waits.i] = true;
}

uint32_t *out_report_event_columns(
	const struct profile *profile, const struct out_report_events *events)
{
	uint32_t *columns = reallocarray(NULL, profile->events.n + 1, sizeof(*columns));

	for (size_t i = 0; columns && i < profile->events.n; i++)
		columns[i] = events->are_rows ? 0 : PROF_NONE;
	for (uint32_t i = 0; columns && !events->are_rows && i < events->n; i++)
		columns[events->list[i].i] = i;
	return columns;
}
