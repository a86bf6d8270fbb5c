#include "parse/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"

void pd_events_deinit(struct pd_events *events)
{
	pd_vec_deinit(&events->list);
	pd_map_deinit(&events->by_id);
	pd_arena_deinit(&events->arena);
}

static bool same_id_place(const struct pd_plan *a, const struct pd_plan *b)
{
	return a->sample_id_at == b->sample_id_at && a->sid_id_from_end == b->sid_id_from_end;
}

struct pd_error *pd_events_add(struct pd_events *events, const struct pd_attr *attr)
{
	struct pd_event event = { .attr = *attr, .index = (uint32_t)events->list.n };

	pd_plan_compile(attr, &event.plan);
	if (!pd_vec_push(&events->list, event))
		return &pd_enomem;
	events->has_common_id_place =
		events->list.n == 1 ||
		(events->has_common_id_place &&
			same_id_place(&event.plan, &events->list.data[0].plan));
	return NULL;
}

struct pd_error *pd_events_add_id(struct pd_events *events, uint64_t id, uint32_t index)
{
	uint64_t *value = pd_map_add(&events->by_id, id, NULL);

	if (!value)
		return &pd_enomem;
	*value = index;
	return NULL;
}

struct pd_error *pd_events_set_name(
	struct pd_events *events, uint32_t index, const char *name, size_t len)
{
	struct pd_event *event = &events->list.data[index];

	if (!event->name && len)
		event->name = pd_arena_strndup(&events->arena, name, len);
	return event->name || !len ? NULL : &pd_enomem;
}

struct pd_error *pd_events_finish(struct pd_events *events)
{
	for (size_t i = 0; i < events->list.n; i++) {
		struct pd_event *event = &events->list.data[i];
		const char *derived = pd_attr_name(&event->attr);
		char numbers[48];

		if (!derived) {
			snprintf(numbers, sizeof(numbers), "%" PRIu32 ":0x%" PRIx64,
				event->attr.type, event->attr.config);
			derived = numbers;
		}
		struct pd_error *err =
			pd_events_set_name(events, (uint32_t)i, derived, strlen(derived));
		if (err)
			return err;
	}
	return NULL;
}

/* The id that rec holds if it is laid out by plan; false if that has none or rec is too short. */
static bool read_id(
	const struct pd_record *rec, const struct pd_plan *plan, bool swap, uint64_t *ret)
{
	size_t at;

	if (rec->type == PD_RECORD_SAMPLE) {
		if (plan->sample_id_at == PD_PLAN_ABSENT || plan->sample_id_at + 8 > rec->size)
			return false;
		at = plan->sample_id_at;
	} else {
		if (plan->sid_id_from_end == PD_PLAN_ABSENT ||
			plan->sid_id_from_end + PD_RECORD_HEADER_BYTES > rec->size)
			return false;
		at = rec->size - plan->sid_id_from_end;
	}
	*ret = pd_load_u64(rec->bytes + at, swap);
	return true;
}

/* Events that keep their ids at different places: the one whose place holds an id of its own. */
static const struct pd_event *find_by_trying(
	const struct pd_events *events, const struct pd_record *rec)
{
	for (size_t i = 0; i < events->list.n; i++) {
		const struct pd_event *event = &events->list.data[i];
		uint64_t id;

		if (!read_id(rec, &event->plan, events->swap, &id))
			continue;
		const uint64_t *index = pd_map_find(&events->by_id, id);
		if (index && *index == i)
			return event;
	}
	return NULL;
}

const struct pd_event *pd_events_find(const struct pd_events *events, const struct pd_record *rec)
{
	const struct pd_event *first = events->list.data;
	uint64_t id;

	if (events->list.n <= 1)
		return events->list.n ? first : NULL;
	if (rec->type != PD_RECORD_SAMPLE && !first->plan.sid_bytes)
		return first;
	if (!events->has_common_id_place) {
		const struct pd_event *event = find_by_trying(events, rec);
		return event || rec->type == PD_RECORD_SAMPLE ? event : first;
	}
	/* Without ids anywhere the events are all alike to a reader. */
	if (!read_id(rec, &first->plan, events->swap, &id) || id == 0)
		return first;
	const uint64_t *index = pd_map_find(&events->by_id, id);
	return index ? &events->list.data[*index] : NULL;
}

uint64_t pd_events_time(const struct pd_events *events, const struct pd_record *rec)
{
	if (rec->type >= PD_RECORD_FIRST_TOOL)
		return PD_NO_TIME;
	const struct pd_event *event = pd_events_find(events, rec);
	if (!event)
		event = events->list.data;
	if (!event)
		return PD_NO_TIME;

	const struct pd_plan *plan = &event->plan;
	size_t at;
	if (rec->type == PD_RECORD_SAMPLE) {
		if (plan->sample_time_at == PD_PLAN_ABSENT || plan->sample_time_at + 8 > rec->size)
			return PD_NO_TIME;
		at = plan->sample_time_at;
	} else {
		if (plan->sid_time_from_end == PD_PLAN_ABSENT ||
			plan->sid_time_from_end + PD_RECORD_HEADER_BYTES > rec->size)
			return PD_NO_TIME;
		at = rec->size - plan->sid_time_from_end;
	}
	uint64_t time = pd_load_u64(rec->bytes + at, events->swap);
	/* Records that the perf tool made itself have an empty trailer. */
	return time ? time : PD_NO_TIME;
}
