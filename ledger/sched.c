#include "ledger/sched.h"

#include "parse/open_file.h"
#include "parse/trace/trace_fields.h"

/* A sample that is being followed. */
struct following {
	const struct led_sched_events *events;
	const struct led_event *event;
	const struct pd_sample *sample;
	uint64_t time;
	uint32_t interrupt;
	struct ledger *ledger;
	struct base_intern *names;
};

static bool find_number(const struct following *f, enum led_field field, uint64_t *ret)
{
	return led_present_number(f->events, field, ret);
}

/* Name a thread by a field, unless it has a name. */
static struct pd_error *follow_name(const struct following *f, enum led_field field, uint32_t tid)
{
	struct pd_trace_value value;

	if (!f->event->fields[field] || !led_lacks_name(f->ledger, tid))
		return NULL;
	parse_trace_value_of(&f->events->present.values, f->event->fields[field], &value);
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
	const struct led_interrupts *interrupts, struct ledger *ledger, struct base_intern *names)
{
	const struct led_present *present = &interrupts->sched->present;
	const struct following f = {
		.events = interrupts->sched,
		.event = present->known,
		.sample = &present->sample,
		.time = present->time,
		.interrupt = interrupts->present,
		.ledger = ledger,
		.names = names,
	};
	uint64_t tid;

	switch (f.event->kind) {
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
			led_exits(ledger, f.time, (uint32_t)tid);
		return NULL;
	}
}
