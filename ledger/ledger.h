/**
 * @file The ledger: where the time of all threads and CPUs of a recording went.
 *
 *     thread: life = running + runnable + blocked + unknown
 *     CPU:    wall = busy + idle + unknown
 *
 * It takes what happens in the order of time. All times are in ns. Both equations hold exactly,
 * because each moment is counted once. The recording lasts from its first to its last moment.
 */
#ifndef PD_LEDGER_LEDGER_H
#define PD_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"
#include "ledger/cpu.h"
#include "ledger/delays.h"
#include "ledger/task.h"

/** Waits of a thread that another one, or an interrupt, ended. */
struct led_waker {
	/** Index of a task. */
	uint32_t waiter;
	/** Index of a task, or an interrupt; LED_NONE: one that has no number. */
	uint32_t waker;
	uint64_t n;
	/** Time for which it was blocked, and the part of it before ledger.covered_from. */
	uint64_t ns;
	uint64_t uncovered_ns;
};

/** Records that were lost, of one CPU or of any. */
struct led_loss {
	uint32_t cpu;
	uint64_t from;
	uint64_t time;
};

/** Initialise with led_init(). */
struct ledger {
	/** Lives in the order in which they became known. */
	PD_VEC(struct led_task) tasks;
	PD_VEC(struct led_cpu) cpus;
	PD_VEC(struct led_waker) wakers;
	struct led_delays delays;
	/** They are applied to a task or a CPU when that is used next. */
	PD_VEC(struct led_loss) losses;
	/** Time of the last loss of any CPU. */
	uint64_t lost_until;
	/** Index + 1 of the last life of a thread, by its tid. */
	struct base_map by_tid;
	/** Indexes of CPUs by number, and of wakers by waiter and waker. */
	struct base_map by_cpu;
	struct base_map by_waker;
	/**
	 * Numbers of CPUs on which tasks have run, each with the index of the task above it; only
	 * if this is asked for.
	 */
	struct base_map cpus_of_tasks;
	bool keeps_cpus_of_tasks;
	/** Times that are counted, and what is kept of them. */
	struct led_timeline timeline;
	/** First and last moment of the recording; first is UINT64_MAX if there is none. */
	uint64_t first;
	uint64_t last;
	/**
	 * Time from which tracepoints were recorded, if that is later than other records: perf
	 * enables its events one after the other. 0: they were from the beginning.
	 */
	uint64_t covered_from;
	/** LED_BY_* of all switches. */
	unsigned sources;
	/** Tracepoints were not recorded each time, but at a frequency or in periods. */
	bool is_sampled;
	/** Wakeups are recorded. */
	bool has_wakes;
	/** Waits were recorded as a whole, which says nothing about what is between them. */
	bool has_waits;
	/** Processes that have mapped something, which kernel threads have not. */
	struct base_map programs;
	/** The switches of all threads on a CPU are recorded, not only those of some threads. */
	bool is_of_cpus;
	/**
	 * Switches name threads by other numbers than the records of them: those were numbered in a
	 * PID namespace. A thread may then have two accounts, one of which is without switches.
	 */
	bool has_other_numbers;
	/** Events that contradict what was recorded before: others are missing. */
	uint64_t n_missing;
};

/** A switch on a CPU. Threads are LED_NO_TID if the record does not name them, 0 if idle. */
struct led_switch {
	uint64_t time;
	/** LED_NONE: not known. */
	uint32_t cpu;
	uint32_t prev;
	uint32_t next;
	/** Why prev leaves. */
	enum led_reason reason;
	/** It waits for a disk or a lock of the kernel: led_states.disk. */
	bool is_disk;
	/** LED_BY_* */
	unsigned source;
	/** Another record of this source follows when next has got the CPU. */
	bool is_next_repeated;
};

/** Members are LED_NONE if they are not known. */
struct led_birth {
	uint32_t pid;
	uint32_t tid;
	/** Thread that created it. */
	uint32_t parent;
};

void led_init(struct ledger *ledger);
void led_deinit(struct ledger *ledger);

/** Something was recorded at @p time: the recording lasts at least from or until then. */
void led_moment(struct ledger *ledger, uint64_t time);

/** The thread exists. @p pid may be LED_NONE. */
struct pd_error *led_known(struct ledger *ledger, uint32_t pid, uint32_t tid) pd_must_check;
/**
 * Whether each wakeup is recorded. Events of single threads have only those by these threads: most
 * of the others are recorded in an interrupt, whatever thread it interrupts.
 */
bool led_has_all_wakes(const struct ledger *ledger);

/**
 * Number of threads that are running now: at least 1, because the thread @p tid is. 0: no switch
 * has been recorded so far.
 */
uint32_t led_parallelism(struct ledger *ledger, uint32_t tid);

/** Whether the thread is known and has no name. */
bool led_lacks_name(struct ledger *ledger, uint32_t tid);
/** Give the present life of a thread a name, if it is known. */
void led_set_name(struct ledger *ledger, uint32_t tid, uint32_t name);
/** The process @p pid runs a program. Errors: no memory. */
struct pd_error *led_is_program(struct ledger *ledger, uint32_t pid) pd_must_check;
/** A new thread, which is called like its parent. */
struct pd_error *led_born(
	struct ledger *ledger, uint64_t time, const struct led_birth *birth) pd_must_check;
/** The thread begins to exit. It runs on until a switch. */
void led_exits(struct ledger *ledger, uint64_t time, uint32_t tid);
struct pd_error *led_switches(struct ledger *ledger, const struct led_switch *at) pd_must_check;
/** The thread @p tid is woken by the thread @p waker; 0: by an interrupt that has no number. */
struct pd_error *led_wakes(
	struct ledger *ledger, uint64_t time, uint32_t tid, uint32_t waker) pd_must_check;
/** The thread @p tid is woken by the interrupt with the number @p interrupt. */
struct pd_error *led_wakes_in_interrupt(
	struct ledger *ledger, uint64_t time, uint32_t tid, uint32_t interrupt) pd_must_check;
/** The thread is in the control group @p cgroup, if it is known. */
void led_set_cgroup(struct ledger *ledger, uint32_t tid, uint64_t cgroup);
/** Something was recorded in the thread, so it was running. */
void led_ran(struct ledger *ledger, uint64_t time, uint32_t tid);
/** The thread waited for @p ns until @p time; 0: it is not known when. */
struct pd_error *led_waited(
	struct ledger *ledger, uint64_t time, uint32_t tid, uint64_t ns) pd_must_check;
/** Records of @p cpu were lost after @p from; LED_NONE: of any CPU. */
struct pd_error *led_lost(
	struct ledger *ledger, uint32_t cpu, uint64_t from, uint64_t time) pd_must_check;

/**
 * Close all accounts at the end of the recording. Lives that are not counted are then without time.
 */
void led_finish(struct ledger *ledger);

/** First and last moment of a life within what is counted, after led_finish(). */
struct led_range led_life(const struct ledger *ledger, const struct led_task *task);
/** First and last moment of what is counted, after led_finish(). */
struct led_range led_wall(const struct ledger *ledger);
/** Length of both in ns, without what is not counted. */
uint64_t led_life_ns(const struct ledger *ledger, const struct led_task *task);
uint64_t led_wall_ns(const struct ledger *ledger);
/** Whether coming onto a CPU is recorded, not only leaving it. */
bool led_is_complete(const struct ledger *ledger);
/**
 * State of a task just before @p end, which is in the phase, after led_finish(): sums of tasks
 * are corrected in the same way. *begin_ret is when it began.
 */
enum led_state led_state_of(const struct ledger *ledger, const struct led_phase *phase,
	uint64_t end, uint64_t *begin_ret);
/** Key of ledger.cpus_of_tasks. */
static inline uint64_t led_cpu_key(uint32_t task, uint32_t cpu)
{
	return (uint64_t)task << 32 | cpu;
}
/** Whether a task, an index, has run on @p cpu. Only if ledger.keeps_cpus_of_tasks is set. */
bool led_has_run_on(const struct ledger *ledger, uint32_t task, uint32_t cpu);
/** Whether the task is a kernel thread. Without mappings in the recording, none is known to be. */
bool led_is_kernel(const struct ledger *ledger, const struct led_task *task);
/** Whether the task belongs to what was recorded, and is not only mentioned. */
bool led_is_recorded(const struct ledger *ledger, const struct led_task *task);

#endif
