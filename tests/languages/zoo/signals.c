// zoo_inner is a signal handler, on an alternate stack if ALTERNATE is defined.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long state;

static void zoo_inner(int sig)
{
	unsigned long n = sig;

	for (unsigned long i = 0; i < 2000; i++) {
		n = n * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(n));
	}
	state = n;
}

__attribute__((noinline)) int zoo_middle(void)
{
	return raise(SIGUSR1) + 1;
}

__attribute__((noinline)) int zoo_outer(void)
{
	return zoo_middle() + 1;
}

int main(void)
{
	struct sigaction action = {.sa_handler = zoo_inner};
	int sum = 0;

#ifdef ALTERNATE
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};

	sigaltstack(&stack, NULL);
	action.sa_flags = SA_ONSTACK;
#endif
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 500000; i++)
		sum += zoo_outer();
	printf("%d %lu\n", sum, state);
	return 0;
}
