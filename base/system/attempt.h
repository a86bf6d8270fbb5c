/**
 * @file An attempt that can be given up from within a callback of a library that offers no way to
 * stop it.
 */
#ifndef PD_BASE_ATTEMPT_H
#define PD_BASE_ATTEMPT_H

#include <stdbool.h>

/** Zero-initialized, it is not over. */
struct base_attempt {
	bool is_over;
	/** Where it began (jmp_buf). */
	void *start;
};

/**
 * Let @p fn try something with @p ctx. Returns what that returns, or false if it was given up.
 * @p fn must hold nothing that would be lost then.
 */
bool base_attempt_run(struct base_attempt *attempt, bool (*fn)(void *ctx), void *ctx);

/**
 * Give up. Where C cannot jump, this returns, and the library has to find out that
 * base_attempt_is_over.
 */
void base_attempt_give_up(struct base_attempt *attempt);

/** The attempt that runs now is over. Only set where base_attempt_give_up() returns. */
extern int base_attempt_is_over;

#endif
