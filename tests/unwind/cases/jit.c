/* Code generated at run time, with frame pointers and without other information. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

/* push %rbp; mov %rsp,%rbp; sub $16,%rsp; call *%rsi; leave; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xff, 0xd6,
	0xc9, 0xc3 };

int main(void)
{
	long (*made)(long, long (*)(long));
	void *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	memcpy(memory, code, sizeof(code));
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	*(void **)&made = memory;
	corpus_begin();
	for (long i = 0; i < 3; i++)
		sink += made(i, leaf);
	corpus_end();
	return 0;
}
