/* A handler that calls; it is entered wherever the stepper sends the signal. */
#include <signal.h>
#include <string.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(long a)
{
	return a * 7 + 1;
}

CORPUS_CALL static long work(long n)
{
	volatile long values[8];

	for (long i = 0; i < 8; i++)
		values[i] = leaf(i + n);
	return values[n & 7];
}

void on_signal(int number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	sink += leaf(number);
}

CORPUS_CALL static long outer(long n)
{
	long x = work(n);

	return x + work(x & 3) + leaf(n);
}

int main(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR1, &action, NULL);
	corpus_begin();
	for (long i = 0; i < 12; i++)
		sink += outer(i);
	corpus_end();
	return 0;
}
