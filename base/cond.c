#include "base/cond.h"

#include <time.h>

#include "base/cancel.h"

void base_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	/* Timeouts do not depend on the time of day. */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

void base_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
	struct timespec until;

	if (!base_cancel_current()) {
		pthread_cond_wait(cond, lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += PD_CANCEL_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (!pthread_cond_timedwait(cond, lock, &until))
		return;
	pthread_mutex_unlock(lock);
	(void)base_is_cancelled();
	pthread_mutex_lock(lock);
}
