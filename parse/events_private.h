/**
 * @file What the events of a recording are found by, and adding to them.
 */
#ifndef PD_PARSE_EVENTS_PRIVATE_H
#define PD_PARSE_EVENTS_PRIVATE_H

#include <pdconv/events.h>

#include "base/arena.h"
#include "base/map.h"

/** An entry of HEADER_PMU_MAPPINGS. */
struct pd_pmu {
	/** The attr.type of its events. */
	uint32_t type;
	const char *name;
};

struct pd_events_index {
	struct pd_arena arena;
	/** Instance id to index in the list. */
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
};

/* Zeroed events are empty. */

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

/** Ids that are known. */
size_t pd_events_n_ids(const struct pd_events *events);

#endif
