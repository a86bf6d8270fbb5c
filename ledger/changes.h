/**
 * @file Changes: the moments at which threads changed their state, of all threads together.
 *
 * The phases of a timeline are linked from the last to the first of each task, so changes are taken
 * from the last to the first as well. The memory in use grows with the number of tasks only.
 */
#ifndef PD_LEDGER_CHANGES_H
#define PD_LEDGER_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "ledger/ledger.h"

struct led_change {
	uint64_t time;
	uint32_t task;
	/** From LED_UNSEEN: the task that created it; from LED_BLOCKED: the waker. */
	uint32_t by;
	/** CPU that the task leaves or gets, or else the one on which it ran last. */
	uint32_t cpu;
	/** enum led_state. From LED_GONE: it existed before; from LED_UNSEEN: it is born. */
	uint8_t from;
	uint8_t to;
	/** It is blocked by a disk or a lock of the kernel. */
	bool is_disk;
};

/** Place of a task: its last change that was not taken. */
struct led_cursor {
	struct led_change change;
	/** Index + 1 of the phase before the change, and its end; 0: there is none. */
	uint32_t phase;
	uint64_t end;
};

/** A zeroed one is empty. */
struct led_changes {
	/** A heap: the change that is taken next comes first. */
	PD_VEC(struct led_cursor) cursors;
};

void led_changes_deinit(struct led_changes *changes);

/**
 * Add the changes of the task @p index in a ledger that is finished and has kept its timeline.
 * Errors: no memory.
 */
struct pd_error *led_changes_add(
	struct led_changes *changes, const struct ledger *ledger, uint32_t index) pd_must_check;

/**
 * Take the last change. Of those at the same time, threads get a CPU last. Returns false if none is
 * left.
 */
bool led_changes_take(
	struct led_changes *changes, const struct ledger *ledger, struct led_change *ret);

#endif
