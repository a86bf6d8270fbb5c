/* The program's file is mapped a second time, and runs there. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "corpus.h"

extern const char __executable_start[], etext[];
static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL static long with_frame(long n)
{
	volatile long values[9];

	for (long i = 0; i < 9; i++)
		values[i] = n + i;
	return values[n % 9] + leaf(n);
}

int main(void)
{
	uintptr_t start = (uintptr_t)with_frame & ~(uintptr_t)4095;
	size_t size = ((uintptr_t)etext - start + 4095) & ~(uintptr_t)4095;
	int fd = open("/proc/self/exe", O_RDONLY);
	char *again = mmap(0, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
		(off_t)(start - (uintptr_t)__executable_start));
	long (*there)(long);

	if (again == MAP_FAILED)
		abort();
	*(char **)&there = again + ((uintptr_t)with_frame - start);
	corpus_begin();
	for (long i = 0; i < 3; i++)
		sink += there(i) + with_frame(i);
	corpus_end();
	return 0;
}
