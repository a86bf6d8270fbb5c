/**
 * @file The events of a recording, and which of them a record belongs to.
 *
 * A record names its event by the id of the instance (one for each CPU or thread) that made it.
 * Tool-made records carry the id 0 or none at all. A sample whose id is of no event can be decoded
 * all the same if the samples of all events are laid out alike; whose it is stays unknown.
 */
#ifndef PD_PARSE_EVENTS_H
#define PD_PARSE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "parse/attr.h"
#include "parse/record.h"
#include "parse/sample.h"

/** Where the name of an event comes from; a later one wins. */
enum pd_name_source {
	PD_NAME_NONE,
	/** From the attr: parse/event_name.h. */
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

/** An entry of HEADER_PMU_MAPPINGS. */
struct pd_pmu {
	/** The attr.type of its events. */
	uint32_t type;
	const char *name;
};

/** Zeroed: empty. */
struct pd_events {
	struct pd_arena arena;
	PD_VEC(struct pd_event) list;
	/** Instance id to index in list. */
	struct pd_map by_id;
	PD_VEC(struct pd_pmu) pmus;
	/** Hash of the attr to the index of the first event that has it. */
	struct pd_map by_attr;
	/** An event for each way in which records hold their ids; usually one. */
	PD_VEC(uint32_t) id_places;
	/** The samples of all events are laid out alike. */
	bool has_common_layout;
	/** Decodes what belongs to no event, if has_common_layout. */
	struct pd_event unattributed;
	bool swap;
};

void pd_events_deinit(struct pd_events *events);

/** Add an event; its ids follow with pd_events_add_id. */
struct pd_error *pd_events_add(struct pd_events *events, const struct pd_attr *attr) pd_must_check;
/** The bytes of the event that was added last, which live as long as the events. */
void pd_events_set_wire(struct pd_events *events, const struct pd_view *wire, uint64_t offset);
struct pd_error *pd_events_add_id(
	struct pd_events *events, uint64_t id, uint32_t index) pd_must_check;
struct pd_error *pd_events_add_pmu(
	struct pd_events *events, uint32_t type, const char *name) pd_must_check;
/** Whether an event with this attr is there; the first of them. */
bool pd_events_find_attr(
	const struct pd_events *events, const struct pd_attr *attr, uint32_t *index_ret);
/** Name an event, unless its name is from a better source. Empty names do not count. The text is
 * copied. */
struct pd_error *pd_events_set_name(struct pd_events *events, uint32_t index,
	enum pd_name_source source, const char *name, size_t len) pd_must_check;
/** Derive the names that are missing, once more if events or PMUs have been added since. */
struct pd_error *pd_events_finish(struct pd_events *events) pd_must_check;

/**
 * Apply the EVENT_UPDATE @p rec: name, unit, scale. Which CPUs an event counts on is not kept.
 * @p event_ret is the event that changed; NULL if none did because @p rec is damaged or about no
 * event, and then @p wrong_ret says which (static storage).
 */
struct pd_error *pd_events_apply_update(struct pd_events *events, const struct pd_record *rec,
	const struct pd_event **event_ret, const char **wrong_ret) pd_must_check;

/** The event that has the instance @p id; NULL if none has. */
const struct pd_event *pd_events_by_id(const struct pd_events *events, uint64_t id);

/**
 * The event of @p rec, a kernel record (type below 64). If that is not known: an event whose index is
 * PD_EVENT_UNATTRIBUTED, which can decode it, or NULL if nothing is sure to.
 */
const struct pd_event *pd_events_find(const struct pd_events *events, const struct pd_record *rec);

/** The time of @p rec in ns; PD_NO_TIME if it has none. */
uint64_t pd_events_time(const struct pd_events *events, const struct pd_record *rec);

#endif
