/**
 * @file Samples of the scheduler's tracepoints: what they say about threads.
 */
#ifndef PD_LEDGER_SCHED_H
#define PD_LEDGER_SCHED_H

#include <pdconv/error.h>

#include "base/containers/intern.h"
#include "ledger/interrupts.h"
#include "ledger/ledger.h"

/**
 * Follow the present sample of @p interrupts, which was decoded and is one of a tracepoint of the
 * scheduler. Names enter @p names. Errors: no memory.
 */
struct pd_error *led_sched_follow(const struct led_interrupts *interrupts, struct ledger *ledger,
	struct base_intern *names) pd_must_check;

#endif
