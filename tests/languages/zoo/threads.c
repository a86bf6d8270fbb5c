// The chain on new threads.
#include <pthread.h>
#include <stdio.h>

__attribute__((noinline)) unsigned long zoo_inner(unsigned long n)
{
	for (unsigned long i = 0; i < 200; i++) {
		n = n * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(n));
	}
	return n;
}

__attribute__((noinline)) unsigned long zoo_middle(unsigned long n)
{
	return zoo_inner(n) + 1;
}

__attribute__((noinline)) unsigned long zoo_outer(unsigned long n)
{
	return zoo_middle(n) + 1;
}

static void *thread_main(void *sum)
{
	for (unsigned long i = 0; i < 2500000; i++)
		*(unsigned long *)sum += zoo_outer(i);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	unsigned long sums[2] = {0};

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread_main, &sums[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", sums[0] + sums[1]);
	return 0;
}
