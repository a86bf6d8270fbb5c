/*
 * Intervals that the program measures itself. It prints "NAME NS" for each call of step(), which calls itself, and of read() and
 * open(), when they end. Two threads call step() at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void nap(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

/* What the probes are at. The calls inside keep it from becoming a loop. */
__attribute__((noinline)) int step(int depth)
{
	long start = now();
	int steps = 1;

	nap(2000);
	if (depth)
		steps += step(depth - 1);
	printf("step %ld\n", now() - start);
	return steps;
}

static void *run(void *depth)
{
	for (int i = 0; i < 3; i++)
		step(*(int *)depth);
	return NULL;
}

/* Written to by another thread after some time, so that read() waits. */
static int pipes[2];

static void *writer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++) {
		nap(3000);
		if (write(pipes[1], "x", 1) != 1)
			break;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int depths[2] = { 0, 2 };
	char c;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	pthread_create(&threads[0], NULL, run, &depths[0]);
	pthread_create(&threads[1], NULL, run, &depths[1]);
	if (pipe(pipes))
		return 1;
	pthread_create(&threads[2], NULL, writer, NULL);
	for (int i = 0; i < 4; i++) {
		long start = now();

		if (read(pipes[0], &c, 1) != 1)
			return 1;
		printf("read %ld\n", now() - start);
	}
	for (int i = 0; i < 3; i++) {
		long start = now();

		if (open("/nowhere/at all", O_RDONLY) >= 0 || errno != ENOENT)
			return 1;
		printf("openat %ld\n", now() - start);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
