#include "ledger/sched_events.h"

#include <string.h>

#include "parse/open_file.h"
#include "parse/trace/print_format.h"
#include "parse/trace/trace_fields.h"

static const char *const tracepoint_names[LED_N_TRACEPOINTS] = {
#define NAME(id, name) [LED_TRACEPOINT_##id] = (name),
	LED_TRACEPOINTS(NAME)
#undef NAME
};

static const struct {
	enum led_tracepoint tracepoint;
	const char *name;
} fields[LED_N_FIELDS] = {
#define FIELD(id, tracepoint, name) [LED_FIELD_##id] = { LED_TRACEPOINT_##tracepoint, name },
	LED_FIELDS(FIELD)
#undef FIELD
};

void led_sched_events_init(struct led_sched_events *events, const struct pd_file *file)
{
	*events = (struct led_sched_events){ .file = file };
}

void led_sched_events_deinit(struct led_sched_events *events)
{
	pd_vec_deinit(&events->list);
}

static void find_fields(struct led_event *event)
{
	const struct pd_trace_format *format = &event->tracepoint->format;

	for (size_t i = 0; i < LED_N_FIELDS; i++) {
		for (size_t k = 0; fields[i].tracepoint == event->kind && k < format->fields.n;
			k++) {
			if (strcmp(format->fields.data[k].name, fields[i].name) == 0)
				event->fields[i] = &format->fields.data[k];
		}
	}
}

static uint32_t kind_of(const struct pd_tracepoint *tracepoint)
{
	for (uint32_t i = 0; strcmp(tracepoint->system, "sched") == 0 && i < LED_N_TRACEPOINTS;
		i++) {
		if (strcmp(tracepoint->format.name, tracepoint_names[i]) == 0)
			return i;
	}
	return LED_OTHER_EVENT;
}

static bool has_cpu(const struct pd_attr *attr)
{
	return attr->sample_type >> PD_SAMPLE_CPU & 1;
}

static struct led_event describe(const struct pd_file *file, const struct pd_event *from)
{
	struct led_event event = { .kind = LED_OTHER_EVENT, .has_cpu = has_cpu(&from->attr) };

	if (from->attr.type != PD_TYPE_TRACEPOINT) {
		if (from->name && strcmp(from->name, "offcpu-time") == 0)
			event.kind = LED_OFFCPU_TIME;
		return event;
	}
	event.tracepoint = file->tracing ? pd_tracing_find(file->tracing, from->attr.config) : NULL;
	if (!event.tracepoint)
		return event;
	event.kind = kind_of(event.tracepoint);
	find_fields(&event);
	if (event.kind == LED_TRACEPOINT_SWITCH)
		event.states =
			led_states_of(parse_tracing_print_format(file->tracing, event.tracepoint));
	return event;
}

/* Whether an event is not recorded each time. */
static bool is_sampled(const struct pd_attr *attr)
{
	return pd_attr_has(attr, PD_ATTR_freq) || attr->sample_period > 1;
}

struct pd_error *led_sched_events_learn(struct led_sched_events *events)
{
	const struct pd_events *all = &events->file->events;

	while (events->list.n < all->list.n) {
		const struct pd_event *from = &all->list.data[events->list.n];
		const struct led_event event = describe(events->file, from);

		events->is_sampled |= event.kind < LED_N_TRACEPOINTS && is_sampled(&from->attr);
		events->has_wakes |=
			event.kind == LED_TRACEPOINT_WAKING || event.kind == LED_TRACEPOINT_WAKEUP;
		events->has_states |= event.kind != LED_OTHER_EVENT ||
				      pd_attr_has(&from->attr, PD_ATTR_context_switch);
		if (!pd_vec_push(&events->list, event))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *led_sched_events_take(struct led_sched_events *events, const struct pd_record *rec)
{
	struct led_present *present = &events->present;
	struct pd_error *err = led_sched_events_learn(events);

	present->rec = rec;
	present->time = rec->time < PD_FIRST_FAKE_TIME ? rec->time : 0;
	present->event =
		rec->type == PD_RECORD_SAMPLE ? pd_events_find(&events->file->events, rec) : NULL;
	present->known = present->event && present->event->index < events->list.n
				 ? &events->list.data[present->event->index]
				 : NULL;
	present->is_decoded = false;
	return err;
}

static void decode(const struct led_sched_events *events, struct led_present *present)
{
	present->is_decoded = true;
	present->damage = "";
	present->result = pd_sample_decode(
		&present->event->plan, present->rec, &present->sample, &present->damage);
	if (present->known && present->known->tracepoint)
		present->values = pd_trace_values(
			events->file->tracing, present->known->tracepoint, &present->sample.raw);
}

const struct pd_sample *led_present_sample(struct led_sched_events *events)
{
	struct led_present *present = &events->present;

	if (!present->event)
		return NULL;
	if (!present->is_decoded)
		decode(events, present);
	return present->result == PD_SAMPLE_SHORT ? NULL : &present->sample;
}

bool led_present_number(const struct led_sched_events *events, enum led_field field, uint64_t *ret)
{
	const struct led_present *present = &events->present;
	struct pd_trace_value value;

	if (!present->known->fields[field])
		return false;
	parse_trace_value_of(&present->values, present->known->fields[field], &value);
	if (value.kind != PD_TRACE_SIGNED && value.kind != PD_TRACE_UNSIGNED)
		return false;
	*ret = value.number.u;
	return true;
}
