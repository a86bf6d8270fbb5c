/**
 * @file What filters could have chosen: times, threads, processes, CPUs and binaries of the samples
 * that were left out. Said if nothing else is left.
 */
#ifndef PD_RESOLVE_CHOICES_H
#define PD_RESOLVE_CHOICES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "profile/sample_filter.h"
#include "profile/profile.h"

/** Names that a filter could have chosen, and the number of their samples by name id. */
struct resolve_choice_names {
	struct base_intern names;
	PD_VEC(uint64_t) counts;
};

/** Choices of each filter. A zeroed one is empty. */
struct resolve_choices {
	/** Times of the first and the last sample that was left out, for whatever reason. */
	uint64_t first_ns;
	uint64_t last_ns;
	struct resolve_choice_names by_filter[PROF_N_FILTERS];
	bool no_memory;
};

void resolve_choices_deinit(struct resolve_choices *choices);

/** Note a sample that @p filter leaves out. */
void resolve_choices_note(struct resolve_choices *choices, enum prof_filter_kind filter,
	const struct prof_filter_sample *sample);

/** Note the time of a sample that a filter leaves out. */
void resolve_choices_note_time(struct resolve_choices *choices, uint64_t time);

/**
 * Describe the choices in profile->about.choices if all samples were left out because the recording
 * has none of the names and numbers that were asked for, or ends before or begins after @p times.
 * Errors: NOMEM.
 */
struct pd_error *resolve_choices_finish(const struct resolve_choices *choices,
	const struct prof_time_spans *times, struct profile *profile) pd_must_check;

#endif
