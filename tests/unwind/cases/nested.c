/*
 * A handler without SA_SIGINFO that is itself interrupted, within raise(). With ON_ANOTHER_STACK
 * both run on an alternate stack.
 */
#include <signal.h>
#include <string.h>

#include "corpus.h"

static volatile long sink;

#ifdef ON_ANOTHER_STACK
enum { FLAGS = SA_ONSTACK };
static char stack[1 << 16] __attribute__((aligned(64)));
struct corpus_stack corpus_stacks[] = { { stack, stack + sizeof(stack) }, { 0, 0 } };

static void set_stack(void)
{
	stack_t alternate;

	memset(&alternate, 0, sizeof(alternate));
	alternate.ss_sp = stack;
	alternate.ss_size = sizeof(stack);
	sigaltstack(&alternate, NULL);
}
#else
enum { FLAGS = 0 };

static void set_stack(void)
{
}
#endif

CORPUS_CALL static long leaf(long a)
{
	return a * 7 + 1;
}

void on_signal_nested(int number)
{
	sink += leaf(number);
}

void on_signal(int number)
{
	sink += leaf(number);
	raise(SIGUSR2);
	sink += leaf(number);
}

CORPUS_CALL static void interrupted(long n)
{
	raise(SIGUSR1);
	sink += leaf(n);
}

int main(void)
{
	struct sigaction action;

	set_stack();
	memset(&action, 0, sizeof(action));
	action.sa_flags = FLAGS;
	action.sa_handler = on_signal;
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = on_signal_nested;
	sigaction(SIGUSR2, &action, NULL);
	corpus_begin();
	for (long i = 0; i < 2; i++)
		interrupted(i);
	corpus_end();
	return 0;
}
