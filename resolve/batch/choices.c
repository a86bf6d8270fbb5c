#include "resolve/batch/choices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/reader.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"

enum {
	/** Names that are counted for a filter, and those that are listed. */
	MAX_COUNTED = 10000,
	MAX_LISTED = 8,
	NAME_BYTES = 512,
	NS_OF_US = 1000,
	US_OF_SECOND = 1000000,
};

/* Nouns for the choices of each filter. */
static const char *const nouns[PROF_N_FILTERS] = {
	[PROF_FILTER_CPU] = "CPUs",
	[PROF_FILTER_PID] = "processes",
	[PROF_FILTER_TID] = "threads",
	[PROF_FILTER_COMM] = "names of threads",
	[PROF_FILTER_DSO] = "binaries",
};

void resolve_choices_deinit(struct resolve_choices *choices)
{
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		base_intern_deinit(&choices->by_filter[i].names);
		pd_vec_deinit(&choices->by_filter[i].counts);
	}
}

/* Format what @p filter could have chosen to include the sample. */
static void format_choice(enum prof_filter_kind filter, const struct prof_filter_sample *sample,
	char buf[static NAME_BYTES])
{
	switch (filter) {
	case PROF_FILTER_CPU:
		snprintf(buf, NAME_BYTES, "%" PRIu32, sample->cpu);
		break;
	case PROF_FILTER_PID:
		snprintf(buf, NAME_BYTES, "%" PRIu32, sample->pid);
		break;
	case PROF_FILTER_TID:
		snprintf(buf, NAME_BYTES, "%" PRIu32 " (%s)", sample->tid, sample->comm);
		break;
	case PROF_FILTER_COMM:
		snprintf(buf, NAME_BYTES, "%s", sample->comm);
		break;
	default:
		snprintf(buf, NAME_BYTES, "%s", sample->dso ? sample->dso : "[unknown]");
	}
}

static void note_name(struct resolve_choices *choices, enum prof_filter_kind filter,
	const struct prof_filter_sample *sample)
{
	struct resolve_choice_names *list = &choices->by_filter[filter];
	char name[NAME_BYTES];

	format_choice(filter, sample, name);
	if (list->names.n >= MAX_COUNTED)
		return;
	uint32_t id = base_intern_str(&list->names, name);
	if (id == PD_INTERN_NONE || (id == list->counts.n && !pd_vec_push(&list->counts, 0)))
		choices->no_memory = true;
	else
		list->counts.data[id]++;
}

void resolve_choices_note_time(struct resolve_choices *choices, uint64_t time)
{
	if (time >= PD_FIRST_FAKE_TIME)
		return;
	if (!choices->first_ns || time < choices->first_ns)
		choices->first_ns = time;
	if (time > choices->last_ns)
		choices->last_ns = time;
}

void resolve_choices_note(struct resolve_choices *choices, enum prof_filter_kind filter,
	const struct prof_filter_sample *sample)
{
	resolve_choices_note_time(choices, sample->time);
	if (nouns[filter])
		note_name(choices, filter, sample);
}

/* Find the name with most samples among those that were not written. */
static uint32_t find_next(const struct resolve_choice_names *list, const bool *is_written)
{
	uint32_t best = PD_INTERN_NONE;

	for (uint32_t i = 0; i < list->counts.n; i++) {
		if (!is_written[i] &&
			(best == PD_INTERN_NONE || list->counts.data[i] > list->counts.data[best]))
			best = i;
	}
	return best;
}

/* Write "names of threads: matrix, ranker, and 3 more". Returns false if memory ran out. */
static bool write_names(const struct resolve_choice_names *list, const char *noun, FILE *out)
{
	_cleanup_free_ bool *is_written = base_calloc_n(list->counts.n, sizeof(*is_written));
	uint32_t n = 0;

	if (!is_written)
		return false;
	fprintf(out, "%s", noun);
	for (; n < MAX_LISTED && n < list->counts.n; n++) {
		uint32_t id = find_next(list, is_written);

		is_written[id] = true;
		fprintf(out, "%s%s", n ? ", " : ": ",
			(const char *)base_intern_bytes(&list->names, id));
	}
	if (n < list->counts.n)
		fprintf(out, ", and %zu more", list->counts.n - n);
	return true;
}

static void write_time(uint64_t ns, FILE *out)
{
	uint64_t us = ns / NS_OF_US;

	fprintf(out, "%" PRIu64 ".%06" PRIu64, us / US_OF_SECOND, us % US_OF_SECOND);
}

/* Whether the samples are all before or after the times that were asked for. */
static bool is_outside(const struct resolve_choices *choices, const struct prof_time_spans *times)
{
	for (size_t i = 0; i < times->list.n; i++) {
		const struct prof_time_span *span = &times->list.data[i];

		if (span->start <= choices->last_ns && span->end >= choices->first_ns)
			return false;
	}
	return times->list.n && choices->last_ns;
}

static bool has_names(const struct resolve_choices *choices)
{
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (choices->by_filter[i].counts.n)
			return true;
	}
	return false;
}

static bool write_choices(
	const struct resolve_choices *choices, const struct prof_time_spans *times, FILE *out)
{
	const char *separator = "";

	if (is_outside(choices, times)) {
		fputs("times from ", out);
		write_time(choices->first_ns, out);
		fputs(" to ", out);
		write_time(choices->last_ns, out);
		separator = "; ";
	}
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (!choices->by_filter[i].counts.n)
			continue;
		fputs(separator, out);
		if (!write_names(&choices->by_filter[i], nouns[i], out))
			return false;
		separator = "; ";
	}
	return true;
}

struct pd_error *resolve_choices_finish(const struct resolve_choices *choices,
	const struct prof_time_spans *times, struct profile *profile)
{
	char *text = NULL;
	size_t size;

	if (choices->no_memory)
		return &pd_enomem;
	/* A time in which nothing ran is an answer. */
	if (profile->samples.n || (!has_names(choices) && !is_outside(choices, times)))
		return NULL;
	FILE *out = base_memstream_open(&text, &size);
	if (!out)
		return &pd_enomem;
	bool is_written = write_choices(choices, times, out);
	if (base_memstream_close(out, &text) && is_written)
		profile->about.choices = prof_add_string(profile, text);
	else
		is_written = false;
	free(text);
	return is_written && !prof_is_none(profile->about.choices) ? NULL : &pd_enomem;
}
