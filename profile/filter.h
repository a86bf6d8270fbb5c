/**
 * @file Which samples are wanted. Those that are not are counted, with the reason.
 *
 * All but symbols is decided before a stack is unwound.
 */
#ifndef PD_PROFILE_FILTER_H
#define PD_PROFILE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"
#include "profile/time_spans.h"

/** Both are in it. */
struct prof_number_range {
	uint32_t first;
	uint32_t last;
};

struct prof_number_list {
	PD_VEC(struct prof_number_range) items;
};

/** Names are borrowed. */
struct prof_name_list {
	PD_VEC(const char *) items;
};

/** Zero it. What is empty leaves nothing out. */
struct prof_filter {
	struct prof_number_list pids;
	struct prof_number_list tids;
	struct prof_number_list cpus;
	struct prof_time_spans times;
	/** With or without what is behind the last ':' ("cycles" is "cycles:u" too). */
	struct prof_name_list events;
	/** Of threads. */
	struct prof_name_list comms;
	/** Of the binary that the sample's own address is in: path, or its last part, or "[kernel.kallsyms]". */
	struct prof_name_list dsos;
	/** Of the function there, not inlined ones. */
	struct prof_name_list symbols;
};

void prof_filter_deinit(struct prof_filter *filter);

/** Whether it may leave out anything at all. */
bool prof_filter_is_active(const struct prof_filter *filter);

/** The properties of a sample that filters look at. Strings are borrowed for the call. */
struct prof_filter_sample {
	/** ns; PD_NO_TIME if there is none. */
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	/** cpu was sampled. */
	bool has_cpu;
	/** Name of the thread, as the profile has it. */
	const char *comm;
	/** Binary that is mapped at the sample's address, NULL if none is. Only needed if there are dsos. */
	const char *dso;
};

/** The filter that leaves out samples of the event @p name, or PROF_N_FILTERS. */
enum prof_filter_kind prof_filter_event(const struct prof_filter *filter, const char *name);

/** Whether @p wanted, an element of prof_filter.events, stands for the event @p name. */
bool prof_filter_is_event(const char *wanted, const char *name);

/**
 * The filter that leaves out @p sample, or PROF_N_FILTERS; the filters of events and symbols are not
 * asked. @p times is filter->times bound to the recording (prof_time_spans_bind).
 */
enum prof_filter_kind prof_filter_sample(const struct prof_filter *filter,
	const struct prof_time_spans *times, const struct prof_filter_sample *sample);

/** Take samples that the symbol filter leaves out from @p profile, which is named. Errors: no memory. */
struct pd_error *prof_filter_symbols(
	const struct prof_filter *filter, struct profile *profile) pd_must_check;

#endif
