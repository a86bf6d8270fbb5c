/* Nested calls with known weights: main -> outer -> middle -> inner, and main -> side. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile uint64_t sink;

NOINLINE static uint64_t inner(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

NOINLINE static uint64_t middle(uint64_t n)
{
	return inner(n) + inner(n / 2);
}

NOINLINE static uint64_t outer(uint64_t n)
{
	return middle(n) ^ n;
}

NOINLINE static uint64_t side(uint64_t n)
{
	uint64_t x = 0;

	for (uint64_t i = 0; i < n; i++)
		x ^= i * i + sink;
	return x;
}

int main(void)
{
	for (int i = 0; i < 120; i++)
		sink += outer(2500000) + side(1500000);
	return 0;
}
