/* Assembly of a large library, which keeps its caller's stack pointer in memory. */
#include <dlfcn.h>

#include "corpus.h"

static volatile long sink;

int main(void)
{
	static unsigned char data[300], digest[64];
	void *library = dlopen("libcrypto.so.3", RTLD_NOW);
	unsigned char *(*hashes[4])(const unsigned char *, unsigned long, unsigned char *) = { 0 };
	static const char *const names[] = { "SHA1", "SHA256", "SHA512", "MD5" };

	for (int i = 0; library && i < 4; i++)
		*(void **)&hashes[i] = dlsym(library, names[i]);
	for (int i = 0; i < 4; i++)
		sink += hashes[i](data, sizeof(data), digest) ? digest[0] : 0;
	corpus_begin();
	for (int i = 0; i < 4; i++)
		sink += hashes[i](data, sizeof(data), digest) ? digest[0] : 0;
	corpus_end();
	return 0;
}
