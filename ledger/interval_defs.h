/**
 * @file Kinds of intervals that are known.
 *
 * I(name, begin, end, keys, check, label, words, error, is_of_threads): from the event @p begin to
 * the next event @p end with the same values of @p keys, which are fields of both or else tid, pid
 * and cpu of the sample. If @p end has another value of the field @p check, there are records
 * missing between them; -1: it does not say. Rows are called by the field @p label of @p begin, in
 * LED_WORDS_<words>. It has failed if the field @p error of @p end is negative. NULL: no field.
 *
 * sys_exit has the id -1 if the system call changed the registers: rt_sigreturn, uretprobe.
 *
 * The fields are those of Linux: see include/trace/events/ in its sources.
 */
#ifndef PD_LEDGER_INTERVAL_DEFS_H
#define PD_LEDGER_INTERVAL_DEFS_H

/* clang-format off */
#define LED_INTERVALS(I) \
	I("syscalls", "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "tid", "id", "id", SYSCALL, "ret", true) \
	I("locks", "lock:contention_begin", "lock:contention_end", "tid,lock_addr", NULL, "flags", PRINTED, NULL, true) \
	I("futexes", "syscalls:sys_enter_futex", "syscalls:sys_exit_futex", "tid", NULL, "uaddr", ADDRESS, "ret", true) \
	I("block", "block:block_rq_issue", "block:block_rq_complete", "dev,sector", NULL, "dev", DEVICE, "error", false) \
	I("irqs", "irq:irq_handler_entry", "irq:irq_handler_exit", "cpu,irq", NULL, "name", PRINTED, NULL, false) \
	I("softirqs", "irq:softirq_entry", "irq:softirq_exit", "cpu,vec", NULL, "vec", PRINTED, NULL, false)
/* clang-format on */

#endif
