/* Code of the vDSO. */
#include <sys/time.h>
#include <time.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long ask(clockid_t clock)
{
	struct timespec now;
	struct timeval tv;

	clock_gettime(clock, &now);
	gettimeofday(&tv, 0);
	return now.tv_nsec + tv.tv_usec + time(0);
}

int main(void)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC_COARSE,
		CLOCK_BOOTTIME, CLOCK_THREAD_CPUTIME_ID };

	corpus_begin();
	for (unsigned i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		sink += ask(clocks[i]);
	corpus_end();
	return 0;
}
