/**
 * @file The events of a recording, and which of them a record belongs to.
 *
 * A record names its event by the id of the instance (one for each CPU or thread) that made it.
 * Tool-made records carry the id 0 or none at all.
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

struct pd_event {
	struct pd_attr attr;
	struct pd_plan plan;
	/** As the recording says, else as perf would name it, else "TYPE:CONFIG". */
	const char *name;
	/** Its place in the recording's attr table. */
	uint32_t index;
};

/** Zeroed: empty. */
struct pd_events {
	struct pd_arena arena;
	PD_VEC(struct pd_event) list;
	/** Instance id to index in list. */
	struct pd_map by_id;
	/** All events keep their ids at the same places, and the first event's plan tells where. */
	bool has_common_id_place;
	bool swap;
};

void pd_events_deinit(struct pd_events *events);

/** Add an event; its ids follow with pd_events_add_id. */
struct pd_error *pd_events_add(struct pd_events *events, const struct pd_attr *attr) pd_must_check;
struct pd_error *pd_events_add_id(
	struct pd_events *events, uint64_t id, uint32_t index) pd_must_check;
/** Name an event; an earlier name stays. The text is copied. */
struct pd_error *pd_events_set_name(
	struct pd_events *events, uint32_t index, const char *name, size_t len) pd_must_check;
/** Derive the names that are missing. Call it when all events are there. */
struct pd_error *pd_events_finish(struct pd_events *events) pd_must_check;

/** The event of @p rec, a kernel record (type below 64); NULL if its id is of no event. */
const struct pd_event *pd_events_find(const struct pd_events *events, const struct pd_record *rec);

/** The time of @p rec in ns; PD_NO_TIME if it has none. */
uint64_t pd_events_time(const struct pd_events *events, const struct pd_record *rec);

#endif
