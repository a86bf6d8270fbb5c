/* Calls into the C library, first and later ones through the PLT, and calls back from it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

CORPUS_CALL static long sort(void)
{
	int values[] = { 5, 3, 9, 1, 7, 2 };

	qsort(values, sizeof(values) / sizeof(values[0]), sizeof(values[0]), compare);
	return values[0];
}

CORPUS_CALL static long print(long n)
{
	char text[64];

	return snprintf(text, sizeof(text), "%ld %s %#lx", n, "text", n) + atoi(text);
}

int main(void)
{
	corpus_begin();
	for (long i = 0; i < 2; i++) {
		sink += sort();
		sink += print(i);
		sink += (long)strlen(getenv("PATH") ? "yes" : "no");
		free(malloc(100000));
	}
	corpus_end();
	return 0;
}
