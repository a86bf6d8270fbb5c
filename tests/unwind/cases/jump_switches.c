/* Coroutines that switch stacks by setjmp and longjmp; the first switch is by hand. */
#include <setjmp.h>

#include "corpus.h"

static void *stack[1 << 12] __attribute__((aligned(64)));
struct corpus_stack corpus_stacks[] = { { stack, stack + sizeof(stack) / sizeof(stack[0]) },
	{ 0, 0 } };
static jmp_buf main_context, other_context;
static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL static void wait_here(long n)
{
	volatile long values[5] = { n };

	sink += leaf(values[0]);
	if (!_setjmp(other_context))
		_longjmp(main_context, 1);
	sink += leaf(values[0]);
}

/* First function of the other stack. Its return address is 0, and it never returns. */
static void run(void)
{
	for (long i = 0;; i++)
		wait_here(i);
}

/* Continue at function with the stack pointer sp. */
void start(void *sp, void (*function)(void));
__asm__(".text\n"
	".type start, @function\n"
	"start:\n"
	".cfi_startproc\n"
	"mov %rdi, %rsp\n"
	"jmp *%rsi\n"
	".cfi_endproc\n"
	".size start, . - start\n");

CORPUS_CALL static void resume(long n)
{
	enum { N = sizeof(stack) / sizeof(stack[0]) };

	if (!_setjmp(main_context)) {
		if (n)
			_longjmp(other_context, 1);
		start(&stack[N - 3], run);
	}
	sink += leaf(n);
}

int main(void)
{
	corpus_begin();
	for (long i = 0; i < 4; i++)
		resume(i);
	corpus_end();
	return 0;
}
