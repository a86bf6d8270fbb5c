#include "parse/event_index.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include <pdconv/cursor.h>

#include "parse/event_name.h"

void parse_events_deinit(struct pd_events *events)
{
	struct pd_events_index *index = events->index;

	for (size_t i = 0; i < events->list.n; i++)
		pd_vec_deinit(&events->list.data[i].ids);
	pd_vec_deinit(&events->list);
	if (!index)
		return;
	base_map_deinit(&index->pmus);
	base_map_deinit(&index->n_by_config);
	base_map_deinit(&index->by_id);
	base_map_deinit(&index->by_attr);
	pd_vec_deinit(&index->id_places);
	base_arena_deinit(&index->arena);
	free(index);
	events->index = NULL;
}

/* Return the index, which is created on first use. NULL if out of memory. */
static struct pd_events_index *get_index(struct pd_events *events)
{
	if (!events->index)
		events->index = calloc(1, sizeof(*events->index));
	return events->index;
}

static bool same_id_place(const struct pd_plan *a, const struct pd_plan *b)
{
	return a->sample_id_at == b->sample_id_at && a->sid_id_from_end == b->sid_id_from_end;
}

/* Whether samples of a and b have the same layout. */
static bool same_layout(const struct pd_attr *a, const struct pd_attr *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->sample_regs_user == b->sample_regs_user &&
	       a->sample_regs_intr == b->sample_regs_intr &&
	       a->branch_sample_type == b->branch_sample_type;
}

/*
 * Register where events keep their ids. Distinct combinations are few, about ten positions in a
 * sample and three in a trailer, so a linear search is fine.
 */
static bool add_id_place(struct pd_events *events, uint32_t index)
{
	const struct pd_plan *plan = &events->list.data[index].plan;
	struct pd_events_index *to = events->index;

	for (size_t i = 0; i < to->id_places.n; i++) {
		if (same_id_place(plan, &events->list.data[to->id_places.data[i]].plan))
			return true;
	}
	return pd_vec_push(&to->id_places, index);
}

/* A collision of the 64-bit hash merges two attrs; only a crafted recording can cause one. */
static uint64_t hash_attr(const struct pd_attr *attr)
{
	const uint64_t values[] = {
#define PD_ATTR_VALUE(kind, name, ...) attr->name,
		PD_ATTR_FIELDS(PD_ATTR_VALUE)
#undef PD_ATTR_VALUE
	};

	return XXH3_64bits(values, sizeof(values));
}

bool parse_events_find_attr(
	const struct pd_events *events, const struct pd_attr *attr, uint32_t *index_ret)
{
	const uint64_t *index =
		events->index ? base_map_find(&events->index->by_attr, hash_attr(attr)) : NULL;

	*index_ret = index ? (uint32_t)*index : 0;
	return index;
}

struct pd_error *parse_events_add(struct pd_events *events, const struct pd_attr *attr)
{
	struct pd_event event = {
		.attr = *attr,
		.scale = 1,
		.index = (uint32_t)events->list.n,
	};

	pd_plan_compile(attr, &event.plan);
	struct pd_events_index *to = get_index(events);
	bool is_new_attr;
	uint64_t *index = to ? base_map_add(&to->by_attr, hash_attr(attr), &is_new_attr) : NULL;
	uint64_t *n_with_config = to ? base_map_add(&to->n_by_config, attr->config, NULL) : NULL;
	if (index && is_new_attr)
		*index = event.index;
	if (!index || !n_with_config || !pd_vec_push(&events->list, event) ||
		!add_id_place(events, event.index))
		return &pd_enomem;
	++*n_with_config;
	const struct pd_event *first = &events->list.data[0];
	bool is_first = events->list.n == 1;
	to->has_common_layout =
		is_first || (to->has_common_layout && same_layout(attr, &first->attr));
	/*
	 * Samples with an unknown id can be decoded if all layouts agree. They get an event of
	 * their own, because none of the recorded events is known to have counted them.
	 */
	if (is_first) {
		to->unattributed = event;
		to->unattributed.name = "unknown";
		to->unattributed.index = PD_EVENT_UNATTRIBUTED;
	}
	return NULL;
}

struct pd_error *parse_events_add_id(struct pd_events *events, uint64_t id, uint32_t index)
{
	struct pd_events_index *to = get_index(events);
	bool is_first;
	uint64_t *value = to ? base_map_add(&to->by_id, id, &is_first) : NULL;

	if (!value)
		return &pd_enomem;
	if (!is_first && *value == index)
		return NULL;
	to->n_moved += !is_first;
	*value = index;
	return pd_vec_push(&events->list.data[index].ids, id) ? NULL : &pd_enomem;
}

void parse_events_set_wire(struct pd_events *events, const struct pd_view *wire, uint64_t offset)
{
	struct pd_event *event = &events->list.data[events->list.n - 1];

	event->wire = *wire;
	event->offset = offset;
}

struct pd_error *parse_events_add_pmu(struct pd_events *events, uint32_t type, const char *name)
{
	struct pd_events_index *to = get_index(events);
	bool is_new;
	uint64_t *known = to ? base_map_add(&to->pmus, type, &is_new) : NULL;

	if (!known)
		return &pd_enomem;
	if (is_new)
		*known = (uintptr_t)base_arena_strndup(&to->arena, name, strlen(name));
	return *known ? NULL : &pd_enomem;
}

struct pd_error *parse_events_set_name(struct pd_events *events, uint32_t index,
	enum pd_name_source source, const char *name, size_t len)
{
	struct pd_event *event = &events->list.data[index];

	if (!len || source <= event->name_source)
		return NULL;
	const char *copy = base_arena_strndup(&events->index->arena, name, len);
	if (!copy)
		return &pd_enomem;
	event->name = copy;
	event->name_source = source;
	return NULL;
}

static const char *pmu_name(const struct pd_events *events, uint32_t type)
{
	const uint64_t *name = base_map_find(&events->index->pmus, type);

	return name ? (const char *)(uintptr_t)*name : NULL;
}

size_t parse_events_n_with_config(const struct pd_events *events, uint64_t config)
{
	const uint64_t *n =
		events->index ? base_map_find(&events->index->n_by_config, config) : NULL;

	return n ? *n : 0;
}

struct pd_error *parse_events_finish(struct pd_events *events, size_t first)
{
	for (size_t i = first; i < events->list.n; i++) {
		struct pd_event *event = &events->list.data[i];
		char name[PD_EVENT_NAME_BYTES];

		if (event->name_source > PD_NAME_DERIVED)
			continue;
		parse_event_derive_name(
			&event->attr, pmu_name(events, pd_attr_pmu(&event->attr)), name);
		if (event->name && strcmp(event->name, name) == 0)
			continue;
		event->name_source = PD_NAME_NONE;
		struct pd_error *err = parse_events_set_name(
			events, (uint32_t)i, PD_NAME_DERIVED, name, strlen(name));
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *update_unit(
	struct pd_events *events, struct pd_event *event, const struct pd_view *text)
{
	const char *unit = base_arena_strndup(
		&events->index->arena, text->data, strnlen((const char *)text->data, text->n));

	if (!unit)
		return &pd_enomem;
	event->unit = unit[0] ? unit : NULL;
	return NULL;
}

static void update_scale(struct pd_event *event, const struct pd_view *data)
{
	uint64_t bits = pd_view_u64(data, 0);

	memcpy(&event->scale, &bits, sizeof(event->scale));
}

static struct pd_event *find_id(const struct pd_events *events, uint64_t id)
{
	const uint64_t *index = events->index ? base_map_find(&events->index->by_id, id) : NULL;

	return index ? &events->list.data[*index] : NULL;
}

struct pd_error *parse_events_apply_update(struct pd_events *events, const struct pd_record *rec,
	const struct pd_event **event_ret, const char **wrong_ret)
{
	union pd_body body;

	*event_ret = NULL;
	if (!pd_record_decode(rec, 0, &body, wrong_ret))
		return NULL;
	const struct pd_event_update *update = &body.event_update;
	struct pd_event *event = find_id(events, update->id);
	if (!event || (update->update_type == PD_EVENT_UPDATE_SCALE && update->data.n < 8)) {
		*wrong_ret = event ? "record is too short" : "unknown event id";
		return NULL;
	}
	*event_ret = event;
	if (update->update_type == PD_EVENT_UPDATE_UNIT)
		return update_unit(events, event, &update->data);
	if (update->update_type == PD_EVENT_UPDATE_SCALE)
		update_scale(event, &update->data);
	/* A list of CPUs (PERF_EVENT_UPDATE__CPUS) affects neither names nor values. */
	if (update->update_type != PD_EVENT_UPDATE_NAME)
		return NULL;
	const char *name = (const char *)update->data.data;
	return parse_events_set_name(
		events, event->index, PD_NAME_UPDATE, name, strnlen(name, update->data.n));
}

const struct pd_event *pd_events_by_id(const struct pd_events *events, uint64_t id)
{
	return find_id(events, id);
}

bool parse_events_have_field(const struct pd_events *events, enum pd_sample_bit bit)
{
	for (size_t i = 0; i < events->list.n; i++) {
		if (events->list.data[i].attr.sample_type >> bit & 1)
			return true;
	}
	return false;
}

size_t parse_events_n_ids(const struct pd_events *events)
{
	return events->index ? events->index->by_id.n : 0;
}

/* Read the id of rec at its position in plan. False if plan has no id or rec is too short. */
static bool read_id(const struct pd_record *rec, const struct pd_plan *plan, uint64_t *ret)
{
	size_t at;

	if (rec->type == PD_RECORD_SAMPLE) {
		if (plan->sample_id_at == PD_PLAN_ABSENT || plan->sample_id_at + 8U > rec->size)
			return false;
		at = plan->sample_id_at;
	} else {
		if (plan->sid_id_from_end == PD_PLAN_ABSENT ||
			plan->sid_id_from_end + (uint32_t)PD_RECORD_HEADER_BYTES > rec->size)
			return false;
		at = rec->size - plan->sid_id_from_end;
	}
	*ret = pd_load_u64(rec->bytes + at, rec->swap);
	return true;
}

/*
 * Find the event of @p rec if events keep their ids at different positions: the event for which
 * the value at its position is one of its ids. NULL if two events match, because then the id may be
 * other data.
 */
static const struct pd_event *find_by_trying(
	const struct pd_events *events, const struct pd_record *rec)
{
	const struct pd_events_index *index = events->index;
	const struct pd_event *found = NULL;

	for (size_t i = 0; i < index->id_places.n; i++) {
		const struct pd_plan *plan = &events->list.data[index->id_places.data[i]].plan;
		uint64_t id;

		if (!read_id(rec, plan, &id))
			continue;
		const struct pd_event *event = pd_events_by_id(events, id);
		/*
		 * Other data may equal an id by chance, so the event must keep its id at this
		 * position.
		 */
		if (!event || !same_id_place(plan, &event->plan))
			continue;
		if (found && found != event)
			return NULL;
		found = event;
	}
	return found;
}

static const struct pd_event *find_unattributed(const struct pd_events *events)
{
	return events->index->has_common_layout ? &events->index->unattributed : NULL;
}

/* Find the event with the id. hints may be NULL. */
static const struct pd_event *find_id_hinted(
	const struct pd_events *events, struct parse_event_hints *hints, uint64_t id)
{
	if (!hints)
		return find_id(events, id);
	if (hints->n_moved != events->index->n_moved)
		*hints = (struct parse_event_hints){ .n_moved = events->index->n_moved };
	struct parse_event_hint *hint = &hints->known[id % PD_EVENT_HINTS];
	if (hint->event && hint->id == id)
		return &events->list.data[hint->event - 1];
	const struct pd_event *event = find_id(events, id);
	if (event)
		*hint = (struct parse_event_hint){ id, event->index + 1 };
	return event;
}

const struct pd_event *parse_events_find_hinted(const struct pd_events *events,
	struct parse_event_hints *hints, const struct pd_record *rec)
{
	const struct pd_event *first = events->list.data;
	uint64_t id;

	if (rec->type >= PD_RECORD_FIRST_TOOL)
		return NULL;
	if (events->list.n <= 1)
		return events->list.n ? first : NULL;
	/*
	 * Records without a trailer have no id. perf assigns them to the first event, and so it
	 * does with records that it synthesized, whose id is 0 (evlist__event2evsel() in
	 * tools/perf/util/evlist.c).
	 */
	if (rec->type != PD_RECORD_SAMPLE && !first->plan.sid_bytes)
		return first;
	if (events->index->id_places.n > 1) {
		const struct pd_event *event = find_by_trying(events, rec);
		return event || rec->type == PD_RECORD_SAMPLE ? event : first;
	}
	if (!read_id(rec, &first->plan, &id))
		return find_unattributed(events);
	if (id == 0)
		return first;
	const struct pd_event *event = find_id_hinted(events, hints, id);
	return event ? event : find_unattributed(events);
}

const struct pd_event *pd_events_find(const struct pd_events *events, const struct pd_record *rec)
{
	return parse_events_find_hinted(events, NULL, rec);
}

const struct pd_plan *pd_events_plan(const struct pd_events *events, const struct pd_record *rec)
{
	if (rec->type >= PD_RECORD_FIRST_TOOL)
		return NULL;
	const struct pd_event *event = pd_events_find(events, rec);
	/* A record of an unknown event still has a trailer if all events agree on it. */
	if (!event && rec->type != PD_RECORD_SAMPLE)
		event = events->list.data;
	return event ? &event->plan : NULL;
}

bool pd_events_decode(const struct pd_events *events, const struct pd_record *rec,
	union pd_body *ret, const char **wrong_ret)
{
	const struct pd_plan *plan = pd_events_plan(events, rec);

	return pd_record_decode(rec, plan ? plan->sid_bytes : 0, ret, wrong_ret);
}

uint64_t parse_events_time_hinted(const struct pd_events *events, struct parse_event_hints *hints,
	const struct pd_record *rec)
{
	if (rec->type >= PD_RECORD_FIRST_TOOL)
		return PD_NO_TIME;
	const struct pd_event *event = parse_events_find_hinted(events, hints, rec);
	if (!event)
		event = events->list.data;
	if (!event)
		return PD_NO_TIME;

	const struct pd_plan *plan = &event->plan;
	size_t at;
	if (rec->type == PD_RECORD_SAMPLE) {
		if (plan->sample_time_at == PD_PLAN_ABSENT || plan->sample_time_at + 8U > rec->size)
			return PD_NO_TIME;
		at = plan->sample_time_at;
	} else {
		if (plan->sid_time_from_end == PD_PLAN_ABSENT ||
			plan->sid_time_from_end + (uint32_t)PD_RECORD_HEADER_BYTES > rec->size)
			return PD_NO_TIME;
		at = rec->size - plan->sid_time_from_end;
	}
	uint64_t time = pd_load_u64(rec->bytes + at, rec->swap);
	/* Kernel records that perf synthesizes have a trailer of zeros. */
	return time ? time : PD_NO_TIME;
}

uint64_t pd_events_time(const struct pd_events *events, const struct pd_record *rec)
{
	return parse_events_time_hinted(events, NULL, rec);
}

const char *pd_event_name(const struct pd_event *event)
{
	return event->name;
}

const char *pd_event_unit(const struct pd_event *event)
{
	if (event->name && strcmp(event->name, "offcpu-time") == 0)
		return "nanoseconds";
	return pd_attr_unit(&event->attr);
}
