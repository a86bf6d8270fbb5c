/**
 * @file Filters: which samples to include, and which frames of their stacks. Samples that are left
 * out are counted by filter.
 *
 * Filters that look at the names of frames are applied when the profile is complete
 * (profile/name_filter.h). All others are applied before a stack is unwound.
 */
#ifndef PD_PROFILE_SAMPLE_FILTER_H
#define PD_PROFILE_SAMPLE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>
#include <pdconv/vec.h>

#include "base/names/pattern.h"
#include "profile/profile.h"
#include "profile/time_spans.h"

/* Types of the lists of a filter. Names are borrowed, and patterns are owned. */
struct prof_ranges {
	PD_VEC(struct pd_number_range) items;
};

struct prof_names {
	PD_VEC(const char *) items;
};

struct prof_patterns {
	PD_VEC(struct base_pattern *) items;
};

#define PROF_TYPE_OF_ranges struct prof_ranges
#define PROF_TYPE_OF_times struct prof_time_spans
#define PROF_TYPE_OF_names struct prof_names
#define PROF_TYPE_OF_patterns struct prof_patterns

/** Samples to include. Initialize with zeros. An empty list includes everything. */
struct prof_filter {
	/** The lists of struct pd_filter_opts. */
#define PROF_FILTER_LIST(name, text, type, list, ...) PROF_TYPE_OF_##type list;
	PD_FILTERS(PROF_FILTER_LIST)
	PD_FRAME_FILTERS(PROF_FILTER_LIST)
#undef PROF_FILTER_LIST
	/** Leave out the frames of scaffolding, too: see profile/scaffolding.h. */
	bool hides_scaffolding;
};

void prof_filter_deinit(struct prof_filter *filter);

/** Whether the filter may leave out any sample. */
bool prof_filter_is_active(const struct prof_filter *filter);

/** The properties of a sample that filters look at. Strings are borrowed for the call. */
struct prof_filter_sample {
	/** Time in ns; PD_NO_TIME if there is none. */
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	/** The CPU was sampled. */
	bool has_cpu;
	/** Name of the thread as in the profile. */
	const char *comm;
	/**
	 * Binary mapped at the address of the sample; NULL if none is. Only used if dsos is not
	 * empty.
	 */
	const char *dso;
};

/** Return the filter that leaves out samples of the event @p name, or PROF_N_FILTERS. */
enum prof_filter_kind prof_filter_event(const struct prof_filter *filter, const char *name);

/** Whether @p wanted, an element of prof_filter.events, stands for the event @p name. */
bool prof_filter_is_event(const char *wanted, const char *name);

/** Whether samples of the CPU @p cpu are included. */
bool prof_filter_has_cpu(const struct prof_filter *filter, uint32_t cpu);

/**
 * Return the filter that leaves out @p sample, or PROF_N_FILTERS. The filters of events and of
 * names are not applied. @p times is filter->times bound to the recording (prof_time_spans_bind).
 */
enum prof_filter_kind prof_filter_sample(const struct prof_filter *filter,
	const struct prof_time_spans *times, const struct prof_filter_sample *sample);

/** Whether any part of @p filter looks at names. */
bool prof_filter_needs_names(const struct prof_filter *filter);

#endif
