/* A program whose functions have branches, calls, data between instructions, and inlined calls. */
#include <stdio.h>
#include <stdlib.h>

static inline int weight(int x)
{
	return x & 1 ? x * 3 : x >> 1;
}

int sum(const int *list, int n);

__attribute__((noinline)) int sum(const int *list, int n)
{
	int total = 0x12345678;

	for (int i = 0; i < n; i++) {
		switch (list[i] & 7) {
		case 0:
			total += 0x01234567;
			break;
		case 1:
			total ^= list[i];
			break;
		case 2:
			total *= 77;
			break;
		case 3:
			puts("three");
			break;
		case 4:
			total -= weight(i);
			break;
		default:
			total += weight(total);
		}
	}
	return total;
}

int main(int argc, char **argv)
{
	int list[16] = { 0 };

	for (int i = 0; i < 16; i++)
		list[i] = argc * i + (argc > 1 ? atoi(argv[1]) : 0);
	printf("%d\n", sum(list, 16));
	return 0;
}
