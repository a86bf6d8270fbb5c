/**
 * @file Lookup tables of events, functions that add and name events, and hints that find the events
 * of many records in less time.
 */
#ifndef PD_PARSE_EVENT_INDEX_H
#define PD_PARSE_EVENT_INDEX_H

#include <pdconv/events.h>
#include <pdconv/record.h>

#include "base/arena.h"
#include "base/containers/map.h"

struct pd_events_index {
	struct base_arena arena;
	/** Map from instance id to index in the list. */
	struct base_map by_id;
	/** How often an id was given to another event. */
	uint64_t n_moved;
	/** Map from attr.type to the name of the PMU, as a pointer. */
	struct base_map pmus;
	/** Map from attr.config to the number of events with it. */
	struct base_map n_by_config;
	/** Map from the hash of an attr to the index of the first event with it. */
	struct base_map by_attr;
	/**
	 * One event for each combination of positions at which records have their ids; usually one.
	 */
	PD_VEC(uint32_t) id_places;
	/** Samples of all events have the same layout. */
	bool has_common_layout;
	/** Event for records of unknown events, if has_common_layout. */
	struct pd_event unattributed;
};

/* A zeroed struct pd_events is empty. */

void parse_events_deinit(struct pd_events *events);

/** Add an event. Add its ids with parse_events_add_id(). Errors: NOMEM. */
struct pd_error *parse_events_add(
	struct pd_events *events, const struct pd_attr *attr) pd_must_check;
/** Set the encoded attr of the event that was added last. The bytes must outlive the events. */
void parse_events_set_wire(struct pd_events *events, const struct pd_view *wire, uint64_t offset);
struct pd_error *parse_events_add_id(
	struct pd_events *events, uint64_t id, uint32_t index) pd_must_check;
struct pd_error *parse_events_add_pmu(
	struct pd_events *events, uint32_t type, const char *name) pd_must_check;
/** Find the first event with the attr @p attr. False if there is none. */
bool parse_events_find_attr(
	const struct pd_events *events, const struct pd_attr *attr, uint32_t *index_ret);
/**
 * Name an event, unless its name is from a source of higher precedence. Empty names are ignored.
 * The name is copied. Errors: NOMEM.
 */
struct pd_error *parse_events_set_name(struct pd_events *events, uint32_t index,
	enum pd_name_source source, const char *name, size_t len) pd_must_check;
/** Number of events with that attr.config. */
size_t parse_events_n_with_config(const struct pd_events *events, uint64_t config);
/**
 * Derive missing names of the events from index @p first on. Call it again for events that were
 * added, and for all after PMUs were added. Errors: NOMEM.
 */
struct pd_error *parse_events_finish(struct pd_events *events, size_t first) pd_must_check;

/**
 * Apply the name, unit or scale in the EVENT_UPDATE record @p rec; its CPU map is ignored.
 * @p event_ret is the event that changed. It is NULL if @p rec is invalid or its event is unknown,
 * which @p wrong_ret then describes (static storage). Errors: NOMEM.
 */
struct pd_error *parse_events_apply_update(struct pd_events *events, const struct pd_record *rec,
	const struct pd_event **event_ret, const char **wrong_ret) pd_must_check;

/** Whether samples of an event have the field @p bit. */
bool parse_events_have_field(const struct pd_events *events, enum pd_sample_bit bit);

/** Number of known ids. */
size_t parse_events_n_ids(const struct pd_events *events);

/** An id that was looked up. */
struct parse_event_hint {
	uint64_t id;
	/** Index of the event that has the id, plus 1; 0 if no id was noted here. */
	uint32_t event;
};

/** Number of hints. The kernel numbers the ids of a recording one after the other. */
enum { PD_EVENT_HINTS = 64 };

/**
 * Ids that were looked up, each at the index id % PD_EVENT_HINTS. Hints belong to one list of
 * events, and to one thread. Zero-initialized they are empty.
 */
struct parse_event_hints {
	struct parse_event_hint known[PD_EVENT_HINTS];
	/** pd_events_index.n_moved when they were noted. */
	uint64_t n_moved;
};

/** Like pd_events_find(), in less time. @p hints may be NULL. */
const struct pd_event *parse_events_find_hinted(const struct pd_events *events,
	struct parse_event_hints *hints, const struct pd_record *rec);

/** Like pd_events_time(), in less time. @p hints may be NULL. */
uint64_t parse_events_time_hinted(const struct pd_events *events, struct parse_event_hints *hints,
	const struct pd_record *rec);

#endif
