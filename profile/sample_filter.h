/**
 * @file Filters: which samples to include, and which frames of their stacks. Samples that are left
 * out are counted by filter.
 *
 * Filters that look at the names of frames are applied when the profile is complete. All others are
 * applied before a stack is unwound.
 */
#ifndef PD_PROFILE_SAMPLE_FILTER_H
#define PD_PROFILE_SAMPLE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>
#include <pdconv/vec.h>

#include "base/pattern.h"
#include "profile/profile.h"
#include "profile/time_spans.h"

struct prof_number_list {
	PD_VEC(struct pd_number_range) items;
};

/** Names, which are borrowed. */
struct prof_name_list {
	PD_VEC(const char *) items;
};

/** Regular expressions, which are owned. */
struct prof_pattern_list {
	PD_VEC(struct pd_pattern *) items;
};

/** Samples to include. Initialize with zeros. An empty list includes everything. */
struct prof_filter {
	struct prof_number_list pids;
	struct prof_number_list tids;
	struct prof_number_list cpus;
	struct prof_time_spans times;
	/** Event names, with or without modifiers: "cycles" includes "cycles:u". */
	struct prof_name_list events;
	/** Thread names. */
	struct prof_name_list comms;
	/**
	 * Binaries that contain the address of the sample: path, last part of it, or
	 * "[kernel.kallsyms]".
	 */
	struct prof_name_list dsos;
	/** Functions that contain the address of the sample, not inlined ones. */
	struct prof_name_list symbols;
	/**
	 * Patterns for any frame of a stack. They are compared with the names of its functions,
	 * inlined ones too, with their source files, and with the path of the binary. A sample is
	 * included if its stack has a frame that focus matches and none that ignore matches. Frames
	 * that hide matches are left out of the stacks.
	 */
	struct prof_pattern_list focus;
	struct prof_pattern_list ignore;
	struct prof_pattern_list hide;
	/** Leave out the frames of scaffolding, too: see profile/scaffolding.h. */
	bool hides_scaffolding;
	/**
	 * Functions that become the roots of the stacks: their callers are left out. Samples of
	 * stacks without any of them are not included.
	 */
	struct prof_name_list roots;
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

/**
 * Return the filter that leaves out @p sample, or PROF_N_FILTERS. The filters of events and of
 * names are not applied. @p times is filter->times bound to the recording (prof_time_spans_bind).
 */
enum prof_filter_kind prof_filter_sample(const struct prof_filter *filter,
	const struct prof_time_spans *times, const struct prof_filter_sample *sample);

/** Whether any part of @p filter looks at names. */
bool prof_filter_needs_names(const struct prof_filter *filter);

/**
 * Remove the samples of @p profile that @p filter leaves out by the names in their stacks, and the
 * frames that it leaves out of the others. Frames have been named. Errors: no memory.
 */
struct pd_error *prof_filter_by_names(
	const struct prof_filter *filter, struct profile *profile) pd_must_check;

#endif
