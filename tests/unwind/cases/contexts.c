/* Coroutines of ucontext.h, one that waits in the middle and one that ends. */
#include <ucontext.h>

#include "corpus.h"

static char stack[2][1 << 15] __attribute__((aligned(64)));
struct corpus_stack corpus_stacks[] = { { stack[0], stack[0] + sizeof(stack[0]) },
	{ stack[1], stack[1] + sizeof(stack[1]) }, { 0, 0 } };
static ucontext_t main_context, contexts[2];
static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL static void wait_in(int which)
{
	volatile long values[5] = { which };

	sink += leaf(values[which]);
	swapcontext(&contexts[which], &main_context);
	sink += leaf(values[which]);
}

static void run(int which)
{
	for (int i = 0; i < 2; i++) {
		sink += leaf(i);
		wait_in(which);
	}
}

CORPUS_CALL static void resume(int which)
{
	swapcontext(&main_context, &contexts[which]);
	sink += leaf(which);
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stack[i];
		contexts[i].uc_stack.ss_size = sizeof(stack[i]);
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))run, 1, i);
	}
	corpus_begin();
	for (int i = 0; i < 3; i++) {
		resume(0);
		resume(1);
	}
	corpus_end();
	return 0;
}
