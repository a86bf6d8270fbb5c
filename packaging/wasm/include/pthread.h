/**
 * @file Threads, for a system that has none: locks are free, and creating a thread fails. Later
 * versions of wasi-libc have such a header themselves, which is used instead.
 */
#ifndef PD_WASM_PTHREAD_H
#define PD_WASM_PTHREAD_H

#include <errno.h>
#include <time.h>

#define __NEED_pthread_t
#define __NEED_pthread_once_t
#define __NEED_pthread_mutex_t
#define __NEED_pthread_cond_t
#define __NEED_pthread_attr_t
#define __NEED_pthread_mutexattr_t
#define __NEED_pthread_condattr_t
#include <bits/alltypes.h>

#define PTHREAD_MUTEX_INITIALIZER \
	{ \
		0 \
	}
#define PTHREAD_COND_INITIALIZER \
	{ \
		0 \
	}
#define PTHREAD_ONCE_INIT 0

#define PD_NO_THREADS(name, type) \
	static inline int name(type of) \
	{ \
		(void)of; \
		return 0; \
	}

PD_NO_THREADS(pthread_mutex_destroy, pthread_mutex_t *)
PD_NO_THREADS(pthread_mutex_lock, pthread_mutex_t *)
PD_NO_THREADS(pthread_mutex_trylock, pthread_mutex_t *)
PD_NO_THREADS(pthread_mutex_unlock, pthread_mutex_t *)
PD_NO_THREADS(pthread_cond_destroy, pthread_cond_t *)
PD_NO_THREADS(pthread_cond_signal, pthread_cond_t *)
PD_NO_THREADS(pthread_cond_broadcast, pthread_cond_t *)
PD_NO_THREADS(pthread_condattr_init, pthread_condattr_t *)
PD_NO_THREADS(pthread_condattr_destroy, pthread_condattr_t *)

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	(void)mutex;
	(void)attr;
	return 0;
}

static inline int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	(void)cond;
	(void)attr;
	return 0;
}

static inline int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
	(void)attr;
	(void)clock;
	return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	(void)cond;
	(void)mutex;
	return 0;
}

static inline int pthread_cond_timedwait(
	pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	(void)cond;
	(void)mutex;
	(void)until;
	return ETIMEDOUT;
}

static inline int pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *ctx)
{
	(void)thread;
	(void)attr;
	(void)run;
	(void)ctx;
	return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **ret)
{
	(void)thread;
	(void)ret;
	return ESRCH;
}

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
	if (!*once) {
		*once = 1;
		run();
	}
	return 0;
}

#endif
