/**
 * @file Events of the scheduler in a recording, and where their fields are.
 */
#ifndef PD_LEDGER_SCHED_EVENTS_H
#define PD_LEDGER_SCHED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/trace_format.h>
#include <pdconv/trace_value.h>
#include <pdconv/vec.h>

#include "ledger/states.h"
#include "ledger/tracepoint_defs.h"

enum led_tracepoint {
#define LED_TRACEPOINT_ENUM(id, name) LED_TRACEPOINT_##id,
	LED_TRACEPOINTS(LED_TRACEPOINT_ENUM)
#undef LED_TRACEPOINT_ENUM
		LED_N_TRACEPOINTS,
	/** Not a tracepoint: a wait as a whole. */
	LED_OFFCPU_TIME = LED_N_TRACEPOINTS,
	LED_OTHER_EVENT,
};

enum led_field {
#define LED_FIELD_ENUM(id, tracepoint, name) LED_FIELD_##id,
	LED_FIELDS(LED_FIELD_ENUM)
#undef LED_FIELD_ENUM
		LED_N_FIELDS,
};

/** An event, as far as the ledger needs it. */
struct led_event {
	/** enum led_tracepoint */
	uint32_t kind;
	/** Samples have the CPU. */
	bool has_cpu;
	const struct pd_tracepoint *tracepoint;
	struct led_states states;
	/** NULL: the tracepoint has no such field. */
	const struct pd_trace_field *fields[LED_N_FIELDS];
};

/** A zeroed one knows no events. */
struct led_sched_events {
	/** Indexed by event. */
	PD_VEC(struct led_event) list;
	/** An event says more about threads than that they ran, or switches are recorded. */
	bool has_states;
	/** Wakeups are recorded. */
	bool has_wakes;
	/** An event of the scheduler is not recorded each time. */
	bool is_sampled;
};

void led_sched_events_deinit(struct led_sched_events *events);

/** Find out what the events of @p file are that are new. Errors: NOMEM. */
struct pd_error *led_sched_events_learn(
	struct led_sched_events *events, const struct pd_file *file) pd_must_check;

/** Read a field of @p event, from a sample with @p values. False: it is not there. */
bool led_event_number(const struct led_event *event, const struct pd_trace_values *values,
	enum led_field field, uint64_t *ret);

#endif
