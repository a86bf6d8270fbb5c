// main → zoo_outer → zoo_middle → zoo_inner, for every C compiler.
#include <stdio.h>

#define KEPT __attribute__((noinline, noclone))
#ifdef __clang__
#undef KEPT
#define KEPT __attribute__((noinline))
#endif

KEPT unsigned long zoo_inner(unsigned long n)
{
	for (unsigned long i = 0; i < 200; i++) {
		n = n * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(n));
	}
	return n;
}

KEPT unsigned long zoo_middle(unsigned long n)
{
	return zoo_inner(n) + 1;
}

KEPT unsigned long zoo_outer(unsigned long n)
{
	return zoo_middle(n) + 1;
}

int main(void)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < 5000000; i++)
		sum += zoo_outer(i);
	printf("%lu\n", sum);
	return 0;
}
