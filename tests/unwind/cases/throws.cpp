// Exceptions in flight: through frames with and without destructors, caught and thrown again.
#include <stdexcept>

#include "corpus.h"

static volatile long sink;

struct Guard {
	long value;
	CORPUS_CALL ~Guard()
	{
		sink += value;
	}
};

CORPUS_CALL static long leaf(long n)
{
	if (n == 0)
		throw std::runtime_error("thrown");
	return n * 3;
}

CORPUS_CALL static long guarded(long n)
{
	Guard guard{ n };

	long x = n > 1 ? guarded(n - 1) : leaf(n - 1);
	return x + 1;
}

CORPUS_CALL static long rethrows(long n)
{
	volatile long values[4] = { n };

	try {
		return guarded(n) + values[0];
	} catch (const std::exception &) {
		sink += values[n & 3];
		throw;
	}
}

CORPUS_CALL static long catches(long n)
{
	try {
		return rethrows(n);
	} catch (...) {
		return n;
	}
}

int main()
{
	sink = catches(1); // what is done once is done
	corpus_begin();
	for (long i = 1; i < 3; i++)
		sink += catches(i);
	corpus_end();
}
