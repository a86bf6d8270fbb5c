/**
 * @file Cancellation: the caller of a long operation is asked now and then whether to go on.
 *
 * The thread that begins an operation enters it, and the threads of its pools (base/pool.h) belong
 * to it from then on. Loops that may take long call base_is_cancelled() each time and return early.
 * Only the thread that entered the operation asks the caller.
 */
#ifndef PD_BASE_CANCEL_H
#define PD_BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <pdconv/error.h>

/** The longest time between two questions while the thread waits for others, in milliseconds. */
enum { PD_CANCEL_MS = 50 };

/** An operation that can be cancelled. Set the first two members, and zero the others. */
struct base_cancel {
	/** Ask the caller whether to go on. An error cancels the operation. */
	struct pd_error *(*ask)(void *ctx);
	void *ctx;
	/** The answer that cancelled the operation; NULL: none did. Owned by who reads it. */
	struct pd_error *err;
	/** When the caller was asked, on the clock of base/clock.h. */
	double asked_at;
	atomic_bool is_cancelled;
};

/** The operation that a thread works for. */
struct base_cancel_scope {
	/** NULL: nothing that can be cancelled. */
	struct base_cancel *cancel;
	/** This thread entered the operation. */
	bool can_ask;
};

/** Let this thread work for @p scope from now on. Returns what it worked for before. */
struct base_cancel_scope base_cancel_enter(struct base_cancel_scope scope);
/** Operation of this thread, or NULL. */
struct base_cancel *base_cancel_current(void);

/** Whether the operation of this thread was cancelled. Asks if the last question is long ago. */
bool base_is_cancelled(void);
/** Like base_is_cancelled(), but ask in any case. */
bool base_cancel_ask(void);

/** Create the error of what was cut short. Callers see base_cancel.err in its place. */
struct pd_error *base_cancel_error(void) pd_must_check;

#endif
