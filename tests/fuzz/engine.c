/*
 * Entry points for a fuzzer: libFuzzer, or AFL++ with its driver. The name of the program selects
 * the target.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *slash = strrchr((*argv)[0], '/');
	const char *name = slash ? slash + 1 : (*argv)[0];

	(void)argc;
	target = fuzz_target_find(name);
	if (target)
		return 0;
	fprintf(stderr, "there is no fuzz target '%s'\n", name);
	exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_input in = { bytes, size };

	target->run(&in);
	return 0;
}
