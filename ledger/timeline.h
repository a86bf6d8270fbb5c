/**
 * @file Timeline: which times are counted, and, if it is asked for, what each thread and each CPU
 * did at any moment.
 *
 * Phases of a thread follow each other without gaps: one lasts until the next one begins. They
 * are linked from the last to the first. So are the turns of a CPU, each of which lasts until the
 * next thread gets the CPU.
 */
#ifndef PD_LEDGER_TIMELINE_H
#define PD_LEDGER_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/io/spill.h"

/** In place of a CPU, a task or a name that is not known. */
#define LED_NONE UINT32_MAX
/** In place of a task: the idle task of a CPU. */
#define LED_IDLE_TASK (UINT32_MAX - 1)
/** In place of a waker that is a task: this plus the number of an interrupt. */
#define LED_FIRST_INTERRUPT (UINT32_C(1) << 31)

/** Whether a waker is an interrupt. */
static inline bool led_waker_is_interrupt(uint32_t waker)
{
	return waker >= LED_FIRST_INTERRUPT && waker < LED_IDLE_TASK;
}

/** A time, in ns; none if @ref to is not above @ref from. */
struct led_range {
	uint64_t from;
	uint64_t to;
};

/** The part of the time between @p from and @p to that is in @p range. */
static inline struct led_range led_range_clip(
	const struct led_range *range, uint64_t from, uint64_t to)
{
	return (struct led_range){
		.from = from < range->from ? range->from : from,
		.to = to > range->to ? range->to : to,
	};
}

static inline uint64_t led_range_ns(struct led_range range)
{
	return range.to > range.from ? range.to - range.from : 0;
}

/** A time during which a task was in one state. */
struct led_phase {
	/** 0: the beginning of the recording. */
	uint64_t begin;
	/** Index + 1 of the phase of the same task before this one; 0: there is none. */
	uint32_t previous;
	/** Task that ended it by a wakeup, or an interrupt; LED_NONE: it is not known. */
	uint32_t waker;
	/** CPU on which the task ran last. */
	uint32_t cpu;
	/** enum led_state */
	uint16_t state;
	/** The state follows from the event after it. */
	uint8_t is_inferred;
	/** It is blocked by a disk or a lock of the kernel. */
	uint8_t is_disk;
};

/** A time during which a task had a CPU. */
struct led_turn {
	uint64_t begin;
	/** Index + 1 of the turn on the same CPU before this one; 0: there is none. */
	uint32_t previous;
	/** LED_NONE: not known. */
	uint32_t task;
};

/** A zeroed one counts all times and keeps nothing. */
struct led_timeline {
	/** Times that are counted: in their order, without overlap. Empty: all times. */
	PD_VEC(struct led_range) ranges;
	/** Number of tasks that are running now. */
	uint32_t n_running;
	/** Phases and turns are kept. */
	bool is_kept;
	PD_SPILL_VEC(struct led_phase) phases;
	PD_SPILL_VEC(struct led_turn) turns;
	/** The first error in keeping them; NULL: none. Owned. */
	struct pd_error *err;
	/** Called when a thread has been blocked for @p ns since @p since; NULL: do not. */
	void (*on_blocked)(void *ctx, uint32_t tid, uint64_t since, uint64_t ns);
	void *ctx;
};

void led_timeline_deinit(struct led_timeline *timeline);

/** Count another range, which does not begin before those that are counted. Errors: no memory. */
struct pd_error *led_timeline_count(
	struct led_timeline *timeline, struct led_range range) pd_must_check;

/** The part of the time between @p from and @p to that is counted, in ns. */
uint64_t led_timeline_ns(const struct led_timeline *timeline, uint64_t from, uint64_t to);

/** First and last moment that is counted. */
struct led_range led_timeline_bounds(const struct led_timeline *timeline);

/** Keep @p phase, which becomes *@p last of its task. An error is noted. */
void led_timeline_add(struct led_timeline *timeline, const struct led_phase *phase, uint32_t *last);

/** Keep a turn of @p task from @p time on, which becomes *@p last of its CPU. An error is noted. */
void led_timeline_turn(struct led_timeline *timeline, uint64_t time, uint32_t task, uint32_t *last);

#endif
