/**
 * @file Which calls of a thread are open, told from single steps, without any unwinder.
 *
 * A call is seen by what the machine does at it: the return address, which lies right behind the
 * instruction, is pushed or put into the link register, and control goes elsewhere. It is over when
 * control is at the return address with the caller's stack pointer, or when the stack pointer has
 * passed its frame (longjmp, exceptions). A jump opens nothing: what it left is not in the truth.
 *
 * A thread has a shadow for each of its stacks. While the stack pointer has been moved already and
 * control has not (between the two instructions of longjmp that do it), no chain is the true one;
 * neither is there one on a stack that nobody told of.
 */
#ifndef PD_TESTS_UNWIND_SHADOW_H
#define PD_TESTS_UNWIND_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "tests/unwind/target.h"

/** A place where execution goes on when what is below has ended. */
struct shadow_entry {
	/** A return address, or what a signal interrupted. */
	uint64_t addr;
	/** The stack pointer when execution is there again. */
	uint64_t sp;
	bool is_signal;
	/** A helper was called, which returns with another stack pointer. */
	bool is_helper;
	/** Of a signal: the stack that it interrupted. */
	size_t stack;
};

/** A call that was over: control was at @a addr with @a sp, and so many entries were open. */
struct shadow_return {
	uint64_t addr;
	uint64_t sp;
	size_t n_open;
};

struct shadow_stack {
	uint64_t lo;
	uint64_t hi;
	/** Control was there. */
	bool is_used;
	/** Outermost first. */
	PD_VEC(struct shadow_entry) open;
	/** All there were, for calls that return twice. */
	PD_VEC(struct shadow_return) returns;
};

/** Of one thread. Zeroed but for the target: no stack is known. */
struct shadow {
	struct target *target;
	PD_VEC(struct shadow_stack) stacks;
	/** The one in use, or SHADOW_NOWHERE. */
	size_t current;
	/** The stack pointer was moved, control was not. */
	bool in_transit;
	/** What it passed last: it may have been meant to come back. */
	struct shadow_entry passed;
};

#define SHADOW_NOWHERE SIZE_MAX

/** One address of a chain. */
struct shadow_frame {
	uint64_t addr;
	/** So many bytes from the stack pointer up are enough to know it; UINT64_MAX: none are. */
	uint64_t reach;
};

struct shadow_chain {
	PD_VEC(struct shadow_frame) frames;
};

void shadow_init(struct shadow *shadow, struct target *target);
void shadow_deinit(struct shadow *shadow);
/** A stack of the thread; one that is known already is left as it is. */
void shadow_add_stack(struct shadow *shadow, uint64_t lo, uint64_t hi);
/** The thread begins at @p cpu: nothing is open. */
void shadow_begin(struct shadow *shadow, const struct cpu *cpu);
/** It stands at the entry of a function that will return to where the ABI says. */
void shadow_adopt_caller(struct shadow *shadow, const struct cpu *cpu);
/** It did one instruction. */
void shadow_step(struct shadow *shadow, const struct cpu *before, const struct cpu *after);
/** A signal interrupted it at @p before, it stands at its handler's first instruction. */
void shadow_signal(struct shadow *shadow, const struct cpu *before, const struct cpu *after);
/** Whether the true chain is known now. */
bool shadow_is_known(const struct shadow *shadow);
/** The chain at @p cpu: where it is, then what is open, innermost first. */
void shadow_chain(const struct shadow *shadow, const struct cpu *cpu, struct shadow_chain *ret);
/** The bytes of the current stack from @p sp up. */
uint64_t shadow_room(const struct shadow *shadow, uint64_t sp);

#endif
