#include "base/system/attempt.h"

#include <setjmp.h>

int base_attempt_is_over;

bool base_attempt_run(struct base_attempt *attempt, bool (*fn)(void *ctx), void *ctx)
{
	jmp_buf start;

	*attempt = (struct base_attempt){ .start = &start };
	return !setjmp(start) && fn(ctx);
}

void base_attempt_give_up(struct base_attempt *attempt)
{
	attempt->is_over = true;
	longjmp(*(jmp_buf *)attempt->start, 1);
}
