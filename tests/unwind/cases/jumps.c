/* setjmp and longjmp over several frames. */
#include <setjmp.h>

#include "corpus.h"

static jmp_buf place;
static volatile long sink;

CORPUS_CALL static long leaf(long a)
{
	return a * 7 + 1;
}

CORPUS_CALL static long jump(long n)
{
	volatile char bytes[60] = { 0 };

	if (n == 0)
		longjmp(place, 1);
	long x = jump(n - 1);
	return leaf(x + bytes[n]);
}

CORPUS_CALL static long catches(long n)
{
	volatile long kept = leaf(n);

	if (!setjmp(place))
		kept += jump(n);
	return leaf(kept) + kept;
}

int main(void)
{
	corpus_begin();
	for (long i = 0; i < 6; i++)
		sink += catches(i);
	corpus_end();
	return 0;
}
