/**
 * @file Events of the scheduler in a recording, where their fields are, and the record that is
 * taken at present. All that follow the scheduler read it here, so a sample is decoded once.
 */
#ifndef PD_LEDGER_SCHED_EVENTS_H
#define PD_LEDGER_SCHED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
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

/** A record, and what it is a sample of. */
struct led_present {
	const struct pd_record *rec;
	/** In ns; 0: it has no time. */
	uint64_t time;
	/** NULL: it is not a sample, or its event is not known. */
	const struct pd_event *event;
	/** Knowledge of that event; NULL: likewise. */
	const struct led_event *known;
	/** The following are set by led_present_sample(). */
	bool is_decoded;
	enum pd_sample_result result;
	/** The field in which a damaged sample ends. */
	const char *damage;
	struct pd_sample sample;
	struct pd_trace_values values;
};

struct led_sched_events {
	/** Borrowed. */
	const struct pd_file *file;
	/** Indexed by event. */
	PD_VEC(struct led_event) list;
	/** An event says more about threads than that they ran, or switches are recorded. */
	bool has_states;
	/** Wakeups are recorded. */
	bool has_wakes;
	/** An event of the scheduler is not recorded each time. */
	bool is_sampled;
	struct led_present present;
};

/** @p file is borrowed. No events are known yet. */
void led_sched_events_init(struct led_sched_events *events, const struct pd_file *file);
void led_sched_events_deinit(struct led_sched_events *events);

/** Find out what the events of the file are that are new. Errors: NOMEM. */
struct pd_error *led_sched_events_learn(struct led_sched_events *events) pd_must_check;

/** Take a record, which is borrowed until the next one. Errors: NOMEM. */
struct pd_error *led_sched_events_take(
	struct led_sched_events *events, const struct pd_record *rec) pd_must_check;

/**
 * Decode the present record, a sample of an event that is known, unless that was done. NULL: it is
 * damaged, or it is none.
 */
const struct pd_sample *led_present_sample(struct led_sched_events *events);

/** Read a field of the present sample, which was decoded. False: it is not there. */
bool led_present_number(const struct led_sched_events *events, enum led_field field, uint64_t *ret);

#endif
