/**
 * @file CPUs: the time of one CPU, divided into busy, idle and unknown.
 *
 * A switch names the thread that leaves the CPU and the one that gets it. If the former is not the
 * one that got the CPU before, switches in between are missing, and that time is unknown.
 */
#ifndef PD_LEDGER_CPU_H
#define PD_LEDGER_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/task.h"

/** Threads that a CPU may have in addition to tids. The tid 0 is the idle task. */
#define LED_NO_TID UINT32_MAX
#define LED_UNSEEN_TID (UINT32_MAX - 1)

enum led_use {
	LED_BUSY,
	LED_IDLE,
	LED_UNSURE,
	LED_N_USES,
};

struct led_cpu {
	uint32_t cpu;
	/** Thread on it; LED_NO_TID: not known; LED_UNSEEN_TID: the next switch decides. */
	uint32_t running;
	/** Since when; 0: the beginning of the recording. */
	uint64_t since;
	/** Sums in ns. inferred is the part of them that follows from the first switch. */
	uint64_t ns[LED_N_USES];
	uint64_t inferred[LED_N_USES];
	/** Use at the beginning of the recording. */
	enum led_use first;
	uint64_t n_switches;
	/** Switches that do not continue the one before. */
	uint64_t n_breaks;
	/** Index + 1 of its last turn in the timeline; 0: there is none. */
	uint32_t last_turn;
};

struct led_cpu led_cpu_init(uint32_t cpu);

/** A switch; LED_NO_TID: the record does not name the thread. */
struct led_cpu_switch {
	uint64_t time;
	uint32_t prev;
	uint32_t next;
	/** prev got the CPU without a record. */
	bool is_prev_late;
};

/** Follow a switch. Returns the thread that the CPU lost without a record, or LED_NO_TID. */
uint32_t led_cpu_switch(
	struct led_cpu *cpu, const struct led_timeline *timeline, const struct led_cpu_switch *at);
/** Count the time until @p time as unknown: records were lost. */
void led_cpu_lose(struct led_cpu *cpu, const struct led_timeline *timeline, uint64_t time);
/** Count the time until the end of the recording. */
void led_cpu_end(struct led_cpu *cpu, const struct led_timeline *timeline, uint64_t time);

#endif
