/* Read a jitdump and find its code in every epoch. */
#include <stdlib.h>

#include <pdconv/record.h>

#include "parse/jitdump.h"
#include "tests/fuzz/fuzz.h"

static void find_codes(const struct parse_jit *jit)
{
	uint32_t n_epochs = parse_jit_epoch(jit, PD_NO_TIME) + 1;

	for (uint32_t epoch = 0; epoch < n_epochs && epoch < 16; epoch++) {
		for (uint64_t addr = 0; addr < 64; addr++) {
			const struct parse_jit_code *code = parse_jit_find(jit, epoch, addr << 6);

			if (code && (code->start > addr << 6 || code->end <= addr << 6))
				__builtin_trap();
			if (code && parse_jit_number(jit, code) >= parse_jit_n_codes(jit))
				__builtin_trap();
		}
	}
}

void fuzz_target_jitdump(struct fuzz_input *in)
{
	uint8_t *bytes = fuzz_copy(in);
	struct parse_jit *jit;
	struct pd_error *err = parse_jit_read(bytes, in->size, "fuzz", &jit);

	if (!err) {
		find_codes(jit);
		for (uint64_t offset = 0; offset < in->size; offset += 8)
			parse_jit_at_offset(jit, offset);
		parse_jit_destroy(jit);
	}
	pd_error_destroy(err);
	free(bytes);
}
