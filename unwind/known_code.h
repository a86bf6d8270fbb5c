/**
 * @file Code that is recognized by its instructions: signal trampolines, bases of stacks and system
 * calls.
 */
#ifndef PD_UNWIND_KNOWN_CODE_H
#define PD_UNWIND_KNOWN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unw_arch;

/** Bytes of code, with a position in them, which may be outside. */
struct unw_code_at {
	const struct unw_arch *arch;
	const uint8_t *bytes;
	size_t size;
	uint64_t off;
};

/**
 * Whether the program counter @p at is in a signal trampoline, to which handlers return and which
 * calls (rt_)sigreturn. The kernel takes it from the program, by SA_RESTORER, or has its own, in
 * the vDSO or on the stack. Those of musl and Go have no call frame information that says what they
 * are.
 *
 * With @p is_return the handler has returned to @p at, the first instruction. Otherwise it may be
 * any instruction.
 */
bool unw_is_trampoline(struct unw_code_at at, bool is_return);

/** Whether @p at follows a signal trampoline, as it does while the kernel executes sigreturn. */
bool unw_is_after_trampoline(struct unw_code_at at);

/** Whether the base of a coroutine's stack begins at @p at: see struct unw_base_code. */
bool unw_is_base(struct unw_code_at at);

/** Whether the thread or the process exits at @p at: see struct unw_exit_code. */
bool unw_is_exit(struct unw_code_at at);

/**
 * Find the next position from at.off on, but before @p end, where the first byte is that of a
 * trampoline or a base; @p end if there is none. The caller examines it.
 */
uint64_t unw_next_known(struct unw_code_at at, uint64_t end);

/** Whether the instruction before @p at may be a system call. */
bool unw_is_after_syscall(struct unw_code_at at);

#endif
