/* Libraries that are opened and closed one after the other, so that they get the same address. */
#include <dlfcn.h>
#include <stdlib.h>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long back(long n)
{
	return n * 3 + sink;
}

CORPUS_CALL static void use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	long (*call)(long, long (*)(long));

	if (!library)
		abort();
	*(void **)&call = dlsym(library, "library_call");
	sink += call(5, back);
	dlclose(library);
}

int main(void)
{
	corpus_begin();
	use("./library.so");
	use("./other.so");
	use("./library.so");
	corpus_end();
	return 0;
}
