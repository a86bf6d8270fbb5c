/* Work inside a signal handler that runs on a stack of its own, interrupting known frames. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile uint64_t sink;

NOINLINE static void spin(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink = sink * 6364136223846793005u + 1442695040888963407u;
}

NOINLINE static void handler_work(void)
{
	spin(200000);
}

static void on_alarm(int sig)
{
	(void)sig;
	handler_work();
}

NOINLINE static void interrupted(void)
{
	spin(50000000);
}

int main(void)
{
	static char alternate[65536];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_ONSTACK };
	struct itimerval every = { { 0, 2000 }, { 0, 2000 } };

	sigaltstack(&stack, 0);
	sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &every, 0);
	interrupted();
	return 0;
}
