/**
 * @file Tracepoints that the ledger follows, of the system sched.
 *
 * T(id, name): the tracepoint sched:name.
 *
 * F(id, tracepoint, name): a field that it needs.
 */
#ifndef PD_LEDGER_TRACEPOINT_DEFS_H
#define PD_LEDGER_TRACEPOINT_DEFS_H

/* clang-format off */
#define LED_TRACEPOINTS(T) \
	T(SWITCH, "sched_switch") \
	T(WAKING, "sched_waking") \
	T(WAKEUP, "sched_wakeup") \
	T(WAKEUP_NEW, "sched_wakeup_new") \
	T(FORK, "sched_process_fork") \
	T(EXIT, "sched_process_exit")

#define LED_FIELDS(F) \
	F(PREV_PID, SWITCH, "prev_pid") \
	F(PREV_STATE, SWITCH, "prev_state") \
	F(PREV_COMM, SWITCH, "prev_comm") \
	F(NEXT_PID, SWITCH, "next_pid") \
	F(NEXT_COMM, SWITCH, "next_comm") \
	F(WAKING_PID, WAKING, "pid") \
	F(WAKEUP_PID, WAKEUP, "pid") \
	F(NEW_PID, WAKEUP_NEW, "pid") \
	F(PARENT_PID, FORK, "parent_pid") \
	F(CHILD_PID, FORK, "child_pid") \
	F(EXIT_PID, EXIT, "pid")
/* clang-format on */

#endif
