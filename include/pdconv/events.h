/**
 * @file The events of a recording, and which of them a record belongs to.
 *
 * A record names its event by the id of the instance (one for each CPU or thread) that made it.
 * Tool-made records carry the id 0 or none at all. A sample whose id is of no event can be decoded
 * all the same if the samples of all events are laid out alike; whose it is stays unknown.
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

/** Where the name of an event comes from; a later one wins. */
enum pd_name_source {
	PD_NAME_NONE,
	/** From the attr, as perf would call it. */
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

/** In a stream events may be added, and move, whenever a record is read: do not keep pointers. */
struct pd_event {
	struct pd_attr attr;
	struct pd_plan plan;
	/** As the recording says, else as perf would name it. */
	const char *name;
	enum pd_name_source name_source;
	/** Of its counts times scale, as EVENT_UPDATE says; NULL if it does not. */
	const char *unit;
	/** 1 if nothing else is said. */
	double scale;
	/** The attr as it is in the recording, and where; borrowed from there. */
	struct pd_view wire;
	uint64_t offset;
	/** Its instances. */
	PD_VEC(uint64_t) ids;
	/** Its place in the recording's attr table, or PD_EVENT_UNATTRIBUTED. */
	uint32_t index;
};

/** The index of the event that stands for samples of no event. */
#define PD_EVENT_UNATTRIBUTED UINT32_MAX

struct pd_events {
	/** In the order of the recording's attr table. */
	PD_VEC(struct pd_event) list;
	/** What events are found by. Private. */
	struct pd_events_index *index;
};

/** The event that has the instance @p id; NULL if none has. */
const struct pd_event *pd_events_by_id(const struct pd_events *events, uint64_t id);

/**
 * What one unit of the event's period is: as pd_attr_unit says, but "nanoseconds" for offcpu-time,
 * by which name `perf record --off-cpu` and ours tell how long threads waited. Static storage.
 */
const char *pd_event_unit(const struct pd_event *event);

/**
 * The event of @p rec; NULL for records of the perf tool (type 64 and up). If that is not known: an
 * event whose index is PD_EVENT_UNATTRIBUTED, which can decode it, or NULL if nothing is sure to.
 */
const struct pd_event *pd_events_find(const struct pd_events *events, const struct pd_record *rec);

/**
 * How @p rec is laid out, as far as its event says: a sample, or the trailer of what is none. NULL
 * if that is not known, and for records of the perf tool, which have no trailer.
 */
const struct pd_plan *pd_events_plan(const struct pd_events *events, const struct pd_record *rec);

/** Decode the body of @p rec as pd_record_decode does, without its trailer. */
bool pd_events_decode(const struct pd_events *events, const struct pd_record *rec,
	union pd_body *ret, const char **wrong_ret) pd_must_check;

/** The time of @p rec in ns; PD_NO_TIME if it has none. */
uint64_t pd_events_time(const struct pd_events *events, const struct pd_record *rec);

PD_DECLS_END

#endif
