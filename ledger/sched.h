/**
 * @file Samples of the scheduler's tracepoints: what they say about threads.
 */
#ifndef PD_LEDGER_SCHED_H
#define PD_LEDGER_SCHED_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/sample.h>
#include <pdconv/trace_format.h>
#include <pdconv/tracing_data.h>
#include <pdconv/vec.h>

#include "base/intern.h"
#include "ledger/interrupts.h"
#include "ledger/ledger.h"
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
struct led_sched {
	/** Indexed by event. */
	PD_VEC(struct led_event) events;
	/** An event says more about threads than that they ran, or switches are recorded. */
	bool has_states;
};

void led_sched_deinit(struct led_sched *sched);

/**
 * Find out what the events of @p file are that are new, and what the ledger can expect of them.
 * Errors: no memory.
 */
struct pd_error *led_sched_learn(
	struct led_sched *sched, const struct pd_file *file, struct ledger *ledger) pd_must_check;

/** A sample of a tracepoint. Everything is borrowed. */
struct led_sched_sample {
	const struct pd_file *file;
	const struct led_event *event;
	const struct pd_sample *sample;
	uint64_t time;
	/** Number of the interrupt in which it was taken, or LED_NO_INTERRUPT. */
	uint32_t interrupt;
};

/** Follow a sample. Names enter @p names. Errors: no memory. */
struct pd_error *led_sched_follow(const struct led_sched_sample *at, struct ledger *ledger,
	struct base_intern *names) pd_must_check;

#endif
