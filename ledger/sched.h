/**
 * @file Samples of the scheduler's tracepoints: what they say about threads.
 */
#ifndef PD_LEDGER_SCHED_H
#define PD_LEDGER_SCHED_H

#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/sample.h>

#include "base/intern.h"
#include "ledger/interrupts.h"
#include "ledger/ledger.h"
#include "ledger/sched_events.h"

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
