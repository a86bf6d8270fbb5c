/* Handlers that are left by siglongjmp, from the normal stack and from another one. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "corpus.h"

static char stack[1 << 16] __attribute__((aligned(64)));
struct corpus_stack corpus_stacks[] = { { stack, stack + sizeof(stack) }, { 0, 0 } };
static sigjmp_buf place;
static volatile long sink;

CORPUS_CALL static long leaf(long a)
{
	return a * 7 + 1;
}

CORPUS_CALL static void leave(long n)
{
	sink += leaf(n);
	siglongjmp(place, 1);
}

void on_signal(int number)
{
	leave(number);
}

CORPUS_CALL static void interrupted(long n)
{
	sink += leaf(n);
	raise(SIGUSR1);
	sink += leaf(n);
}

static void handle(int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = flags;
	sigaction(SIGUSR1, &action, NULL);
}

int main(void)
{
	stack_t alternate;

	memset(&alternate, 0, sizeof(alternate));
	alternate.ss_sp = stack;
	alternate.ss_size = sizeof(stack);
	sigaltstack(&alternate, NULL);
	corpus_begin();
	for (volatile long i = 0; i < 2; i++) {
		handle(i ? SA_ONSTACK : 0);
		if (!sigsetjmp(place, 1))
			interrupted(i);
		sink += leaf(i);
	}
	corpus_end();
	return 0;
}
