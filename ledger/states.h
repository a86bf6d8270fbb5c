/**
 * @file States in which a thread leaves its CPU: the bits of prev_state in sched:sched_switch.
 *
 * The bits differ between kernels. The print format of the tracepoint names them by the letters of
 * ps: "S", "D", "X" and so on. A thread without any of these bits could have run on: it was
 * preempted, or it gave up the CPU.
 */
#ifndef PD_LEDGER_STATES_H
#define PD_LEDGER_STATES_H

#include <stdint.h>

#include "ledger/task.h"
#include "parse/trace/print_format.h"

/** Bits of prev_state. */
struct led_states {
	/** The thread cannot run until it is woken, or never. */
	uint64_t off;
	/** The thread has ended. */
	uint64_t dead;
	/** The thread waits for a disk or a lock of the kernel. */
	uint64_t disk;
};

/** Read the bits from @p format; NULL, or none in it: those of Linux since 4.14. */
struct led_states led_states_of(const struct parse_print_format *format);

/** Why a thread with @p prev_state leaves its CPU. */
enum led_reason led_states_reason(const struct led_states *states, uint64_t prev_state);

#endif
