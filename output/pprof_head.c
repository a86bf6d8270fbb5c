/*
 * Head of the Profile message: sample types, period and time, and comments about the machine and
 * about lost samples.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/attr.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "output/pprof_writer.h"

/*
 * Upper limit for events with values of their own. Each sample has the values of all events, so its
 * size grows with their number.
 */
enum { MAX_EVENTS = PD_LIMIT_PPROF_EVENTS };

/* Dummy events and events that a filter excludes are not written, unless they have samples. */
static bool is_shown(const struct prof_event *event)
{
	return event->total.samples || (event->is_wanted && !event->is_dummy);
}

/*
 * Return pprof's name of the event: "cpu" for clocks, otherwise the event name without modifiers.
 * The caller frees it; NULL if out of memory.
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

/* Names of the events that are written. */
struct value_names {
	struct pd_intern texts;
	/** Index in texts of each event's short name, and the number of events that have it. */
	uint32_t *short_names;
	uint32_t *counts;
};

static void names_deinit(struct value_names *names)
{
	pd_intern_deinit(&names->texts);
	free(names->short_names);
	free(names->counts);
}

/* Count the events that have each short name. Returns false if memory ran out. */
static bool names_init(struct value_names *names, const struct profile *profile)
{
	size_t n = profile->events.n;

	*names = (struct value_names){
		.short_names = calloc(n + 1, sizeof(*names->short_names)),
		.counts = calloc(n + 1, sizeof(*names->counts)),
	};
	if (!names->short_names || !names->counts)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct prof_event *event = &profile->events.data[i];
		_cleanup_free_ char *name = is_shown(event) ? short_name(profile, event) : NULL;

		if (!is_shown(event))
			continue;
		uint32_t id = name ? pd_intern_str(&names->texts, name) : PD_INTERN_NONE;
		if (id == PD_INTERN_NONE)
			return false;
		names->short_names[i] = id;
		names->counts[id]++;
	}
	return true;
}

/* Return the short name, or the full one if another event has the same short name. */
static const char *value_name(
	const struct value_names *names, const struct profile *profile, struct prof_event_id id)
{
	uint32_t name = names->short_names[id.i];

	return names->counts[name] > 1 ? prof_string(profile, prof_event(profile, id)->name)
				       : pd_intern_bytes(&names->texts, name);
}

static void put_sample_type(struct pprof_writer *w, int64_t type, int64_t unit)
{
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	value.type = type;
	value.unit = unit;
	piece.sample_type = (Pprof__ValueType *[]){ &value };
	piece.n_sample_type = 1;
	pprof_put(w, &piece);
}

/* Write the two sample types of an event: number of samples, and sum of periods. */
static void put_event(
	struct pprof_writer *w, struct prof_event_id id, const char *name, bool is_only)
{
	const struct prof_event *event = prof_event(w->profile, id);

	w->value_index[id.i] = (uint32_t)w->n_values;
	w->n_values += 2;
	/* Strings are numbered at first use, and compilers evaluate arguments in any order. */
	int64_t count = pprof_text(w, "count");
	int64_t samples = is_only ? pprof_text(w, "samples") : pprof_printf(w, "%s:samples", name);
	put_sample_type(w, samples, count);
	put_sample_type(w, pprof_text(w, name), event->unit.i);
}

static size_t count_shown(const struct profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->events.n; i++)
		n += is_shown(&profile->events.data[i]);
	return n;
}

/* Return the default event: the first that has samples, else the first that is written, if any. */
static struct prof_event_id main_event(const struct profile *profile)
{
	struct prof_event_id found = prof_no_event();

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (prof_event(profile, id)->total.samples)
			return id;
		if (prof_is_none(found) && is_shown(prof_event(profile, id)))
			found = id;
	}
	return found;
}

static void put_period(struct pprof_writer *w, const struct prof_event *event, const char *name)
{
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	type.type = pprof_text(w, name);
	type.unit = event->unit.i;
	piece.default_sample_type = type.type;
	piece.period_type = &type;
	piece.period = event->sample_period <= INT64_MAX ? (int64_t)event->sample_period : 0;
	/* Events sampled by frequency have no fixed period: use the mean. */
	if (!piece.period && event->total.samples)
		piece.period = (int64_t)(event->total.period / event->total.samples);
	pprof_put(w, &piece);
}

/* Write the two sample types that all events share. */
static void put_shared_values(struct pprof_writer *w)
{
	const struct profile *profile = w->profile;

	pd_diag_note(w->diag, w->input, PD_NO_OFFSET, pd_limit_name(PD_LIMIT_ID_PPROF_EVENTS),
		pd_limit_text(PD_LIMIT_ID_PPROF_EVENTS));
	w->labels_events = true;
	w->n_values = 2;
	for (size_t i = 0; i < profile->events.n; i++)
		w->value_index[i] = is_shown(&profile->events.data[i]) ? 0 : PROF_NONE;
	int64_t count = pprof_text(w, "count");
	put_sample_type(w, pprof_text(w, "samples"), count);
	put_sample_type(w, pprof_text(w, "period"), count);
}

static void put_own_values(struct pprof_writer *w, const struct value_names *names)
{
	const struct profile *profile = w->profile;
	bool is_only = count_shown(profile) == 1;
	struct prof_event_id first = main_event(profile);

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		w->value_index[id.i] = PROF_NONE;
		if (!is_shown(prof_event(profile, id)))
			continue;
		const char *name = value_name(names, profile, id);
		put_event(w, id, name, is_only);
		if (prof_same_event(id, first))
			put_period(w, prof_event(profile, id), name);
	}
}

static void put_values(struct pprof_writer *w)
{
	struct value_names names;

	if (count_shown(w->profile) > MAX_EVENTS) {
		put_shared_values(w);
		return;
	}
	if (names_init(&names, w->profile))
		put_own_values(w, &names);
	else
		w->no_memory = true;
	names_deinit(&names);
}

static void put_comment(struct pprof_writer *w, int64_t text)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	piece.comment = &text;
	piece.n_comment = 1;
	pprof_put(w, &piece);
}

static void put_about(struct pprof_writer *w)
{
	const struct prof_about *about = &w->profile->about;
	const struct {
		const char *label;
		struct prof_string_id text;
	} facts[] = {
		{ "command", about->command },
		{ "host", about->host },
		{ "kernel", about->kernel_release },
		{ "arch", about->arch },
		{ "perf", about->perf_version },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(facts); i++) {
		if (facts[i].text.i)
			put_comment(w, pprof_printf(w, "%s: %s", facts[i].label,
					       prof_string(w->profile, facts[i].text)));
	}
}

static void put_events(struct pprof_writer *w)
{
	const struct profile *profile = w->profile;

	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (is_shown(event))
			put_comment(
				w, pprof_printf(w, "event: %s: %" PRIu64 " samples, %" PRIu64 " %s",
					   prof_string(profile, event->name), event->total.samples,
					   event->total.period, prof_string(profile, event->unit)));
	}
}

static void put_losses(struct pprof_writer *w)
{
	const struct prof_stats *stats = &w->profile->stats;
	const struct {
		const char *text;
		uint64_t n;
	} losses[] = {
		{ "lost records", stats->n_lost_records },
		{ "lost samples", stats->n_lost_samples },
		{ "times throttled", stats->n_throttled },
		{ "bytes of damage, passed over", stats->gap_bytes },
		{ "samples after damage", stats->n_after_gaps },
		{ "damaged samples, left out", stats->skipped[PROF_SKIP_DAMAGED] },
		{ "samples of unknown events, left out", stats->skipped[PROF_SKIP_UNKNOWN_EVENT] },
		{ "samples that were not asked for, left out", prof_n_filtered(w->profile) },
	};

	/* profile.proto has no fields for losses. pprof -comments shows comments. */
	for (size_t i = 0; i < PD_ARRAY_LEN(losses); i++) {
		if (losses[i].n)
			put_comment(
				w, pprof_printf(w, "%s: %" PRIu64, losses[i].text, losses[i].n));
	}
}

void pprof_put_head(struct pprof_writer *w)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	const struct profile *profile = w->profile;

	put_values(w);
	piece.time_nanos = (int64_t)profile->about.start_ns;
	piece.duration_nanos = (int64_t)(profile->stats.last_ns - profile->stats.first_ns);
	pprof_put(w, &piece);
	put_about(w);
	put_events(w);
	put_losses(w);
}
