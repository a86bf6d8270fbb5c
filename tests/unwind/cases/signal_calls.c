/* A handler that interrupts calls into the C library, their PLT entries, and the dynamic linker. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(long a)
{
	return a * 7 + 1;
}

void on_signal(int number)
{
	sink += leaf(number);
}

CORPUS_CALL static long calls(long n)
{
	volatile char text[24] = "text";

	return labs(n) + (long)strlen((const char *)text) + atoi("12") + rand();
}

int main(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	sigaction(SIGUSR1, &action, NULL);
	corpus_begin();
	for (long i = 0; i < 12; i++)
		sink += calls(i);
	corpus_end();
	return 0;
}
