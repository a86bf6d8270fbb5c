/**
 * @file Where the time of threads and CPUs went. A profile has it only if requested.
 *
 * Each moment of a thread's life, and of a CPU, is counted once.
 */
#ifndef PD_PROFILE_TIME_LEDGER_H
#define PD_PROFILE_TIME_LEDGER_H

#include <stdint.h>

#include "profile/ids.h"

/** States of a thread. */
enum prof_ledger_state {
	PROF_LEDGER_RUNNING,
	/** The thread could run, but others had the CPUs. */
	PROF_LEDGER_RUNNABLE,
	PROF_LEDGER_BLOCKED,
	/** Records are missing. */
	PROF_LEDGER_UNKNOWN,
	PROF_N_LEDGER_STATES,
};

/** Uses of a CPU. */
enum prof_ledger_use {
	PROF_LEDGER_BUSY,
	PROF_LEDGER_IDLE,
	PROF_LEDGER_UNSURE,
	PROF_N_LEDGER_USES,
};

/** A recording. Times are in ns; members that begin with is or has are 0 or 1. */
struct prof_ledger {
	/** First and last moment of the recording. */
	uint64_t begin_ns;
	uint64_t end_ns;
	/** Length without times that are left out. */
	uint64_t wall_ns;
	/** Switches or at least waits were recorded. */
	uint32_t has_switches;
	uint32_t has_waits;
	/** All wakeups were recorded. Otherwise blocked time includes delays after others. */
	uint32_t has_wakes;
	/** The switches of all threads were recorded, so that CPUs have sums. */
	uint32_t is_of_cpus;
	/** Switches name threads by other numbers than their records: in a PID namespace. */
	uint32_t has_other_numbers;
	/**
	 * The end was recorded, not only what happened last: states that were not over lasted until
	 * then.
	 */
	uint32_t has_end;
	/** Not every event of the scheduler was recorded, but a sample of them. */
	uint32_t is_sampled;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
	/** Events that contradict those before: others are missing. */
	uint64_t n_missing;
};

/** A life of a thread. */
struct prof_ledger_thread {
	struct prof_thread_id thread;
	/** Path of its control group in its last sample; refers to nothing: not known. */
	struct prof_string_id cgroup;
	/** It began before the recording. */
	uint16_t is_older;
	/** It was not over when the recording ended. */
	uint16_t is_unfinished;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
	/** Length without times that are left out, which is the sum of the states. */
	uint64_t life_ns;
	/** Sums by enum prof_ledger_state. */
	uint64_t ns[PROF_N_LEDGER_STATES];
	/** Number of times it got a CPU, blocked, and was preempted. */
	uint64_t n_runs;
	uint64_t n_waits;
	uint64_t n_preemptions;
};

/** In place of a state: the thread does not exist yet, or does not exist any more. */
enum {
	PROF_LEDGER_BORN = PROF_N_LEDGER_STATES,
	PROF_LEDGER_GONE,
};

/** Kinds of interrupts that wake threads. */
enum prof_interrupt_kind {
	/** None, or it is not known which kind it was of. */
	PROF_INTERRUPT_NONE,
	PROF_INTERRUPT_HARD,
	PROF_INTERRUPT_SOFT,
	PROF_N_INTERRUPT_KINDS,
};

/** A moment at which a thread changed its state. They are in the order of time. */
struct prof_ledger_change {
	uint64_t time_ns;
	struct prof_thread_id thread;
	/** The thread that created it or woke it; refers to nothing: not known, an interrupt. */
	struct prof_thread_id by;
	/** CPU that it leaves or gets, or on which it ran last; PROF_NONE: not known. */
	uint32_t cpu;
	/**
	 * enum prof_ledger_state. From PROF_LEDGER_BORN: it begins; from PROF_LEDGER_GONE: it began
	 * before the recording; to PROF_LEDGER_GONE: it ends. At one moment, threads leave CPUs
	 * before others get them.
	 */
	uint8_t from;
	uint8_t to;
	/** To PROF_LEDGER_BLOCKED: by a disk or a lock of the kernel. 0 or 1. */
	uint8_t is_disk;
	/** enum prof_interrupt_kind of what woke it. */
	uint8_t by_interrupt;
};

struct prof_ledger_cpu {
	uint32_t cpu;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
	uint64_t wall_ns;
	/** Sums by enum prof_ledger_use. */
	uint64_t ns[PROF_N_LEDGER_USES];
	uint64_t n_switches;
	/** Switches that do not continue the one before. */
	uint64_t n_breaks;
};

/** Kinds of what had a CPU instead of a thread that was runnable. */
enum prof_instead {
	PROF_INSTEAD_UNKNOWN,
	PROF_INSTEAD_IDLE,
	PROF_INSTEAD_THREAD,
};

/** Causes for which a thread is runnable. */
enum prof_delay_after {
	PROF_AFTER_WAKEUP,
	PROF_AFTER_PREEMPTION,
	PROF_AFTER_BIRTH,
	PROF_N_DELAYS_AFTER,
};

/** A time for which a thread was runnable until it got a CPU. */
struct prof_ledger_delay {
	struct prof_thread_id thread;
	/** With PROF_INSTEAD_THREAD: the thread that had the CPU; otherwise refers to nothing. */
	struct prof_thread_id before;
	/** enum prof_instead of what had the CPU until then, enum prof_delay_after */
	uint16_t before_kind;
	uint16_t after;
	/** PROF_NONE: not known. */
	uint32_t cpu;
	uint64_t begin_ns;
	uint64_t ns;
	/** Part of it in which a CPU was idle. */
	uint64_t idle_ns;
};

/**
 * A time for which a thread was in one state. Those of a life are in the order of time and follow
 * each other; times that are left out are between them. They add up to the sums of the life, except
 * for waits that were recorded without their times.
 */
struct prof_ledger_phase {
	/** Index in profile.ledger_threads. */
	uint32_t life;
	/** With is_woken: the thread that ended it; refers to nothing: an interrupt. */
	struct prof_thread_id waker;
	/** enum prof_ledger_state */
	uint16_t state;
	/** A recorded wakeup ended it: 0 or 1. */
	uint16_t is_woken;
	/** With is_woken and no waker: "[irq eth0]"; "": none, or it is not known. */
	struct prof_string_id interrupt;
	uint64_t begin_ns;
	/** Not 0. */
	uint64_t ns;
};

/** A critical path: what the end of a thread had to wait for. */
struct prof_path {
	struct prof_thread_id thread;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
	/** The life of the thread, as far as switches were recorded. */
	uint64_t begin_ns;
	uint64_t end_ns;
	/** Length without times that are left out, which is the sum of the steps. */
	uint64_t ns;
};

/** A part of a critical path. Steps are in the order of time, without times that are left out. */
struct prof_path_step {
	/** Thread that is on the path. */
	struct prof_thread_id thread;
	/** With PROF_INSTEAD_THREAD: the thread that had the CPU; otherwise refers to nothing. */
	struct prof_thread_id instead;
	/** enum prof_ledger_state, enum prof_instead */
	uint16_t state;
	uint16_t instead_kind;
	/** Index in profile.paths. */
	uint32_t path;
	uint64_t begin_ns;
	uint64_t end_ns;
	/** When the state of the thread began and ended: the step may be a part of it. */
	uint64_t since_ns;
	uint64_t until_ns;
	/** The interrupt that ended the wait: "[irq eth0]"; "": none, or it is not known. */
	struct prof_string_id interrupt;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
};

/** Waits of a thread that another one ended. */
struct prof_ledger_waker {
	struct prof_thread_id waiter;
	/** Refers to nothing: an interrupt, such as that of a timer. */
	struct prof_thread_id waker;
	/** Without a waker: "[irq eth0]"; "": it is not known. */
	struct prof_string_id interrupt;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
	/** Number of waits, and the time for which the thread was blocked. */
	uint64_t n;
	uint64_t ns;
};

#endif
