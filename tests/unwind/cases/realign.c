/*
 * Functions that align the stack more than the ABI requires, with alloca and with many arguments.
 */
#include <alloca.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(const volatile void *p, long n)
{
	return (long)((unsigned long)p & 127) + n;
}

CORPUS_CALL static long aligned(long n)
{
	volatile long block[8] __attribute__((aligned(64)));

	block[n & 7] = n;
	return leaf(block, n) + block[n & 7];
}

CORPUS_CALL static long aligned_alloca(long n)
{
	volatile long block[8] __attribute__((aligned(128)));
	volatile char *bytes = alloca((unsigned long)n + 1);

	block[n & 7] = n;
	bytes[n] = 1;
	return leaf(block, n) + leaf(bytes, n) + block[n & 7];
}

CORPUS_CALL static long aligned_arguments(
	long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	volatile long block[8] __attribute__((aligned(64)));

	block[a & 7] = b + c + d + e;
	return leaf(block, f + g) + leaf(block, h + i + j) + a + b + c + d + e + i + j;
}

int main(void)
{
	corpus_begin();
	for (long i = 0; i < 5; i++)
		sink += aligned(i) + aligned_alloca(i * 40) +
			aligned_arguments(i, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	corpus_end();
	return 0;
}
