/* A stack that is larger than the captured part. */
#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(long a)
{
	return a * 7 + 1;
}

CORPUS_CALL static long descend(long n)
{
	volatile char bytes[100] = { 0 };

	if (n == 0)
		return leaf(bytes[7]);
	long x = descend(n - 1);
	return leaf(x + bytes[n % 100]);
}

int main(void)
{
	corpus_begin();
	sink += descend(120);
	corpus_end();
	return 0;
}
