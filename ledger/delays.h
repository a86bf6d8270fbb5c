/**
 * @file Delays: times between the moment when a thread can run and the moment when it runs.
 */
#ifndef PD_LEDGER_DELAYS_H
#define PD_LEDGER_DELAYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/io/spill.h"
#include "ledger/timeline.h"

/** Why a thread waits for a CPU. */
enum led_delay_after {
	LED_AFTER_WAKEUP,
	LED_AFTER_PREEMPTION,
	LED_AFTER_BIRTH,
};

/** A delay that ended. Times are in ns. */
struct led_delay {
	uint64_t begin;
	uint64_t ns;
	/** Part of it in which a CPU was idle. */
	uint64_t idle_ns;
	uint32_t task;
	/** Task that had the CPU just before, LED_IDLE_TASK or LED_NONE. */
	uint32_t before;
	uint32_t cpu;
	/** enum led_delay_after */
	uint32_t after;
};

/** Time in which at least one CPU was idle. Zeroed at the beginning. */
struct led_idle {
	/** Number of CPUs that are idle now, and since when there is any. */
	size_t n;
	uint64_t since;
	/** Sum of the times before that. */
	uint64_t ns;
};

/** A zeroed one is empty. */
struct led_delays {
	PD_SPILL_VEC(struct led_delay) list;
	struct led_idle idle;
};

/** Return the time until @p time in which a CPU was idle. */
uint64_t led_idle_until(
	const struct led_idle *idle, const struct led_timeline *timeline, uint64_t time);
/** A CPU becomes idle, or stops being so. */
void led_idle_begin(struct led_idle *idle, uint64_t time);
void led_idle_end(struct led_idle *idle, const struct led_timeline *timeline, uint64_t time);

#endif
