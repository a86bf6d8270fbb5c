/* vfork(), whose child runs on the same stack, and posix_spawn(), whose child has another one. */
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus.h"

extern char **environ;
static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL static void in_child(long n)
{
	volatile long values[20] = { n };

	sink += leaf(values[0]);
	_exit(0);
}

CORPUS_CALL static void forks(long n)
{
	volatile long kept = leaf(n);
	pid_t pid = vfork();

	if (!pid)
		in_child(n);
	waitpid(pid, NULL, 0);
	sink += leaf(kept);
}

CORPUS_CALL static void spawns(long n)
{
	char *argv[] = { "true", NULL };
	pid_t pid;

	if (!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
		waitpid(pid, NULL, 0);
	sink += leaf(n);
}

int main(void)
{
	sigset_t set;

	/* The stepper would take it for a signal with a handler. */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	corpus_begin();
	forks(1);
	spawns(2);
	forks(3);
	corpus_end();
	return 0;
}
