/* Read a jitdump and find its code in every epoch. */
#include <stdlib.h>

#include <pdconv/record.h>

#include "parse/jitdump.h"
#include "tests/fuzz/fuzz.h"

static void find_codes(const struct pd_jit *jit)
{
	uint32_t n_epochs = pd_jit_epoch(jit, PD_NO_TIME) + 1;

	for (uint32_t epoch = 0; epoch < n_epochs && epoch < 16; epoch++) {
		for (uint64_t addr = 0; addr < 64; addr++) {
			const struct pd_jit_code *code = pd_jit_find(jit, epoch, addr << 6);

			if (code && (code->start > addr << 6 || code->end <= addr << 6))
				__builtin_trap();
			if (code && pd_jit_number(jit, code) >= pd_jit_n_codes(jit))
				__builtin_trap();
		}
	}
}

void fuzz_target_jitdump(struct fuzz_input *in)
{
	uint8_t *bytes = fuzz_copy(in);
	struct pd_jit *jit;
	struct pd_error *err = pd_jit_read(bytes, in->size, "fuzz", &jit);

	if (!err) {
		find_codes(jit);
		for (uint64_t offset = 0; offset < in->size; offset += 8)
			pd_jit_at_offset(jit, offset);
		pd_jit_destroy(jit);
	}
	pd_error_destroy(err);
	free(bytes);
}
