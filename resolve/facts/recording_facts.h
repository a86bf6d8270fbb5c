/**
 * @file Source: events and facts of a recording in its profile.
 *
 * A stream may contain events, names and host anywhere. Events are added when a sample needs them,
 * everything else when all records have been read.
 */
#ifndef PD_RESOLVE_RECORDING_FACTS_H
#define PD_RESOLVE_RECORDING_FACTS_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"
#include "profile/sample_filter.h"
#include "profile/profile.h"
#include "resolve/facts/periods.h"

struct resolve_facts {
	const struct pd_file *file;
	struct profile *profile;
	/** Ids in the profile of the events of the file that have been added. */
	PD_VEC(struct prof_event_id) event_ids;
	/** Periods of samples, of events that have been added. */
	struct resolve_periods periods;
	/** Event for samples without a known event; none until there is such a sample. */
	struct prof_event_id unattributed;
	/** String id of the path by control group id. */
	struct base_map cgroups;
	/** Tags of all samples: labels, and the name of the recording if there are several. */
	struct prof_labels_id labels;
	struct prof_string_id input;
};

/** Convert perf_event_attr.type. */
enum prof_event_kind resolve_event_kind(uint32_t type);
/** Convert perf_event_attr.sample_type to bits of enum prof_field. */
uint32_t resolve_event_fields(uint64_t sample_type);

/** Create the source of @p file for @p profile. Both are borrowed. */
struct resolve_facts resolve_facts_init(const struct pd_file *file, struct profile *profile);
/**
 * Add the labels of the recording, its name @p input (NULL: none), and its events as far as they
 * are known. Those of a file are, and stay where they are in the profile: another thread adds up
 * their samples. Errors: NOMEM.
 */
struct pd_error *resolve_facts_begin(struct resolve_facts *facts, const char *input) pd_must_check;
void resolve_facts_deinit(struct resolve_facts *facts);

/** Return the id of @p event in the profile, and add it if necessary. Errors: NOMEM. */
struct pd_error *resolve_facts_event(struct resolve_facts *facts, const struct pd_event *event,
	struct prof_event_id *ret) pd_must_check;

/** Remember the path of a control group. Errors: NOMEM. */
struct pd_error *resolve_facts_add_cgroup(
	struct resolve_facts *facts, const struct pd_cgroup *cgroup) pd_must_check;
/** Return the path of control group @p id; "" if not known. */
struct prof_string_id resolve_facts_cgroup(const struct resolve_facts *facts, uint64_t id);

/**
 * Add the remaining facts after all records have been read. @p filter may be NULL. Errors: NOMEM.
 */
struct pd_error *resolve_facts_finish(
	struct resolve_facts *facts, const struct prof_filter *filter) pd_must_check;

#endif
