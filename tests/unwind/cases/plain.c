/* Common kinds of functions: leaves, many arguments, saved registers, a call by pointer. */
#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(long a, long b)
{
	return a * 3 + b;
}

CORPUS_CALL static long with_array(long n)
{
	volatile long values[20];

	for (long i = 0; i < 20; i++)
		values[i] = n + i;
	return values[n % 20] + leaf(values[3], n);
}

CORPUS_CALL static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	long x = leaf(a, b), y = leaf(c, d), z = leaf(e, f), w = leaf(g, h);

	return with_array(x & 7) + y * z + w + i + a + b + c + d;
}

CORPUS_CALL static double floating(double x, long n)
{
	double y = x;

	for (long i = 0; i < n; i++)
		y += (double)leaf(i, (long)y) * x;
	return y;
}

CORPUS_CALL static long recursive(long n)
{
	if (n == 0)
		return with_array(5);
	long x = recursive(n - 1);
	return x + leaf(x, n);
}

CORPUS_CALL static long tail(long n)
{
	return leaf(n, n + 1);
}

CORPUS_CALL static long early_return(long n)
{
	if (n < 3)
		return n;
	long x = many(n, 2, 3, 4, 5, 6, 7, 8, 9);
	if (x & 1)
		return leaf(x, n);
	return (long)floating((double)x, 2) + tail(n);
}

static long (*volatile pointer)(long) = recursive;

int main(void)
{
	corpus_begin();
	for (long i = 0; i < 6; i++)
		sink += early_return(i) + pointer(i & 3);
	corpus_end();
	return 0;
}
