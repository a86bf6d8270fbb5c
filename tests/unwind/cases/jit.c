/*
 * Code generated at run time, with frame pointers and without other information. With
 * WITHOUT_FRAME it calls generated code that keeps no frame pointer.
 */
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

#ifdef WITHOUT_FRAME
/* sub $24,%rsp; mov %rdi,(%rsp); lea 1(%rdi,%rdi,4),%rax; add $24,%rsp; ret */
static const unsigned char leaf_code[] = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x3c, 0x24, 0x48,
	0x8d, 0x44, 0xbf, 0x01, 0x48, 0x83, 0xc4, 0x18, 0xc3 };
#endif

int main(void)
{
	long (*made)(long, long (*)(long)), (*callee)(long) = leaf;
	void *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	memcpy(memory, code, sizeof(code));
#ifdef WITHOUT_FRAME
	memcpy((char *)memory + 64, leaf_code, sizeof(leaf_code));
	*(void **)&callee = (char *)memory + 64;
#endif
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	*(void **)&made = memory;
	corpus_begin();
	for (long i = 0; i < 3; i++)
		sink += made(i, callee);
	corpus_end();
	return 0;
}
