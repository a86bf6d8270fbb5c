/* A process that forks; the child works, then replaces itself with this program under another
 * argument. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile uint64_t sink;

NOINLINE static void spin(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink = sink * 6364136223846793005u + 1442695040888963407u;
}

NOINLINE static void parent_work(void)
{
	spin(8000000);
}

NOINLINE static void child_work(void)
{
	spin(6000000);
}

NOINLINE static void exec_work(void)
{
	spin(10000000);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		exec_work();
		return 0;
	}
	pid_t pid = fork();
	if (pid == 0) {
		child_work();
		execl("./renamed", "renamed", "again", (char *)0);
		_exit(127);
	}
	parent_work();
	waitpid(pid, 0, 0);
	return 0;
}
