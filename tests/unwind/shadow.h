/**
 * @file The open calls of a thread, found from single steps and without an unwinder.
 *
 * A call is an instruction that pushes the address of the following instruction, or puts it into
 * the link register, and continues elsewhere. It ends when execution is at the return address with
 * the caller's stack pointer, or when the stack pointer has passed its frame (longjmp, exceptions).
 * A jump is not a call: the function that it left is not part of the true chain.
 *
 * A thread has a shadow stack for each of its stacks. The true chain is unknown between the two
 * instructions of longjmp that set the stack pointer and the program counter, and on a stack that
 * was not announced.
 */
#ifndef PD_TESTS_UNWIND_SHADOW_H
#define PD_TESTS_UNWIND_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "tests/unwind/target.h"

/** An address where execution continues when the callees have returned. */
struct shadow_entry {
	/** Return address, or the instruction that a signal interrupted. */
	uint64_t addr;
	/** Stack pointer after the return. */
	uint64_t sp;
	bool is_signal;
	/** The callee is a helper that returns with another stack pointer. */
	bool is_helper;
	/** Index of the stack that a signal interrupted. */
	size_t stack;
};

/** A call that ended: execution was at @a addr with @a sp, and @a n_open entries were open. */
struct shadow_return {
	uint64_t addr;
	uint64_t sp;
	size_t n_open;
};

struct shadow_stack {
	uint64_t lo;
	uint64_t hi;
	/** Execution was on this stack. */
	bool is_used;
	/** Open calls, outermost first. */
	PD_VEC(struct shadow_entry) open;
	/** All returns so far, for calls that return twice. */
	PD_VEC(struct shadow_return) returns;
};

/** State of one thread. A new one has a target and no stacks. */
struct shadow {
	struct target *target;
	PD_VEC(struct shadow_stack) stacks;
	/** Index of the stack in use, or SHADOW_NOWHERE. */
	size_t current;
	/** The stack pointer was set, and the program counter was not yet. */
	bool in_transit;
	/** Entry that the stack pointer passed last. It may be pushed again. */
	struct shadow_entry passed;
};

#define SHADOW_NOWHERE SIZE_MAX

/** One address of a chain. */
struct shadow_frame {
	uint64_t addr;
	/** Bytes of stack that unwinding needs to find it, or UINT64_MAX if no number suffices. */
	uint64_t reach;
};

struct shadow_chain {
	PD_VEC(struct shadow_frame) frames;
};

void shadow_init(struct shadow *shadow, struct target *target);
void shadow_deinit(struct shadow *shadow);
/** Add a stack of the thread, unless it was added before. */
void shadow_add_stack(struct shadow *shadow, uint64_t lo, uint64_t hi);
/** Start at @p cpu, with no open call. */
void shadow_begin(struct shadow *shadow, const struct cpu *cpu);
/** Take the caller from where the ABI puts the return address. @p cpu is at a function's entry. */
void shadow_adopt_caller(struct shadow *shadow, const struct cpu *cpu);
/** Follow one instruction. */
void shadow_step(struct shadow *shadow, const struct cpu *before, const struct cpu *after);
/**
 * Follow the delivery of a signal: @p before was interrupted, @p after is at the handler's entry.
 */
void shadow_signal(struct shadow *shadow, const struct cpu *before, const struct cpu *after);
/** Return true if the true chain is known. */
bool shadow_is_known(const struct shadow *shadow);
/** Get the true chain at @p cpu: the program counter, then the open calls, innermost first. */
void shadow_chain(const struct shadow *shadow, const struct cpu *cpu, struct shadow_chain *ret);
/** Count the bytes of the current stack from @p sp upwards. */
uint64_t shadow_room(const struct shadow *shadow, uint64_t sp);

#endif
