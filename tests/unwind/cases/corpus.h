/*
 * Common to the programs of the corpus: where samples begin and end, and calls that are not
 * inlined.
 */
#ifndef CORPUS_H
#define CORPUS_H

#define CORPUS_CALL __attribute__((noinline, noclone))

#ifdef __cplusplus
extern "C" {
#endif

/* The two functions have different code, so that the compiler does not merge them. */
CORPUS_CALL void corpus_begin(void)
{
	__asm__ volatile("nop" ::: "memory");
}

CORPUS_CALL void corpus_end(void)
{
	__asm__ volatile("nop\n\tnop" ::: "memory");
}

/* Stacks besides those of threads: first byte and end of each, up to a pair of zeros. */
struct corpus_stack {
	void *lo;
	void *hi;
};

#ifdef __cplusplus
}
#endif

/* Keeps a value, and keeps a call before it from being a tail call. */
#define CORPUS_KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

#endif
