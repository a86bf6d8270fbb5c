/* A library for dlopen() that calls back. With OTHER its frames have other sizes. */
#ifdef OTHER
enum { N = 61 };
#else
enum { N = 24 };
#endif

static volatile long sink;

__attribute__((noinline)) static long in_library(long n)
{
	volatile long values[N];

	for (long i = 0; i < N; i++)
		values[i] = n * i;
	return values[n % N];
}

long library_call(long n, long (*back)(long))
{
	sink += in_library(n);
	return back(n) + sink;
}
