#include "ledger/sched.h"

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

/* A sample that is being followed. */
struct following {
	const struct led_event *event;
	struct pd_trace_values values;
	const struct pd_sample *sample;
	uint64_t time;
	uint32_t interrupt;
	struct ledger *ledger;
	struct base_intern *names;
};

void led_sched_deinit(struct led_sched *sched)
{
	pd_vec_deinit(&sched->events);
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

struct pd_error *led_sched_learn(
	struct led_sched *sched, const struct pd_file *file, struct ledger *ledger)
{
	while (sched->events.n < file->events.list.n) {
		const struct pd_event *from = &file->events.list.data[sched->events.n];
		const struct led_event event = describe(file, from);

		ledger->is_sampled |= event.kind < LED_N_TRACEPOINTS && is_sampled(&from->attr);
		ledger->has_wakes |=
			event.kind == LED_TRACEPOINT_WAKING || event.kind == LED_TRACEPOINT_WAKEUP;
		sched->has_states |= event.kind != LED_OTHER_EVENT ||
				     pd_attr_has(&from->attr, PD_ATTR_context_switch);
		if (!pd_vec_push(&sched->events, event))
			return &pd_enomem;
	}
	return NULL;
}

static bool find_number(const struct following *f, enum led_field field, uint64_t *ret)
{
	struct pd_trace_value value;

	if (!f->event->fields[field])
		return false;
	parse_trace_value_of(&f->values, f->event->fields[field], &value);
	if (value.kind != PD_TRACE_SIGNED && value.kind != PD_TRACE_UNSIGNED)
		return false;
	*ret = value.number.u;
	return true;
}

/* Name a thread by a field, unless it has a name. */
static struct pd_error *follow_name(const struct following *f, enum led_field field, uint32_t tid)
{
	struct pd_trace_value value;

	if (!f->event->fields[field] || !led_lacks_name(f->ledger, tid))
		return NULL;
	parse_trace_value_of(&f->values, f->event->fields[field], &value);
	if (value.kind != PD_TRACE_STRING)
		return NULL;
	uint32_t name = base_intern_add(f->names, value.data.data, value.data.n);
	if (name == PD_INTERN_NONE)
		return &pd_enomem;
	led_set_name(f->ledger, tid, name);
	return NULL;
}

static struct pd_error *follow_switch(const struct following *f)
{
	uint64_t prev, state, next;

	if (!find_number(f, LED_FIELD_PREV_PID, &prev) ||
		!find_number(f, LED_FIELD_PREV_STATE, &state) ||
		!find_number(f, LED_FIELD_NEXT_PID, &next))
		return NULL;
	const struct led_switch at = {
		.time = f->time,
		.cpu = f->event->has_cpu ? f->sample->cpu : LED_NONE,
		.prev = (uint32_t)prev,
		.next = (uint32_t)next,
		.reason = led_states_reason(&f->event->states, state),
		.is_disk = state & f->event->states.disk,
		.source = LED_BY_TRACEPOINT,
	};
	/* In samples, exited threads have the number -1, and idle and foreign ones 0. */
	if (f->sample->tid && f->sample->tid != LED_NO_TID && f->sample->tid != at.prev)
		f->ledger->has_other_numbers = true;
	struct pd_error *err = led_switches(f->ledger, &at);
	if (!err)
		err = follow_name(f, LED_FIELD_PREV_COMM, at.prev);
	return err ? err : follow_name(f, LED_FIELD_NEXT_COMM, at.next);
}

static struct pd_error *follow_wakeup(const struct following *f, enum led_field field)
{
	uint64_t tid;

	if (!find_number(f, field, &tid))
		return NULL;
	return f->interrupt == LED_NO_INTERRUPT
		       ? led_wakes(f->ledger, f->time, (uint32_t)tid, f->sample->tid)
		       : led_wakes_in_interrupt(f->ledger, f->time, (uint32_t)tid, f->interrupt);
}

static struct pd_error *follow_birth(
	const struct following *f, enum led_field field, enum led_field parent_field)
{
	uint64_t tid, parent = LED_NONE;

	if (!find_number(f, field, &tid))
		return NULL;
	if (parent_field != LED_N_FIELDS)
		find_number(f, parent_field, &parent);
	const struct led_birth birth = { LED_NONE, (uint32_t)tid, (uint32_t)parent };
	return led_born(f->ledger, f->time, &birth);
}

struct pd_error *led_sched_follow(
	const struct led_sched_sample *at, struct ledger *ledger, struct base_intern *names)
{
	const struct following f = {
		.event = at->event,
		.values =
			pd_trace_values(at->file->tracing, at->event->tracepoint, &at->sample->raw),
		.sample = at->sample,
		.time = at->time,
		.interrupt = at->interrupt,
		.ledger = ledger,
		.names = names,
	};
	uint64_t tid;

	switch (at->event->kind) {
	case LED_TRACEPOINT_SWITCH:
		return follow_switch(&f);
	case LED_TRACEPOINT_WAKING:
		return follow_wakeup(&f, LED_FIELD_WAKING_PID);
	case LED_TRACEPOINT_WAKEUP:
		return follow_wakeup(&f, LED_FIELD_WAKEUP_PID);
	case LED_TRACEPOINT_WAKEUP_NEW:
		return follow_birth(&f, LED_FIELD_NEW_PID, LED_N_FIELDS);
	case LED_TRACEPOINT_FORK:
		return follow_birth(&f, LED_FIELD_CHILD_PID, LED_FIELD_PARENT_PID);
	default:
		if (find_number(&f, LED_FIELD_EXIT_PID, &tid))
			led_exits(ledger, at->time, (uint32_t)tid);
		return NULL;
	}
}
