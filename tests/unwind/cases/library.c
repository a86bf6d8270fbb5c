/* A library for dlopen() that calls back. */
static volatile long sink;

__attribute__((noinline)) static long in_library(long n)
{
	volatile long values[7];

	for (long i = 0; i < 7; i++)
		values[i] = n * i;
	return values[n % 7];
}

long library_call(long n, long (*back)(long))
{
	sink += in_library(n);
	return back(n) + sink;
}
