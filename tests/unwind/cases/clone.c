/* A thread by clone(): its function is on its stack while it is in the system call. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>

#include "corpus.h"

enum { STACK_SIZE = 64 << 10 };

static volatile long sink;
static volatile int n_running;

CORPUS_CALL static long with_frame(long n)
{
	volatile long values[9];

	for (long i = 0; i < 9; i++)
		values[i] = n + i;
	return values[n % 9];
}

CORPUS_CALL static int work(void *argument)
{
	for (long i = 0; i < 3; i++)
		sink += with_frame(i + (argument != 0));
	n_running--;
	return 0;
}

int main(void)
{
	enum { FLAGS = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD };
	char *stack =
		mmap(0, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	n_running = 1;
	corpus_begin();
	clone(work, stack + STACK_SIZE, FLAGS, 0);
	while (n_running)
		sink += with_frame(4);
	corpus_end();
	return 0;
}
