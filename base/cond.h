/**
 * @file Conditions to wait for, during which the caller of the operation is asked whether to go on:
 * see base/cancel.h.
 */
#ifndef PD_BASE_COND_H
#define PD_BASE_COND_H

#include <pthread.h>

/** Initialise @p cond for base_cond_wait(). Destroyed by pthread_cond_destroy(). */
void base_cond_init(pthread_cond_t *cond);

/**
 * Wait for @p cond for some time, like pthread_cond_wait(). The caller of the operation is asked
 * without @p lock.
 */
void base_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);

#endif
