/* A handler without SA_SIGINFO that is interrupted itself, from within raise(). */
#include <signal.h>
#include <string.h>

#include "corpus.h"

static volatile long sink;

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

	memset(&action, 0, sizeof(action));
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
