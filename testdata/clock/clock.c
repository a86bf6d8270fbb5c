/*
 * Threads that know where their time goes. At its end each of them prints "TID NAME LIFE RUNNING RUNNABLE" in ns: its time
 * on the clock, and what /proc/PID/task/TID/schedstat says. One thread never runs: it waits until the process ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t forever = PTHREAD_MUTEX_INITIALIZER;

static long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void nap(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

static void spin(long us)
{
	long end = now(CLOCK_THREAD_CPUTIME_ID) + us * 1000;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void tell(const char *name, long start)
{
	char path[64];
	long running, runnable;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", gettid());
	FILE *file = fopen(path, "r");
	if (!file || fscanf(file, "%ld %ld", &running, &runnable) != 2)
		abort();
	fclose(file);
	printf("%d %s %ld %ld %ld\n", gettid(), name, now(CLOCK_MONOTONIC) - start, running, runnable);
	fflush(stdout);
}

static void *run_sleeper(void *start)
{
	for (int i = 0; i < 10; i++)
		nap(4000);
	tell("sleeper", *(long *)start);
	return NULL;
}

static void *run_spinner(void *start)
{
	spin(20000);
	tell("spinner", *(long *)start);
	return NULL;
}

static void *run_locker(void *start)
{
	for (int i = 0; i < 8; i++) {
		pthread_mutex_lock(&lock);
		spin(1000);
		nap(500);
		pthread_mutex_unlock(&lock);
		nap(200);
	}
	tell("locker", *(long *)start);
	return NULL;
}

static void *run_never(void *unused)
{
	pthread_mutex_lock(&forever);
	return unused;
}

int main(void)
{
	static void *(*const list[])(void *) = {
		run_never, run_sleeper, run_spinner, run_spinner, run_locker, run_locker
	};
	enum { N = sizeof(list) / sizeof(list[0]) };
	long start = now(CLOCK_MONOTONIC), starts[N];
	pthread_t threads[N];

	pthread_mutex_lock(&forever);
	for (int i = 0; i < N; i++) {
		starts[i] = now(CLOCK_MONOTONIC);
		pthread_create(&threads[i], NULL, list[i], &starts[i]);
	}
	for (int i = 1; i < N; i++)
		pthread_join(threads[i], NULL);
	/* The last records of a recording are earlier than its end. */
	nap(50000);
	tell("main", start);
	return 0;
}
