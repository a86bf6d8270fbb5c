/* Functions that are split into a hot and a cold part; callee-saved registers saved late. */
#include <stdlib.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL __attribute__((cold)) static long rare(long n)
{
	volatile long values[3] = { n, n, n };

	return leaf(values[n % 3]);
}

CORPUS_CALL static long in_two_parts(long n)
{
	long x = n * 3;

	if (__builtin_expect(n > 2, 0)) {
		x += rare(n) + leaf(x);
		sink += rare(x & 7);
		if (x == 12345)
			abort();
	}
	return x;
}

CORPUS_CALL static long saves_late(long n, long m)
{
	if (n < 2)
		return m;
	long a = leaf(n), b = leaf(m), c = leaf(a), d = leaf(b);
	sink += in_two_parts(a & 3);
	return a + b * c + d;
}

int main(void)
{
	corpus_begin();
	for (long i = 0; i < 5; i++)
		sink += in_two_parts(i) + saves_late(i, i + 1);
	corpus_end();
	return 0;
}
