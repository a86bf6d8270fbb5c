/* Frames whose size is known only at run time. */
#include <alloca.h>
#include <string.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(const volatile char *bytes, long n)
{
	return bytes[0] + bytes[n - 1] + n;
}

CORPUS_CALL static long with_alloca(long n)
{
	volatile char *bytes = alloca((unsigned long)n);

	bytes[0] = 1;
	bytes[n - 1] = 2;
	return leaf(bytes, n) + n;
}

CORPUS_CALL static long with_array(long n)
{
	volatile char bytes[n];
	long sum = 0;

	bytes[0] = 1;
	bytes[n - 1] = 2;
	for (long i = 1; i < 4; i++) {
		volatile char more[n * i];

		more[0] = 3;
		more[n * i - 1] = 4;
		sum += leaf(more, n * i) + leaf(bytes, n);
	}
	return sum;
}

CORPUS_CALL static long both(long n)
{
	return with_alloca(n) + with_array(n);
}

int main(void)
{
	corpus_begin();
	for (long i = 1; i < 200; i += 61)
		sink += both(i);
	corpus_end();
	return 0;
}
