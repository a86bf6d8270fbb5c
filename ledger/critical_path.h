/**
 * @file Critical path: what the end of a thread had to wait for, at each moment of its life.
 *
 * It is found from the end backwards. While a thread ran, the path is in that thread. A wait that
 * another thread ended leads to what that thread did before. A thread that waited for a CPU stays
 * on the path, with those that had the CPU. So does one whose wait was ended by an interrupt, such
 * as that of a timer or a disk, or whose waker is not known. Kernel threads are on the path while
 * a thread waits for what they do. The steps follow each other without gaps.
 */
#ifndef PD_LEDGER_CRITICAL_PATH_H
#define PD_LEDGER_CRITICAL_PATH_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "ledger/ledger.h"

struct led_step {
	struct led_range range;
	/** Index of the task that is on the path. */
	uint32_t task;
	/** If it was runnable: the task that had the CPU, LED_IDLE_TASK or LED_NONE. */
	uint32_t instead;
	/** If it was blocked: the interrupt that ended that, or LED_NONE. */
	uint32_t interrupt;
	enum led_state state;
	/** When the state began and ended, of which the step may be a part. */
	uint64_t since;
	uint64_t until;
};

/** A zeroed one is empty. */
struct led_path {
	PD_VEC(struct led_step) steps;
};

void led_path_deinit(struct led_path *path);

/** The part of a life that has a path: its end, and what came before as far as that is known. */
struct led_range led_path_range(const struct ledger *ledger, const struct led_task *task);

/**
 * Find the critical path of the life @p task, an index, in a ledger that is finished and has kept
 * its timeline. The steps are in the order of time. Errors: no memory.
 */
struct pd_error *led_path_find(
	const struct ledger *ledger, uint32_t task, struct led_path *ret) pd_must_check;

#endif
