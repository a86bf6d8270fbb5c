/* Instruction analysis. Input: the architecture, a byte with flags, and code. */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "unwind/rules/code_analysis.h"

enum { TEXT = 0x1000 };

void fuzz_target_code(struct fuzz_input *in)
{
	const struct unw_arch *arch = unw_arch_find(fuzz_arch(in));
	uint8_t flags = fuzz_byte(in);
	bool is_at_call = flags & 1;
	enum unw_code_trust trust = (flags >> 1) % (UNW_CODE_ANY_STACK + 1);
	uint8_t *bytes = fuzz_copy(in);
	const struct unw_section text = { .data = bytes, .size = in->size, .vaddr = TEXT };
	struct unw_row row;

	/* A few addresses are enough: what follows the others is on their paths. */
	for (uint64_t off = 0; off < in->size && off < 64; off += 4) {
		unw_code_find_row(&text, arch, TEXT + off, is_at_call, &row);
		(void)!unw_code_find_row_from(
			&text, arch, TEXT, TEXT + off, is_at_call, trust, &row);
		unw_code_find_end(&text, arch, TEXT + off, 256);
	}
	free(bytes);
}
