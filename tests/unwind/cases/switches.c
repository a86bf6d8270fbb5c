/* Coroutines that switch stacks by hand; their first function has no caller. */
#include "corpus.h"

static void *stack[1 << 12] __attribute__((aligned(64)));
struct corpus_stack corpus_stacks[] = { { stack, stack + sizeof(stack) / sizeof(stack[0]) },
	{ 0, 0 } };
static void *main_sp, *other_sp;
static volatile long sink;

/* Save the callee-saved registers and the stack pointer, take others. */
void switch_to(void **save, void *sp);
__asm__(".text\n"
	".type switch_to, @function\n"
	"switch_to:\n"
	".cfi_startproc\n"
	"push %rbp\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset %rbp, 0\n"
	"push %rbx\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset %rbx, 0\n"
	"push %r12\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset %r12, 0\n"
	"push %r13\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset %r13, 0\n"
	"push %r14\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset %r14, 0\n"
	"push %r15\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset %r15, 0\n"
	"mov %rsp, (%rdi)\n"
	"mov %rsi, %rsp\n"
	"pop %r15\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r15\n"
	"pop %r14\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r14\n"
	"pop %r13\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r13\n"
	"pop %r12\n .cfi_adjust_cfa_offset -8\n .cfi_restore %r12\n"
	"pop %rbx\n .cfi_adjust_cfa_offset -8\n .cfi_restore %rbx\n"
	"pop %rbp\n .cfi_adjust_cfa_offset -8\n .cfi_restore %rbp\n"
	"ret\n"
	".cfi_endproc\n"
	".size switch_to, . - switch_to\n");

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL static void wait_here(long n)
{
	volatile long values[5] = { n };

	sink += leaf(values[0]);
	switch_to(&other_sp, main_sp);
	sink += leaf(values[0]);
}

/* First function of the other stack. It never returns: its return address is 0. */
static void run(void)
{
	for (long i = 0;; i++)
		wait_here(i);
}

int main(void)
{
	enum { N = sizeof(stack) / sizeof(stack[0]), N_SAVED = 6 };

	stack[N - 2] = 0;
	stack[N - 3] = (void *)run;
	other_sp = &stack[N - 3 - N_SAVED];
	corpus_begin();
	for (long i = 0; i < 3; i++) {
		switch_to(&main_sp, other_sp);
		sink += leaf(i);
	}
	corpus_end();
	return 0;
}
