// The chain on the stack of a coroutine made by makecontext().
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t scheduler, coroutine;
static unsigned long sum;

__attribute__((noinline)) unsigned long zoo_inner(unsigned long n)
{
	for (unsigned long i = 0; i < 2000; i++) {
		n = n * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(n));
	}
	return n;
}

__attribute__((noinline)) unsigned long zoo_middle(unsigned long n)
{
	return zoo_inner(n) + 1;
}

__attribute__((noinline)) unsigned long zoo_outer(unsigned long n)
{
	return zoo_middle(n) + 1;
}

static void run(void)
{
	for (unsigned long i = 0;; i++) {
		sum += zoo_outer(i);
		swapcontext(&coroutine, &scheduler);
	}
}

int main(void)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = malloc(65536);
	coroutine.uc_stack.ss_size = 65536;
	makecontext(&coroutine, run, 0);
	for (int i = 0; i < 500000; i++)
		swapcontext(&scheduler, &coroutine);
	printf("%lu\n", sum);
	return 0;
}
