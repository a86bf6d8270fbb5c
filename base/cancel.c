#include "base/cancel.h"

#include <stddef.h>

#include "base/clock.h"

static _Thread_local struct base_cancel_scope current;

struct base_cancel_scope base_cancel_enter(struct base_cancel_scope scope)
{
	struct base_cancel_scope before = current;

	current = scope;
	return before;
}

struct base_cancel *base_cancel_current(void)
{
	return current.cancel;
}

static void ask(struct base_cancel *cancel)
{
	if (atomic_load(&cancel->is_cancelled))
		return;
	cancel->err = cancel->ask(cancel->ctx);
	/* The answer may take long. */
	cancel->asked_at = base_clock_now();
	if (cancel->err)
		atomic_store(&cancel->is_cancelled, true);
}

bool base_cancel_ask(void)
{
	if (!current.cancel)
		return false;
	if (current.can_ask)
		ask(current.cancel);
	return atomic_load(&current.cancel->is_cancelled);
}

bool base_is_cancelled(void)
{
	struct base_cancel *cancel = current.cancel;

	if (!cancel)
		return false;
	if (current.can_ask && base_clock_now() - cancel->asked_at >= 1e-3 * PD_CANCEL_MS)
		ask(cancel);
	return atomic_load_explicit(&cancel->is_cancelled, memory_order_relaxed);
}

struct pd_error *base_cancel_error(void)
{
	return pd_error_create(PD_ERROR_USAGE, NULL, "cancelled");
}
