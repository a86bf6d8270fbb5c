/*
 * Functions whose last instruction is a call that never returns: the return address is in the next
 * function. The callee leaves by longjmp.
 */
#include <setjmp.h>

#include "corpus.h"

static jmp_buf place;
static volatile long sink;

CORPUS_CALL static long leaf(long a)
{
	return a * 7 + 1;
}

CORPUS_CALL __attribute__((noreturn)) static void fail(long n)
{
	sink += leaf(n);
	longjmp(place, 1);
}

CORPUS_CALL __attribute__((noreturn)) static void fails_last(long n)
{
	volatile long values[4] = { n, n, n, n };

	fail(values[n & 3]);
}

CORPUS_CALL static long may_fail(long n)
{
	if (n > 1)
		fails_last(n);
	return leaf(n);
}

CORPUS_CALL static long behind(long n)
{
	volatile long values[9] = { n };

	return values[n % 9] + leaf(n);
}

int main(void)
{
	corpus_begin();
	for (volatile long i = 0; i < 5; i++) {
		if (!setjmp(place))
			sink += may_fail(i);
		sink += behind(i);
	}
	corpus_end();
	return 0;
}
