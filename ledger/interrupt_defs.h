/**
 * @file Interrupts that wake threads: the events and the functions by which they are known.
 *
 * E(system, event, prefix, field, what): the tracepoints system:event_entry and system:event_exit
 * enclose an interrupt. Event "*": any name. It is called "[prefix what]", where what is
 * LED_CALLED_<what>: the text of @p field, the function whose address is in @p field, or the name
 * of the event.
 *
 * F(name, has_function, functions): an interrupt with one of the functions in its stack is called
 * "[name]", with the function after the name if @p has_function is set. The innermost frame that
 * is in a row decides. A pattern that ends with '*' matches by its beginning. NULL: the interrupt
 * began in these functions, and the frames after them are the code that it interrupted.
 *
 * The fields and functions are those of Linux.
 */
#ifndef PD_LEDGER_INTERRUPT_DEFS_H
#define PD_LEDGER_INTERRUPT_DEFS_H

/* clang-format off */
#define LED_INTERRUPT_EVENTS(E) \
	E("irq", "irq_handler", "irq", "name", FIELD) \
	E("irq", "softirq", "softirq", "vec", FIELD) \
	E("irq", "tasklet", "tasklet", "func", FUNCTION) \
	E("timer", "hrtimer_expire", "timer", "function", FUNCTION) \
	E("timer", "timer_expire", "timer", "function", FUNCTION) \
	E("irq_vectors", "*", "irq", NULL, EVENT)

#define LED_INTERRUPT_FUNCTIONS(F) \
	/* Sleeps, timeouts, interval timers, timers of POSIX, timerfd, delayed work, the tick. */ \
	F("timer", true, "hrtimer_wakeup|process_timeout|it_real_fn|posix_timer_fn|timerfd_tmrproc|delayed_work_timer_fn|tick_nohz_handler|tick_sched_timer") \
	/* A function that a timer calls last is not in the stack if its call was a jump. */ \
	F("timer", false, "call_timer_fn|__run_timers|__hrtimer_run_queues|hrtimer_interrupt") \
	/* A disk has completed requests. */ \
	F("block", false, "blk_*|__blk_*|bio_endio|nvme_*|scsi_*|virtblk_done") \
	/* Packets arrived, or were sent. */ \
	F("network", false, "net_rx_action|net_tx_action|__napi_poll|process_backlog") \
	/* A grace period is over. */ \
	F("rcu", false, "rcu_core|rcu_core_si|rcu_sched_clock_irq") \
	F("tasklet", false, "tasklet_action|tasklet_action_common|tasklet_hi_action") \
	/* Work that an NMI or a tracepoint may not do, such as waking readers of rings. */ \
	F("irq work", false, "irq_work_run|irq_work_run_list|irq_work_single") \
	/* Another CPU asked for it. */ \
	F("ipi", false, "sched_ttwu_pending|scheduler_ipi|__flush_smp_call_function_queue|flush_smp_call_function_queue|generic_smp_call_function_single_interrupt") \
	F(NULL, false, "asm_sysvec_*|asm_common_interrupt|common_interrupt|ret_from_intr|apic_timer_interrupt|run_ksoftirqd|el0_irq|el1_irq|el0_interrupt|el1_interrupt|do_idle")
/* clang-format on */

#endif
