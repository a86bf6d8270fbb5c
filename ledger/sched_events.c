#include "ledger/sched_events.h"

#include <string.h>

#include "parse/open_file.h"
#include "parse/print_format.h"
#include "parse/trace_fields.h"

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

struct pd_error *led_sched_events_learn(struct led_sched_events *events, const struct pd_file *file)
{
	while (events->list.n < file->events.list.n) {
		const struct pd_event *from = &file->events.list.data[events->list.n];
		const struct led_event event = describe(file, from);

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

bool led_event_number(const struct led_event *event, const struct pd_trace_values *values,
	enum led_field field, uint64_t *ret)
{
	struct pd_trace_value value;

	if (!event->fields[field])
		return false;
	parse_trace_value_of(values, event->fields[field], &value);
	if (value.kind != PD_TRACE_SIGNED && value.kind != PD_TRACE_UNSIGNED)
		return false;
	*ret = value.number.u;
	return true;
}
