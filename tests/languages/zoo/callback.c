// zoo_middle sorts, and the comparator zoo_inner is called by the C library.
#include <stdio.h>
#include <stdlib.h>

static unsigned long state = 1;

static int zoo_inner(const void *a, const void *b)
{
	unsigned long x = *(const unsigned *)a, y = *(const unsigned *)b;

	for (int i = 0; i < 20; i++)
		state = state * 6364136223846793005u + x + y;
	return (x > y) - (x < y);
}

__attribute__((noinline)) static unsigned zoo_middle(unsigned *values, size_t n)
{
	qsort(values, n, sizeof(*values), zoo_inner);
	return values[0];
}

__attribute__((noinline)) static unsigned long zoo_outer(unsigned long round)
{
	unsigned values[1000];

	for (int i = 0; i < 1000; i++)
		values[i] = (unsigned)(i * 2654435761u + round);
	return zoo_middle(values, 1000) + 1;
}

int main(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < 4000; i++)
		sum += zoo_outer(i);
	printf("%lu %lu\n", sum, state);
	return 0;
}
