#include "base/system/attempt.h"

int base_attempt_is_over;

bool base_attempt_run(struct base_attempt *attempt, bool (*fn)(void *ctx), void *ctx)
{
	*attempt = (struct base_attempt){ 0 };
	base_attempt_is_over = 0;
	bool ok = fn(ctx);
	base_attempt_is_over = 0;
	return ok && !attempt->is_over;
}

void base_attempt_give_up(struct base_attempt *attempt)
{
	attempt->is_over = true;
	base_attempt_is_over = 1;
}
