/*
 * Branches of every kind: loops, conditions that hold often and seldom, a switch, calls of inlined
 * functions, of functions by pointers and of the function itself. It uses no library, so that all of
 * its branches are its own.
 */
enum { ROUNDS = 40, WORDS = 24 };

static unsigned words[WORDS];

static inline unsigned mix(unsigned x)
{
	x ^= x << 13;
	x ^= x >> 17;
	if (x & 64)
		x += 5;
	x ^= x << 5;
	return x;
}

static inline unsigned pick(unsigned x)
{
	unsigned y = mix(x);

	if (y % 7 == 0)
		return mix(y) % WORDS;
	return y % WORDS;
}

__attribute__((noinline)) static void sift(unsigned *list, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		unsigned value = list[i], k = i;

		for (; k && list[k - 1] > value; k--)
			list[k] = list[k - 1];
		list[k] = value;
	}
}

__attribute__((noinline)) static unsigned depth(unsigned n)
{
	if (n < 2)
		return 1;
	return depth(n / 2) + depth(n - n / 2 - 1);
}

__attribute__((noinline)) static unsigned add(unsigned x)
{
	return x + 3;
}

__attribute__((noinline)) static unsigned halve(unsigned x)
{
	return x & 1 ? x * 3 + 1 : x / 2;
}

__attribute__((noinline, cold)) static unsigned rare(unsigned x)
{
	return x / 3;
}

static unsigned (*const steps[])(unsigned) = { add, halve, add, mix };

__attribute__((noinline)) static unsigned apply(unsigned x)
{
	switch (x % 9) {
	case 0:
		return steps[x % 4](x);
	case 1:
	case 2:
		return add(x);
	case 3:
		return x + depth(x % 12);
	case 4:
		return halve(x) + 1;
	case 5:
		return x % 250 ? x ^ 0x55 : rare(x);
	default:
		return mix(x);
	}
}

__attribute__((noinline)) static unsigned work(unsigned seed)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = 0; k < WORDS; k++)
			words[k] = apply(mix(seed + k));
		seed += words[pick(seed)];
		sift(words, pick(seed));
	}
	return seed;
}

static void leave(int status)
{
	__asm__ volatile("syscall" : : "a"(231), "D"(status) : "rcx", "r11", "memory");
	__builtin_unreachable();
}

void _start(void)
{
	leave(work(2463534242u) == 0);
}
