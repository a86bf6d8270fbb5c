/* Two threads under names of their own, each with its own function. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static uint64_t spin(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

NOINLINE static uint64_t red_work(uint64_t n)
{
	return spin(n) + 1;
}

NOINLINE static uint64_t blue_work(uint64_t n)
{
	return spin(n) + 2;
}

static void *red(void *arg)
{
	pthread_setname_np(pthread_self(), "red");
	*(uint64_t *)arg = red_work(30000000);
	return 0;
}

static void *blue(void *arg)
{
	pthread_setname_np(pthread_self(), "blue");
	*(uint64_t *)arg = blue_work(15000000);
	return 0;
}

int main(void)
{
	pthread_t threads[2];
	uint64_t results[2];

	pthread_create(&threads[0], 0, red, &results[0]);
	pthread_create(&threads[1], 0, blue, &results[1]);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return results[0] == results[1];
}
