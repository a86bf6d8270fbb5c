/**
 * @file Interrupts: in which one a wakeup was recorded.
 *
 * The flags of a tracepoint's sample say whether it was taken in a hard interrupt or a softirq.
 * Which one it was follows from the events that enclose it (ledger/interrupt_defs.h), if they are
 * recorded: the innermost one that is open on the CPU. Otherwise its call chain is kept, from which
 * the functions follow when they have names.
 *
 * Distinct interrupts have numbers. All records are taken before anything else looks at them.
 */
#ifndef PD_LEDGER_INTERRUPTS_H
#define PD_LEDGER_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/trace_format.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "ledger/sched_events.h"

/** In place of the number of an interrupt: the code of a thread. */
#define LED_NO_INTERRUPT UINT32_MAX

enum led_interrupt_kind {
	LED_INTERRUPT_HARD,
	LED_INTERRUPT_SOFT,
	/** The idle task, which does the work of interrupts while it polls, or it is not known. */
	LED_INTERRUPT_OTHER,
	LED_N_INTERRUPT_KINDS,
};

/** Knowledge of an interrupt. */
struct led_interrupt {
	/** enum led_interrupt_kind */
	uint32_t kind;
	/** Number in led_interrupts.texts: "irq eth0", "timer"; PD_INTERN_NONE: there is none. */
	uint32_t text;
	/** Address of the kernel's function that belongs to the text; 0: there is none. */
	uint64_t function;
	/** Number in led_interrupts.chains; PD_INTERN_NONE: there is none. */
	uint32_t chain;
	/** Zero: interrupts are interned as bytes. */
	uint32_t reserved;
};

/** Most frames of a call chain that are kept, from the innermost one on. */
enum { LED_INTERRUPT_FRAMES = 32 };

/** Most interrupts that are open on a CPU: one may interrupt another one. */
enum { LED_OPEN_INTERRUPTS = 8 };

/** Interrupts that have begun on a CPU, and are not over. The last one is the innermost. */
struct led_interrupt_cpu {
	uint32_t n;
	struct led_open_interrupt {
		/** Row of the table of events. */
		uint32_t row;
		/** Flags of its beginning. */
		uint32_t flags;
		uint32_t number;
	} open[LED_OPEN_INTERRUPTS];
};

/** An event, as far as interrupts are concerned. */
struct led_interrupt_event {
	/** Row of the table of events; UINT32_MAX: it is not in it. */
	uint32_t row;
	bool is_end;
	/** It is a wakeup. */
	bool is_wakeup;
	const struct pd_tracepoint *tracepoint;
	/** NULL: the tracepoint has no such field. */
	const struct pd_trace_field *flags;
	const struct pd_trace_field *what;
};

/** A zeroed one is to be initialised with led_interrupts_init(). */
struct led_interrupts {
	/** They have taken each record before. Borrowed. */
	struct led_sched_events *sched;
	/** Indexed by event. */
	PD_VEC(struct led_interrupt_event) events;
	PD_VEC(struct led_interrupt_cpu) cpus;
	/** Index of a CPU by its number. */
	struct base_map by_cpu;
	/** Each distinct struct led_interrupt. */
	struct base_intern list;
	struct base_intern texts;
	/** Arrays of addresses (u64) inside the instructions, the innermost one first. */
	struct base_intern chains;
	/** Number of the interrupt in which the last record is a wakeup, or LED_NO_INTERRUPT. */
	uint32_t present;
};

void led_interrupts_init(struct led_interrupts *interrupts, struct led_sched_events *sched);
void led_interrupts_deinit(struct led_interrupts *interrupts);

/** Take the present record. They are passed in the order of time. Errors: no memory. */
struct pd_error *led_interrupts_take(struct led_interrupts *interrupts) pd_must_check;

/** The interrupt @p number, which is valid until the next record is taken. */
static inline const struct led_interrupt *led_interrupt(
	const struct led_interrupts *interrupts, uint32_t number)
{
	return base_intern_bytes(&interrupts->list, number);
}

/**
 * Whether the present record is a wakeup in an interrupt, according to its flags. The idle task is
 * a thread here.
 */
bool led_is_in_interrupt(const struct led_interrupts *interrupts);

/** Addresses of a call chain. */
static inline const uint64_t *led_interrupt_chain(
	const struct led_interrupts *interrupts, uint32_t chain, size_t *n_ret)
{
	*n_ret = base_intern_len(&interrupts->chains, chain) / sizeof(uint64_t);
	return base_intern_bytes(&interrupts->chains, chain);
}

/** Knowledge of an interrupt from the name of a function in its stack. */
struct led_interrupt_reason {
	/** NULL: the interrupt began in the function. Static storage. */
	const char *name;
	bool has_function;
};

/** Find what @p function says. False: nothing. */
bool led_interrupt_reason(const char *function, struct led_interrupt_reason *ret);

/** Name of an interrupt of which only the kind is known: "[hard interrupt]". Static storage. */
const char *led_interrupt_kind_name(enum led_interrupt_kind kind);

#endif
