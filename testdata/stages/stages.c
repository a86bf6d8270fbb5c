/*
 * The stages of a build, a process each, one after the other: compile passes its output on through a pipe, so that the
 * kernel copies most of the time, and link, which takes longest, computes in relocate().
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 32768 };

static volatile unsigned long sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Write and read blocks: what is written fits into the pipe. */
static __attribute__((noinline)) void pass_on(int in, int out, char *block)
{
	for (int i = 0; i < 200; i++) {
		if (write(out, block, BLOCK) != BLOCK || read(in, block, BLOCK) != BLOCK)
			exit(1);
	}
}

static __attribute__((noinline)) void compile(void)
{
	static char block[BLOCK];
	int ends[2];

	if (pipe(ends))
		exit(1);
	while (now() < 0.06)
		pass_on(ends[0], ends[1], block);
}

static __attribute__((noinline)) void relocate(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sink = sink * 3 + i;
}

static __attribute__((noinline)) void link_objects(void)
{
	while (now() < 0.1)
		relocate();
}

static void stage(const char *name, void (*work)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, name);
		work();
		exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(1);
}

int main(void)
{
	stage("compile", compile);
	stage("link", link_objects);
	return 0;
}
