/**
 * @file What a profile says of its recording: its events, and where it is from.
 *
 * A stream may tell of events, names and the host as late as it likes: events are entered when a
 * sample needs them, everything else when all has been read.
 */
#ifndef PD_RESOLVE_SOURCE_H
#define PD_RESOLVE_SOURCE_H

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/map.h"
#include "profile/filter.h"
#include "profile/profile.h"

struct resolve_source {
	const struct pd_file *file;
	struct profile *profile;
	/** Number in the profile of each event of the file that has been entered. */
	PD_VEC(struct prof_event_id) event_ids;
	/** The profile's event for samples of no event; PROF_NONE until there is one. */
	struct prof_event_id unattributed;
	/** Of each control group that is known, the number of its path among the strings. */
	struct pd_map cgroups;
	/** What the recording says of all samples, in prof_tags.labels. */
	struct prof_labels_id labels;
};

/** The kind of an event by its perf_event_attr.type. */
enum prof_event_kind resolve_event_kind(uint32_t type);

/** Both are borrowed. */
struct resolve_source resolve_source_init(const struct pd_file *file, struct profile *profile);
/** Enter the labels of the recording. Errors: no memory. */
struct pd_error *resolve_source_add_labels(struct resolve_source *source) pd_must_check;
void resolve_source_deinit(struct resolve_source *source);

/** The number of @p event in the profile, which is entered if it is not there. */
struct pd_error *resolve_source_event(struct resolve_source *source, const struct pd_event *event,
	struct prof_event_id *ret) pd_must_check;

/** String: what @p raw says by the fields of the event's tracepoint; "" if that is nothing. */
struct pd_error *resolve_source_trace(struct resolve_source *source, const struct pd_event *event,
	const struct pd_view *raw, struct prof_string_id *ret) pd_must_check;

/** Note the control group that @p cgroup tells of. Errors: no memory. */
struct pd_error *resolve_source_add_cgroup(
	struct resolve_source *source, const struct pd_cgroup *cgroup) pd_must_check;
/** String: the path of control group @p id; "" if it is not known. */
struct prof_string_id resolve_source_cgroup(const struct resolve_source *source, uint64_t id);

/** Everything has been read: enter the rest. @p filter may be NULL. */
struct pd_error *resolve_source_finish(
	struct resolve_source *source, const struct prof_filter *filter) pd_must_check;

#endif
