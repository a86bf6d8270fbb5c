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
#include <pdconv/sample.h>
#include <pdconv/vec.h>

#include "profile/profile.h"
#include "profile/time_spans.h"
#include "parse/space.h"

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

/** Of a sample, what filters ask for. */
struct prof_filter_place {
	const struct pd_sample *sample;
	/** ns; PD_NO_TIME if there is none. */
	uint64_t time;
	/** cpu was sampled. */
	bool has_cpu;
	/** As the profile has it. */
	const char *comm;
	/** What is mapped at the sample's address; NULL: nothing. */
	const struct pd_mapping *mapping;
};

/** Which filter leaves out samples of the event @p name; PROF_N_FILTERS: none does. */
enum prof_filter_kind prof_filter_event(const struct prof_filter *filter, const char *name);

/** The same of all filters that ask neither for the event nor for symbols. */
enum prof_filter_kind prof_filter_place(
	const struct prof_filter *filter, const struct prof_filter_place *place);

/**
 * Whether all that @p filter asks for can be told of @p file, which has been read. Errors: USAGE: an
 * event that is not there, CPUs or times that were not recorded.
 */
struct pd_error *prof_filter_check(
	const struct prof_filter *filter, const struct pd_file *file) pd_must_check;

/** Take samples that the symbol filter leaves out from @p profile, which is named. Errors: no memory. */
struct pd_error *prof_filter_symbols(
	const struct prof_filter *filter, struct profile *profile) pd_must_check;

#endif
