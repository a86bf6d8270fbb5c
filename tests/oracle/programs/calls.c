/*
 * Runs until it is killed, on two threads, in calls whose chains tests/library/live.py knows. The
 * turns are short and their order is random, so that samples are independent of each other.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define noinline __attribute__((noinline))

static volatile unsigned long sunk;

/* The addition after each call keeps it from being a tail call. */

static noinline void live_burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sunk += i;
}

static noinline void live_inner(unsigned n)
{
	live_burn(n);
	sunk++;
}

static noinline void live_outer(unsigned n)
{
	live_inner(n);
	sunk++;
}

static noinline void live_recurse(unsigned depth, unsigned n)
{
	if (depth)
		live_recurse(depth - 1, n);
	else
		live_burn(n);
	sunk++;
}

static int live_compare(const void *a, const void *b)
{
	live_burn(200);
	return *(const int *)a - *(const int *)b;
}

/* The C library is between this function and live_compare(). */
static noinline void live_sort(void)
{
	int numbers[] = { 5, 3, 9, 1, 7, 2, 8, 4 };

	qsort(numbers, sizeof(numbers) / sizeof(numbers[0]), sizeof(numbers[0]), live_compare);
	sunk++;
}

static noinline void live_work(uint64_t seed)
{
	for (;;) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		switch (seed >> 62) {
		case 0:
			live_sort();
			break;
		case 1:
			live_recurse(20, 5000);
			break;
		default:
			live_outer(5000);
		}
	}
}

static void *live_thread(void *arg)
{
	live_work((uintptr_t)arg);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, live_thread, &thread) != 0)
		return 1;
	if (write(STDOUT_FILENO, "\n", 1) != 1)
		return 1;
	live_work(1);
	return 0;
}
