/**
 * @file Events of a recording, and the mapping from records to events.
 *
 * A record contains the id of the event instance (one for each CPU or thread) that wrote it.
 * Records of perf tools have the id 0 or none. A sample with an unknown id can still be decoded if
 * the samples of all events have the same layout; its event remains unknown.
 */
#ifndef PDCONV_EVENTS_H
#define PDCONV_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

PD_DECLS_BEGIN

/** Source of an event's name, in ascending order of precedence. */
enum pd_name_source {
	PD_NAME_NONE,
	/** Derived from the attr, as `perf evlist` prints it. */
	PD_NAME_DERIVED,
	/** From the tracing data, for tracepoints. */
	PD_NAME_TRACING,
	/** From the event_types section of old recordings. */
	PD_NAME_EVENT_TYPES,
	/** From HEADER_EVENT_DESC. */
	PD_NAME_EVENT_DESC,
	/** From EVENT_UPDATE records. */
	PD_NAME_UPDATE,
};

/**
 * An event. Reading a record of a stream may add events and move them: keep indexes, not pointers.
 */
struct pd_event {
	struct pd_attr attr;
	struct pd_plan plan;
	/** Name from the source @ref name_source. Lives as long as the recording is open. */
	const char *name;
	enum pd_name_source name_source;
	/**
	 * Unit of the count times @ref scale, from EVENT_UPDATE; NULL if the recording has none.
	 */
	const char *unit;
	/** Scale from EVENT_UPDATE; 1 if the recording has none. */
	double scale;
	/** Bytes of the attr, borrowed from the recording. */
	struct pd_view wire;
	/** Offset of the attr within the recording, in bytes. */
	uint64_t offset;
	/** Ids of its instances. */
	PD_VEC(uint64_t) ids;
	/** Index in the recording's attr table, or PD_EVENT_UNATTRIBUTED. */
	uint32_t index;
};

/** Index of the event that is used for samples whose event is unknown. */
#define PD_EVENT_UNATTRIBUTED UINT32_MAX

struct pd_events {
	/** In the order of the recording's attr table. */
	PD_VEC(struct pd_event) list;
	/** Lookup tables. Private. */
	struct pd_events_index *index;
};

/** Return event->name, for programs that do not know the struct. */
const char *pd_event_name(const struct pd_event *event);

/** Find the event with the instance @p id. NULL if there is none. */
const struct pd_event *pd_events_by_id(const struct pd_events *events, uint64_t id);

/**
 * Unit of the event's period: pd_attr_unit(), except for the event "offcpu-time" of
 * `perf record --off-cpu`, whose period is the time off the CPU in nanoseconds. Static storage.
 */
const char *pd_event_unit(const struct pd_event *event);

/**
 * Find the event of @p rec. NULL for records of perf tools (type 64 and up). For an unknown id, an
 * event with the index PD_EVENT_UNATTRIBUTED if its plan is certain to decode @p rec, otherwise
 * NULL.
 */
const struct pd_event *pd_events_find(const struct pd_events *events, const struct pd_record *rec);

/**
 * Plan for decoding @p rec if it is a sample, otherwise its sample id trailer. NULL if the event is
 * not known, and for records of perf tools, which have no trailer.
 */
const struct pd_plan *pd_events_plan(const struct pd_events *events, const struct pd_record *rec);

/** Decode the body of @p rec without its trailer: see pd_record_decode(). */
bool pd_events_decode(const struct pd_events *events, const struct pd_record *rec,
	union pd_body *ret, const char **wrong_ret) pd_must_check;

/** Time of @p rec in ns on the recording's clock; PD_NO_TIME if it has none. */
uint64_t pd_events_time(const struct pd_events *events, const struct pd_record *rec);

PD_DECLS_END

#endif
