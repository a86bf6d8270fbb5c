/* Tail calls to functions with other frames. */
#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long last(long n)
{
	volatile long values[16];

	for (long i = 0; i < 16; i++)
		values[i] = n * i;
	return values[n & 15];
}

CORPUS_CALL static long odd(long n, long depth);

CORPUS_CALL static long even(long n, long depth)
{
	volatile long values[3] = { n, depth, 1 };

	if (depth == 0)
		return last(values[0]);
	return odd(values[0] + values[2], depth - 1);
}

CORPUS_CALL static long odd(long n, long depth)
{
	long x = last(n);

	return even(x, depth - 1);
}

static long (*volatile pointer)(long) = last;

CORPUS_CALL static long by_pointer(long n)
{
	sink += last(n);
	return pointer(n + 1);
}

int main(void)
{
	corpus_begin();
	for (long i = 0; i < 3; i++)
		sink += even(i, 4) + by_pointer(i);
	corpus_end();
	return 0;
}
