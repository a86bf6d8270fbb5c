/**
 * @file How much of the stack samples capture, adapted to how full the ring buffers are.
 *
 * Copies of the stack are most of what a recording with CAP_STACKS_DWARF writes. When the rings
 * fill up, samples are about to be lost, and short stacks are worth more than lost samples. So
 * events capture less of the stack (the next level) while rings are nearly full, and more (the
 * level before) once they have been calm for some time.
 */
#ifndef PD_CAPTURE_STACK_LEVEL_H
#define PD_CAPTURE_STACK_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Level 0 captures all of the stack that was asked for, each further level a quarter of the one
 * before.
 */
enum { CAP_N_LEVELS = 3 };

/** History that the choice of a level depends on. Times are seconds as of base_clock_now. */
struct cap_stack_level {
	/** Time at which rings were last found rather full or had lost samples. */
	double busy_at;
	/** Time for which rings have to be calm before more is captured. */
	double calm_seconds;
	/** Time of the last change to capture more. Valid if has_raised. */
	double raised_at;
	/** The last change of the level was to capture more. */
	bool has_raised;
	/** Samples that had been lost at the last call. */
	uint64_t n_lost;
};

void cap_stack_level_init(struct cap_stack_level *state);

/**
 * Bytes of stack that samples capture on @p level, when @p bytes were asked for: a multiple of 8.
 */
uint32_t cap_stack_level_bytes(uint32_t bytes, size_t level);

/**
 * Level of a sample with room for @p reserved bytes of stack, when @p bytes were asked for. The
 * kernel also copies less at the end of the address space, but hardly ever as much as a level does:
 * other sizes are level 0.
 */
size_t cap_stack_level_of(uint32_t bytes, uint64_t reserved);

/**
 * Choose the level to capture with from now on, given the present @p level. @p fill is the filled
 * share of the fullest ring when it was drained (0 to 1), @p n_lost the samples lost since the
 * recording began.
 */
size_t cap_stack_level_next(
	struct cap_stack_level *state, size_t level, double fill, uint64_t n_lost, double now);

#endif
