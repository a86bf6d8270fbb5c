/**
 * @file Tasks: the time of one life of a thread, divided into states.
 *
 * A task is in one state at each moment between its birth and its end, so the sums of its states
 * add up to its life. The state before the first event follows from that event: a thread that
 * leaves a CPU ran, one that is woken was blocked, and one that gets a CPU was off it.
 */
#ifndef PD_LEDGER_TASK_H
#define PD_LEDGER_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/timeline.h"

enum led_state {
	LED_RUNNING,
	/** The thread could run, but another one has the CPU. */
	LED_RUNNABLE,
	LED_BLOCKED,
	/** Records are missing. */
	LED_UNKNOWN,
	LED_N_STATES,
	/** The next event decides which state it is. */
	LED_UNSEEN = LED_N_STATES,
	/** The life is over. */
	LED_GONE,
};

/** Where a switch was recorded: bits. A switch may be recorded by both. */
enum {
	/** The tracepoint sched:sched_switch. */
	LED_BY_TRACEPOINT = 1,
	/** PERF_RECORD_SWITCH and PERF_RECORD_SWITCH_CPU_WIDE. */
	LED_BY_RECORD = 2,
};

/** Why a thread leaves its CPU. */
enum led_reason {
	LED_PREEMPTED,
	LED_BLOCKS,
	LED_DIES,
};

/** A life of a thread. Create it with led_task_known() or led_task_born(). */
struct led_task {
	uint32_t pid;
	uint32_t tid;
	/** Number of its name, which the owner of the ledger gives; LED_NONE: not known. */
	uint32_t name;
	/** CPU on which it ran last. */
	uint32_t cpu;
	enum led_state state;
	/** LED_BY_* that recorded how it came on or off the CPU. */
	unsigned sources;
	/** Beginning of the state; 0: that of the recording. */
	uint64_t since;
	/** 0: before the recording began. */
	uint64_t born;
	/**
	 * Time at which it began to exit; 0: it did not. It runs on for a moment, and ends with a
	 * switch. If that is not recorded, it ended then, with the sums of that time.
	 */
	uint64_t exits;
	uint64_t ns_at_exit[LED_N_STATES];
	/** 0: not over. */
	uint64_t ended;
	/** Sums in ns. inferred is the part of them that follows from the event after. */
	uint64_t ns[LED_N_STATES];
	uint64_t inferred[LED_N_STATES];
	/** State at the beginning of the recording, if the task existed; LED_UNSEEN: not known. */
	enum led_state first;
	/** It is blocked by a disk or a lock of the kernel. */
	bool is_disk;
	/** A wakeup was recorded before the thread had left the CPU. */
	bool is_woken_early;
	/** Time of the last record that was made in the thread while it ran; 0: none. */
	uint64_t last_ran;
	/** A record is about the thread itself, not only about what follows or precedes it. */
	bool is_own;
	/** Number of times it got a CPU, blocked and was preempted. */
	uint64_t n_runs;
	uint64_t n_waits;
	uint64_t n_preemptions;
	/** Sum of waits without a time, in ns. */
	uint64_t loose_ns;
	/** Number of losses of records that have been applied. */
	size_t n_losses;
	/** If it is runnable: why (enum led_delay_after), and led_idle_until() when that began. */
	uint32_t after;
	uint64_t idle_before;
	/** Number of its control group; 0: not known. */
	uint64_t cgroup;
	/** Index of the task that created it; LED_NONE: not known. */
	uint32_t parent;
	/** Index + 1 of its last phase in the timeline; 0: there is none. */
	uint32_t last_phase;
};

struct led_task led_task_known(uint32_t pid, uint32_t tid);
struct led_task led_task_born(uint32_t pid, uint32_t tid, uint64_t time);

/** Whether nothing has happened to the task since it became known. */
bool led_task_is_untouched(const struct led_task *task);

/**
 * The thread gets a CPU. @p has_wakes: wakeups are recorded. Returns false if @p source only
 * repeats what another one has recorded.
 */
bool led_task_begins_to_run(struct led_task *task, struct led_timeline *timeline, uint64_t time,
	unsigned source, bool has_wakes);
/** The thread leaves its CPU. Returns false like led_task_begins_to_run(). */
bool led_task_stops(struct led_task *task, struct led_timeline *timeline, uint64_t time,
	unsigned source, enum led_reason reason);
/** The thread is woken. Returns whether that ends a wait. */
bool led_task_wakes(struct led_task *task, struct led_timeline *timeline, uint64_t time);
/** The thread, of which nothing else is known, ran until @p time. */
void led_task_ran(struct led_task *task, struct led_timeline *timeline, uint64_t time);
/** The thread begins to exit. */
void led_task_exits(struct led_task *task, struct led_timeline *timeline, uint64_t time);
/** The thread waited for @p ns until @p time. Nothing is known about it otherwise. */
void led_task_waited(
	struct led_task *task, struct led_timeline *timeline, uint64_t time, uint64_t ns);
/** Count the time until @p from as it is, and that until @p time as unknown: records were lost. */
void led_task_lost(
	struct led_task *task, struct led_timeline *timeline, uint64_t from, uint64_t time);
/** Count the time until @p time as unknown: an event is missing. */
void led_task_lose(struct led_task *task, struct led_timeline *timeline, uint64_t time);
/** Close the account at @p time in the state @p state, or when the thread began to exit. */
void led_task_end(
	struct led_task *task, struct led_timeline *timeline, uint64_t time, enum led_state state);

#endif
