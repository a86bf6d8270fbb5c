/* Calls of hand-written functions, which call back. */
#include "corpus.h"

long by_register(long (*callee)(void));
long by_memory(long (*callee)(void));
long by_moves(long (*callee)(void));

static volatile long sink;

CORPUS_CALL static long leaf(void)
{
	return sink + 1;
}

CORPUS_CALL static long with_frame(void)
{
	volatile long values[5] = { 1 };

	return values[sink & 3] + leaf();
}

CORPUS_CALL static long callee(void)
{
	return by_register(leaf) + by_memory(with_frame) + by_moves(leaf);
}

int main(void)
{
	corpus_begin();
	sink += by_register(callee);
	sink += by_memory(callee);
	sink += by_moves(callee);
	corpus_end();
	return 0;
}
