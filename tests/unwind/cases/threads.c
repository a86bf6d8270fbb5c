/*
 * Threads, one of which ends by pthread_exit; with CREATION they are stepped from their start, with
 * SMALL_STACKS their stacks are smaller than the captured part.
 */
#include <limits.h>
#include <pthread.h>

#include "corpus.h"

static pthread_barrier_t barrier;
static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL static long with_frame(long n)
{
	volatile long values[9];

	for (long i = 0; i < 9; i++)
		values[i] = n + i;
	return values[n % 9] + leaf(n);
}

CORPUS_CALL static void leave(long n)
{
	sink += with_frame(n);
	pthread_exit(0);
}

static void *work(void *argument)
{
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < 3; i++)
		sink += with_frame(i);
	if (argument)
		leave(4);
	return 0;
}

int main(void)
{
	pthread_t threads[2];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
#ifdef SMALL_STACKS
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
#endif
	pthread_barrier_init(&barrier, 0, 3);
#ifdef CREATION
	corpus_begin();
#endif
	pthread_create(&threads[0], &attr, work, 0);
	pthread_create(&threads[1], &attr, work, threads);
#ifndef CREATION
	corpus_begin();
#endif
	pthread_barrier_wait(&barrier);
	sink += with_frame(7);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	corpus_end();
	return 0;
}
